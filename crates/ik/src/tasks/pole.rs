//! A joint that bends toward a point as far as the goals leave freedom. [`tree::poles`](crate::tree::poles) chooses where it
//! should be.
//!
//! - **Residual**, three rows: `0.2 (p - t) / l`, with the joint's origin `p`, its desired position `t` and the length `l` of
//!   the layout.
//! - **Derivative**: `0.2 / l v`, with the velocity `v` of the origin per unit of a column.
//! - **Rank**: nice.

use crate::model::Isometry;
use crate::tasks::{Objective, PolePull, Rank, Residuals, Rows, Task};

impl Task for PolePull {
    const ROWS: usize = 3;

    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let joint = objective.layout.poles[self.pole].path.end.joint;
        out.push((frames[joint].position - self.goal) * scale(objective));
    }

    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let path = &objective.layout.poles[self.pole].path;
        out.add_point((path, frames[path.end.joint].position), scale(objective), None);
    }
}

fn scale(objective: &Objective) -> f64 {
    Rank::Nice.scale(objective.is_firm) / objective.layout.length
}
