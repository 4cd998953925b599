//! One block in memory: `W` chains side by side, one lane each.
//!
//! ```text
//! joint 0   x[W] y[W] z[W]      positions relative to the base, in units of the chain's own reach;
//! joint 1   x[W] y[W] z[W]      joint 0 is the base and holds zeros
//!   ...
//! joint n   x[W] y[W] z[W]
//! length 0  [W]                 link lengths in units of the reach; their sum is 1
//!   ...
//! length n-1 [W]
//! target    x[W] y[W] z[W]      in the coordinates of the joints
//! base      x[W] y[W] z[W]      in world space
//! reach     [W]                 in world units; 0 for an idle lane
//! error     [W]                 squared distance to the target, in units of the reach
//! count     [W]                 iterations
//! ```
//!
//! An *idle* lane stands for a bad chain. It holds zeros, so that it is at its target from the start and costs nothing.

use crate::model::{Report, Stop};

/// A tile consists of multiples of this many blocks. Every level's group of interleaved blocks divides it.
pub(super) const BLOCKS_PER_TILE_STEP: usize = 6;

/// Numbers in a block of `width` chains with `links` links each.
pub(super) fn block_len(links: usize, width: usize) -> usize {
    (4 * links + 12) * width
}

/// A view of the parts of one block.
pub(super) struct Block<'a, const W: usize> {
    /// One per joint: one more than links.
    pub joints: &'a mut [[[f32; W]; 3]],
    /// One row per link.
    pub lengths: &'a mut [[f32; W]],
    pub target: &'a mut [[f32; W]; 3],
    pub base: &'a mut [[f32; W]; 3],
    pub reach: &'a mut [f32; W],
    pub squared_error: &'a mut [f32; W],
    pub iterations: &'a mut [f32; W],
}

impl<'a, const W: usize> Block<'a, W> {
    /// The parts of a block with these numbers.
    #[inline(always)]
    pub fn of(numbers: &'a mut [f32], links: usize) -> Self {
        let (rows, _) = numbers.as_chunks_mut::<W>();
        let (joints, rows) = rows.split_at_mut(3 * (links + 1));
        let (lengths, rows) = rows.split_at_mut(links);
        let (joints, _) = joints.as_chunks_mut::<3>();
        let (vectors, rows) = rows.split_at_mut(6);
        let (vectors, _) = vectors.as_chunks_mut::<3>();
        let ([target, base], [reach, squared_error, iterations]) = (vectors, rows) else {
            unreachable!("a block ends with two vectors and three numbers")
        };
        Block { joints, lengths, target, base, reach, squared_error, iterations }
    }
}

/// The lanes of a block by result; bit `i` is lane `i`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LaneMasks {
    /// Not within the tolerance after the iterations; left to the closure.
    pub open: u64,
    /// Not suited for this algorithm; left to the scalar path.
    pub special: u64,
    /// Target beyond the reach; stretched toward it.
    pub too_far: u64,
    /// Moved from the start pose.
    pub moved: u64,
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
