//! A joint that bends toward a point as far as the goals leave freedom. [`tree::poles`](crate::tree::poles) chooses where it
//! should be.
//!
//! - **Residual**, three rows: `0.2 (p - t) / l`, with the joint's origin `p`, its desired position `t` and the length `l` of
//!   the layout.
//! - **Derivative**: `0.2 / l v`, with the velocity `v` of the origin per unit of a column.
//! - **Rank**: nice.

use super::{Isometry, Objective, Rank, Residuals, Rows, Score, Settings, Task};
use glam::DVec3;

/// Where the origin of a pole's joint should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolePull {
    /// Index of the pole in the layout.
    pub pole: usize,
    /// Desired position of the joint, world.
    pub goal: DVec3,
}

/// A joint to pull toward its pole.
pub(crate) struct PoleTask<'a>(pub &'a PolePull);

impl Task for PoleTask<'_> {
    const ROWS: usize = 3;

    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let joint = objective.layout.poles[self.0.pole].path.end.joint;
        out.push((frames[joint].position - self.0.goal) * scale(objective));
    }

    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let path = &objective.layout.poles[self.0.pole].path;
        out.add_point((path, frames[path.end.joint].position), scale(objective), None);
    }

    fn is_met(_: &Score, _: &Settings) -> bool {
        true
    }
}

fn scale(objective: &Objective) -> f64 {
    Rank::Nice.scale(objective.is_firm) / objective.layout.length
}
