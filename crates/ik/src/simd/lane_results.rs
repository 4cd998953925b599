//! What the reaching passes and the closure made of the lanes of a block.

use super::types::Outcome;
use crate::model::report::Stop;

/// The lanes of a block by result; bit `i` is lane `i`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LaneMasks {
    /// Not within the tolerance after the iterations; left to the closure.
    pub open: u32,
    /// Not suited for this algorithm; left to the scalar path.
    pub special: u32,
    /// Target beyond the reach; stretched toward it.
    pub too_far: u32,
    /// Moved from the start pose.
    pub moved: u32,
}

/// The results of all lanes of a block.
#[derive(Clone, Copy)]
pub(super) struct LaneResults<'a, const W: usize> {
    pub masks: LaneMasks,
    /// Squared distance to the target, in units of the reach.
    pub squared_errors: &'a [f32; W],
    pub iterations: &'a [f32; W],
}

impl<const W: usize> LaneResults<'_, W> {
    /// The outcome of a solved lane.
    pub fn outcome(&self, lane: usize) -> Outcome {
        let stop = if self.masks.too_far & (1 << lane) != 0 { Stop::TooFar } else { Stop::Reached };
        Outcome { stop, error: self.squared_errors[lane].sqrt(), iterations: self.iterations[lane] as u32 }
    }
}
