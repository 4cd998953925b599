//! What a file brings along besides joints and goals.

use super::Motion;

/// Recorded motion, and what the reader had to leave out. Large and never changed, so scenes share it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assets {
    /// Recorded motions, in file order.
    pub motions: Vec<Motion>,
    /// What could not be taken over, one sentence each: a mesh that is missing, a feature that is not supported.
    pub warnings: Vec<String>,
}
