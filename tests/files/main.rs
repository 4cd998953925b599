//! Files opened, solved and saved by the program.

mod cases;
mod examples;
mod motion;
mod saved;
mod urdf;

#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/session.rs"]
mod session_support;
