//! How a subcommand ends.

use fabrik3d_scene::Outcome;
use std::io;

/// How a subcommand ended, if nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was reached, or done.
    Done,
    /// Something was not reached, or a check failed.
    Unmet,
}

impl Ending {
    /// How a solve ended.
    pub(super) fn of(outcome: &Outcome) -> Self {
        if outcome.report.stop.is_reached() { Ending::Done } else { Ending::Unmet }
    }
}

/// Why a subcommand could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A sentence for the user; may have a second line with advice.
    #[error("{0}")]
    Message(String),
    /// The reader of standard output went away: not an error.
    #[error("standard output was closed")]
    Closed,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Message(error.to_string()),
        }
    }
}

impl From<fabrik3d_scene::SceneError> for Failure {
    fn from(error: fabrik3d_scene::SceneError) -> Self {
        Failure::Message(error.to_string())
    }
}
