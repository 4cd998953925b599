//! What a batch cannot start with.

use super::level::Level;

/// Why a batch is refused before anything is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// A chain has at least one link.
    #[error("a chain needs at least one link")]
    NoLinks,
    /// The processor lacks the instructions.
    #[error("this processor cannot run the batch at level {}", .0.name())]
    Unavailable(Level),
    /// The chains are not all as long as they should be, or some are missing.
    #[error("{expected} points expected (links + 1 for each target), found {found}")]
    Points {
        /// Targets times (links + 1).
        expected: usize,
        /// As given.
        found: usize,
    },
    /// There must be a length for each link, of one chain or of all.
    #[error("{expected} link lengths expected, found {found}")]
    Lengths {
        /// Links, or targets times links.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// There must be room for one outcome for each target.
    #[error("{expected} outcomes expected (one for each target), found {found}")]
    Outcomes {
        /// As many as targets.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// There must be a target for each chain.
    #[error("{expected} targets expected (one for each chain), found {found}")]
    Targets {
        /// As many as chains.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// There must be a base for each chain.
    #[error("{expected} bases expected (one for each chain), found {found}")]
    Bases {
        /// As many as chains.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// Blocks of a batch of another level or another number of links.
    #[error("blocks of {found_links} links in {found_width} lanes, for a batch of {links} links in {width} lanes")]
    OtherBlocks {
        /// Links of the batch.
        links: usize,
        /// Lanes of the batch's level.
        width: usize,
        /// Links of the blocks.
        found_links: usize,
        /// Lanes of the blocks.
        found_width: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("the base of chain {chain} is not finite")]
    BaseNotFinite {
        /// Index of the chain.
        chain: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("point {point} of chain {chain} is not finite")]
    PointNotFinite {
        /// Index of the chain.
        chain: usize,
        /// Index of the point in its chain.
        point: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("the target of chain {chain} is not finite")]
    TargetNotFinite {
        /// Index of the chain.
        chain: usize,
    },
    /// A length is not a positive number.
    #[error("the length of link {link} of chain {chain} is not a positive number")]
    BadLength {
        /// Index of the chain; 0 for lengths that all chains share.
        chain: usize,
        /// Index of the link in its chain.
        link: usize,
    },
}
