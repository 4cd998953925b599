//! The command line.

mod bench;
mod bounds;
mod branches;
mod convert;
mod faults;
mod files;
mod follow;
mod goals;
mod option_pairs;
mod pages;
mod path;
mod pipes;
mod robots;
mod solve;
mod tables;
mod usage;
mod web_page;

#[path = "../support/sample_files.rs"]
mod gathered;
#[path = "../support/pages.rs"]
mod page_support;
#[path = "../support/program.rs"]
mod support;
