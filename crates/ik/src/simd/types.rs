//! The options of a batch and the outcome of one chain.

use crate::model::report::{Report, Stop};

/// What happens to a chain with a coordinate that is not finite, or with a length that is not positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadChains {
    /// The whole batch fails before anything is changed; the error names the chain.
    #[default]
    Fail,
    /// Only that chain is refused ([`Stop::Refused`]), and its points stay as they are. The others are solved.
    Refuse,
}

/// The threads that a batch runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// The calling thread.
    #[cfg_attr(not(feature = "parallel"), default)]
    One,
    /// All threads of the current rayon pool.
    #[cfg(feature = "parallel")]
    #[default]
    All,
}

/// Outcome of one chain: the short form of a [`Report`].
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Why the solve stopped.
    pub stop: Stop,
    /// Remaining distance from tip to target, as a fraction of the reach.
    pub error: f32,
    /// Iterations: one backward and one forward reaching pass each.
    pub iterations: u32,
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Outcome { stop: report.stop, error: report.error as f32, iterations: report.iterations }
    }
}

/// The outcome of a refused chain.
impl Default for Outcome {
    fn default() -> Self {
        Outcome::from(Report::REFUSED)
    }
}
