//! The tip of an effector at a point.
//!
//! - **Residual**, three rows: `sqrt(w) (p - t) / s`, with the tip `p`, the nearest accepted position `t`, the weight `w` of the
//!   goal and the size `s` of the effector. Without slack, `t` is the target.
//! - **Derivative**: `sqrt(w) / s P v`, with the velocity `v` of the tip per unit of a column. `P` projects onto the directions
//!   in which the position is fixed: the axes without slack, and those along which the slack is used up.
//! - **Rank**: that of the goal.
//! - **Met** if `|p - t| / s` is within the tolerance.

use crate::layout::GoalLayout;
use crate::model::{Goal, Isometry, Settings};
use crate::tasks::{Objective, Rank, Residuals, Rows, Score, Task};
use glam::{DMat3, DVec3};

/// The position of a goal.
pub(crate) struct PositionTask<'a> {
    pub goal: &'a Goal,
    pub layout: &'a GoalLayout,
    pub target: DVec3,
    pub rank: Rank,
}

impl Task for PositionTask<'_> {
    const ROWS: usize = 3;

    #[inline]
    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let PositionTask { goal, layout, target, rank } = *self;
        let tip = frames[goal.effector.joint].point(goal.effector.tip);
        let error = (tip - goal.accepted_position(target, tip)) / layout.size;
        out.score.position = out.score.position.max(error.length());
        out.note(rank, error.length());
        out.push(error * self.scale(objective));
    }

    #[inline]
    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let PositionTask { goal, layout, target, .. } = *self;
        let tip = frames[goal.effector.joint].point(goal.effector.tip);
        let path = &layout.path;
        out.add_point((path, tip), self.scale(objective) / layout.size, fixed_shifts(goal, target, tip));
    }

    fn is_met(score: &Score, settings: &Settings) -> bool {
        score.position <= settings.tolerance
    }
}

impl PositionTask<'_> {
    fn scale(&self, objective: &Objective) -> f64 {
        self.rank.scale(objective.is_firm) * self.goal.weight.sqrt()
    }
}

/// Projects velocities of the tip onto the directions in which the position is fixed; `None` if all are.
fn fixed_shifts(goal: &Goal, target: DVec3, tip: DVec3) -> Option<DMat3> {
    let slack = goal.freedom.slack;
    if slack == DVec3::ZERO {
        return None;
    }
    let axes = DMat3::from_quat(goal.slack_axes());
    let offset = axes.transpose() * (tip - target);
    let is_fixed = |at: usize| f64::from(u8::from(offset[at].abs() > slack[at] || slack[at] == 0.0));
    Some(axes * DMat3::from_diagonal(DVec3::new(is_fixed(0), is_fixed(1), is_fixed(2))) * axes.transpose())
}
