//! The command line: one file per subcommand.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 all reached or done, 1 something was
//! not reached or a check failed, 2 usage, input or environment.

mod bench;
mod check;
mod common;
mod context;
mod convert;
mod ending;
mod look;
mod paint;
mod program;
mod progress;
mod render;
mod report;
mod shell;
mod sink;
mod solve;
mod stream;
mod view;

pub use common::SceneArguments;
pub use ending::{Ending, Failure};
pub use look::{Look, Size};
pub use program::main;
pub use render::RenderArguments;
pub use view::ViewArguments;
