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
mod ending;
mod interrupt;
mod path;
mod program;
mod progress;
mod render;
mod report;
mod scene_arguments;
mod shell;
mod sink;
mod solve;
mod stream;
mod target_arguments;
mod totals;
mod view;

pub use display_arguments::{DisplayArguments, Size};
pub use ending::{Ending, Failure};
pub use program::main;
pub use render::RenderArguments;
pub use scene_arguments::SceneArguments;
pub use view::ViewArguments;
