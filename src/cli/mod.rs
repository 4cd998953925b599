//! The command line: one file per subcommand.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 success, 1 a target was not reached
//! or a check failed, 2 invalid usage, input or environment, 130 a solve was interrupted.

mod answers;
mod bench;
mod check;
mod context;
mod convert;
mod display_arguments;
mod follow;
mod interrupt;
mod page;
mod path;
mod program;
mod render;
mod report;
mod scene_arguments;
mod sink;
mod solve;
mod stream;
mod target_arguments;
mod totals;
mod view;

pub use program::{command, main};
