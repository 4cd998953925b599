//! An effector turned as requested: its whole orientation, the direction of one of its axes, or an axis toward a point, as
//! that of a camera.
//!
//! - **Residual**, three rows: `0.3 sqrt(w) log(R T^-1)`, with the orientation `R` of the effector, the nearest accepted
//!   orientation `T` and the weight `w` of the goal; `log` is the rotation vector. If the effector may turn about an axis, `T` is
//!   reached from `R` by the smallest rotation that gives this axis its direction. An axis that looks at a point has the
//!   direction of the line of sight `d`, from the tip to the point.
//! - **Derivative**: `0.3 sqrt(w) P u`, with the angular velocity `u` of the effector per unit of a column. `P` removes the turn
//!   about the open axis. This holds for small errors; the gradient of the cost is exact for all. With a line of sight, which
//!   turns as the tip moves: `0.3 sqrt(w) (P u + d x v / |d|^2)`, with the velocity `v` of the tip.
//! - **Rank**: that of the goal.
//! - **Met** if the angle is within the tolerance.

use crate::layout::GoalLayout;
use crate::maths;
use crate::model::{Goal, Isometry, Orientation, Settings};
use crate::tasks::{Objective, Rank, Residuals, Rows, Score, Task};
use glam::{DMat3, DVec3};

/// Residual of an orientation error of one radian; a position error of one reach has the residual 1. A hand turned by
/// one radian counts about as much as a third of the arm's length.
pub(crate) const REACHES_PER_RADIAN: f64 = 0.3;

/// How the effector of a goal should be turned.
pub(crate) struct OrientationTask<'a> {
    pub goal: &'a Goal,
    pub layout: &'a GoalLayout,
    pub target: Orientation,
    pub rank: Rank,
}

impl Task for OrientationTask<'_> {
    const ROWS: usize = 3;

    #[inline]
    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let frame = frames[self.goal.effector.joint];
        let target = self.goal.accepted_orientation(self.target, frame);
        let error = maths::rotation_vector(frame.rotation * target.conjugate());
        out.score.angle = out.score.angle.max(error.length());
        out.note(self.rank, error.length() * REACHES_PER_RADIAN);
        out.push(error * self.scale(objective));
    }

    #[inline]
    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let OrientationTask { goal, layout, target, .. } = *self;
        let frame = frames[goal.effector.joint];
        let (open, sight) = match target {
            Orientation::Rotation(_) => (goal.freedom.axis(), None),
            Orientation::LookAt(point) => (Some(goal.sight_axis()), Some(point)),
        };
        let scale = self.scale(objective);
        out.add_turn(&layout.path, scale, open.map(|axis| without_turns_about(frame.rotation * axis)));
        if let Some(point) = sight {
            let tip = frame.point(goal.effector.tip);
            out.add_point((&layout.path, tip), scale, Some(turns_by_shifts(point - tip)));
        }
    }

    fn is_met(score: &Score, settings: &Settings) -> bool {
        score.angle <= settings.rotation_tolerance
    }
}

impl OrientationTask<'_> {
    fn scale(&self, objective: &Objective) -> f64 {
        self.rank.scale(objective.is_firm) * REACHES_PER_RADIAN * self.goal.rotation_weight.sqrt()
    }
}

/// Removes the part about an axis, of unit length, from angular velocities.
fn without_turns_about(axis: DVec3) -> DMat3 {
    DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z)
}

/// Maps a velocity of the tip to the angular velocity of the error that it causes along this line of sight.
fn turns_by_shifts(sight: DVec3) -> DMat3 {
    let squared = sight.length_squared();
    // The cross product with `sight`, as a matrix.
    let cross = DMat3::from_cols(
        DVec3::new(0.0, sight.z, -sight.y),
        DVec3::new(-sight.z, 0.0, sight.x),
        DVec3::new(sight.y, -sight.x, 0.0),
    );
    if squared > 0.0 { cross * squared.recip() } else { DMat3::ZERO }
}
