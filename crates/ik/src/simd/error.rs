//! Errors in the input of a batch.

use super::level::Level;
use crate::model::Refusal;

/// Why a batch fails before it changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] Refusal),
    /// The number of links is zero.
    #[error("a chain needs at least one link")]
    NoLinks,
    /// The processor lacks the instructions of this level.
    #[error("this processor cannot run the batch at level {}", .0.name())]
    Unavailable(Level),
    /// The number of points does not match the number of targets.
    #[error("expected {expected} points (links + 1 per target), found {found}")]
    Points {
        /// Number of targets times (links + 1).
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The number of lengths matches neither one chain nor all of them.
    #[error("expected {expected} link lengths, found {found}")]
    Lengths {
        /// Number of links, times the number of targets unless all chains share their lengths.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The number of outcomes does not match the number of targets.
    #[error("expected {expected} outcomes (one per target), found {found}")]
    Outcomes {
        /// Number of targets.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A coordinate of a point is NaN or infinite.
    #[error("point {point} of chain {chain} is not finite")]
    PointNotFinite {
        /// Index of the chain.
        chain: usize,
        /// Index of the point in its chain.
        point: usize,
    },
    /// A coordinate of a target is NaN or infinite.
    #[error("the target of chain {chain} is not finite")]
    TargetNotFinite {
        /// Index of the chain.
        chain: usize,
    },
    /// A length is not finite and positive.
    #[error("the length of link {link} of chain {chain} is not finite and positive")]
    BadLength {
        /// Index of the chain; 0 if all chains share their lengths.
        chain: usize,
        /// Index of the link in its chain.
        link: usize,
    },
}
