//! The command line.

mod bench;
mod convert;
mod files;
mod solve;
mod tables;
mod usage;

#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/program.rs"]
mod support;
