//! A body whose center of mass should be above what it stands on, as far as the goals leave freedom.
//! [`Refiner::balance`](crate::tree::refine::Refiner::balance) takes its steps.
//!
//! - **Residual**, one row: `0.2 d / l`, with the distance `d` of the center of mass `c` from the support, both seen from above,
//!   and the length `l` of the layout; 0 above the support.
//! - **Derivative**: `0.2 / l n . v`, with the velocity `v` of `c` per unit of a column, the mean of those of the masses, and the
//!   direction `n` away from the nearest point of the support.
//! - **Rank**: nice.

use crate::model::{CenterOfMass, Isometry, PointMass};
use crate::tasks::{Objective, Rank, Residuals, Rows, Task};

impl Task for CenterOfMass {
    const ROWS: usize = 1;

    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let distance = self.beside_support(self.place(frames)).length() / objective.layout.length;
        out.score.imbalance = out.score.imbalance.max(distance);
        out.rows.push(distance * Rank::Nice.scale(objective.is_firm));
    }

    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let Some(away) = self.beside_support(self.place(frames)).try_normalize() else { return };
        let scale = Rank::Nice.scale(objective.is_firm) / (objective.layout.length * self.total());
        for &PointMass { joint, point, mass } in &self.masses {
            out.add_distance(objective.layout.above_measured(joint), frames[joint].point(point), away * (mass * scale));
        }
    }
}
