//! Results of a subcommand.

use fabrik3d_ik::Stop;
use fabrik3d_scene::Outcome;
use std::io;

/// Exit code after an error.
pub(super) const FAILED: u8 = 2;
/// Exit code after an interrupt, as usual in shells: 128 plus the number of the signal.
pub(super) const INTERRUPTED: u8 = 130;

/// How a subcommand ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Success: all targets were reached.
    Done,
    /// A target was not reached, or a check failed.
    Unmet,
    /// The user ended a solve. What was found until then has been printed.
    Interrupted,
}

impl Ending {
    /// The ending of a solve.
    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome.report.stop {
            Stop::Interrupted => Ending::Interrupted,
            stop if stop.is_reached() => Ending::Done,
            _ => Ending::Unmet,
        }
    }
}

/// Why a subcommand failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A message for the user; it may have a second line with advice.
    #[error("{0}")]
    Message(String),
    /// Standard output was closed by its reader, which is not an error.
    #[error("standard output was closed")]
    Closed,
}

/// A failure to write to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Message(format!("standard output: cannot be written: {error}")),
        }
    }
}

impl From<fabrik3d_scene::SceneError> for Failure {
    fn from(error: fabrik3d_scene::SceneError) -> Self {
        Failure::Message(error.to_string())
    }
}
