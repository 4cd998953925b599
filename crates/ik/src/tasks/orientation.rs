//! An effector turned as requested: its whole orientation, or only the direction of one of its axes.
//!
//! - **Residual**, three rows: `0.3 sqrt(w) log(R T^-1)`, with the orientation `R` of the effector, the nearest accepted
//!   orientation `T` and the weight `w` of the goal; `log` is the rotation vector. If the effector may turn about an axis, `T` is
//!   reached from `R` by the smallest rotation that gives this axis its direction.
//! - **Derivative**: `0.3 sqrt(w) P u`, with the angular velocity `u` of the effector per unit of a column. `P` removes the turn
//!   about the open axis. This holds for small errors; the gradient of the cost is exact for all.
//! - **Rank**: that of the goal.
//! - **Met** if the angle is within the tolerance.

use crate::layout::GoalLayout;
use crate::model::problem::Goal;
use crate::model::settings::Settings;
use crate::model::transform::{Isometry, ShortLog};
use crate::tasks::objective::Rank;
use crate::tasks::objective::{Objective, Score};
use crate::tasks::task::Rows;
use crate::tasks::task::{Residuals, Task};
use glam::{DMat3, DQuat, DVec3};

/// Residual of an orientation error of one radian; a position error of one reach has the residual 1. A hand turned by
/// one radian counts about as much as a third of the arm's length.
pub(crate) const REACHES_PER_RADIAN: f64 = 0.3;

/// The orientation of a goal.
pub(crate) struct OrientationTask<'a> {
    pub goal: &'a Goal,
    pub layout: &'a GoalLayout,
    pub target: DQuat,
    pub rank: Rank,
}

impl Task for OrientationTask<'_> {
    const ROWS: usize = 3;

    #[inline]
    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let frame = frames[self.goal.effector.joint];
        let scale = scale(objective, self.rank, self.goal);
        add_turn(scale, frame.rotation, self.goal.accepted_rotation(self.target, frame), out);
    }

    #[inline]
    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let OrientationTask { goal, layout, .. } = *self;
        let rotation = frames[goal.effector.joint].rotation;
        let fixed = goal.freedom.axis().map(|axis| without_turns_about(rotation * axis));
        out.add_turn(&layout.path, scale(objective, self.rank, goal), fixed);
    }

    fn is_met(score: &Score, settings: &Settings) -> bool {
        score.angle <= settings.rotation_tolerance
    }
}

/// Adds the residual, times `scale`, of an effector with the orientation `now` that should have the orientation `target`.
#[inline]
pub(super) fn add_turn(scale: f64, now: DQuat, target: DQuat, out: &mut Residuals) {
    let error = (now * target.conjugate()).to_scaled_axis_short();
    out.score.angle = out.score.angle.max(error.length());
    out.push(error * scale);
}

pub(super) fn scale(objective: &Objective, rank: Rank, goal: &Goal) -> f64 {
    rank.scale(objective.is_firm) * REACHES_PER_RADIAN * goal.rotation_weight.sqrt()
}

/// Removes the part about an axis, of unit length, from angular velocities.
pub(super) fn without_turns_about(axis: DVec3) -> DMat3 {
    DMat3::IDENTITY - DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z)
}
