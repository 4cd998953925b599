//! Opening, solving and saving files.

mod cases;
mod examples;
mod formats;
mod motion;
mod saved;
mod urdf;

#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/session.rs"]
mod session_support;
