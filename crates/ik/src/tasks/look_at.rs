//! An axis of an effector toward a point, as that of a camera.
//!
//! - **Residual**, three rows: that of an [orientation](crate::tasks::orientation) whose axis has the direction of the line of sight
//!   `d`, from the tip to the point.
//! - **Derivative**: `0.3 sqrt(w) (P u + d x v / |d|^2)`, with the angular velocity `u` of the effector and the velocity `v` of
//!   its tip per unit of a column: the line of sight turns as the tip moves. `P` removes the turn about the axis.
//! - **Rank**: that of the goal.
//! - **Met** if the angle is within the tolerance.

use crate::layout::GoalLayout;
use crate::model::problem::Goal;
use crate::model::settings::Settings;
use crate::model::transform::Isometry;
use crate::tasks::objective::{Objective, Rank, Score};
use crate::tasks::orientation::{OrientationTask, add_turn, scale, without_turns_about};
use crate::tasks::task::Rows;
use crate::tasks::task::{Residuals, Task};
use glam::{DMat3, DVec3};

/// The point that a goal looks at.
pub(crate) struct LookAtTask<'a> {
    pub goal: &'a Goal,
    pub layout: &'a GoalLayout,
    pub point: DVec3,
    pub rank: Rank,
}

impl Task for LookAtTask<'_> {
    const ROWS: usize = 3;

    #[inline]
    fn residual(&self, objective: &Objective, frames: &[Isometry], out: &mut Residuals) {
        let frame = frames[self.goal.effector.joint];
        let scale = scale(objective, self.rank, self.goal);
        add_turn(scale, frame.rotation, self.goal.turned_toward(self.point, frame), out);
    }

    #[inline]
    fn derivative(&self, objective: &Objective, frames: &[Isometry], out: &mut Rows) {
        let LookAtTask { goal, layout, point, rank } = *self;
        let frame = frames[goal.effector.joint];
        let tip = frame.point(goal.effector.tip);
        let fixed = without_turns_about(frame.rotation * goal.sight_axis());
        let scale = scale(objective, rank, goal);
        out.add_turn(&layout.path, scale, Some(fixed));
        out.add_point((&layout.path, tip), scale, Some(turns_by_shifts(point - tip)));
    }

    fn is_met(score: &Score, settings: &Settings) -> bool {
        OrientationTask::is_met(score, settings)
    }
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
