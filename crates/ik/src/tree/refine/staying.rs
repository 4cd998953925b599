//! Moves that stay next to where they begin: what [`Settings::may_jump`] excludes.
//!
//! Of all short moves of an effector, those of a stretched limb turn its joints farthest. A limb of two equal links, together of
//! length `l`, whose end comes nearer by `d`, turns its middle joint by `a` with `1 - cos(a / 2) = d / l`, so by about `sqrt(8 d / l)`.
//! A limb may be half of an effector's size, as a leg is of a body. Joints that go farther than that for what their effectors move
//! take the way to another branch of solutions.
//!
//! [`Settings::may_jump`]: crate::Settings::may_jump

use super::{MAX_MOTION_PER_FRAME, Refiner, shorten};
use crate::model::{Coordinates, pose_distance};
use crate::tasks::{Objective, Score};

/// The square of the turn of such a joint, for a move of the effector by its size.
const OF_STRETCHED_LIMB: f64 = 16.0;

impl Refiner {
    /// Shortens the move from `start` to `pose` to what the moves of the effectors explain. Where that leads away from the goals, as
    /// halfway to another branch does, `pose` goes back to `start`. Returns the score if the pose has changed.
    pub fn stay_near(
        &mut self,
        objective: &Objective,
        start: &[Coordinates],
        pose: &mut [Coordinates],
    ) -> Option<Score> {
        let moved = pose_distance(objective.skeleton, &objective.layout.order, start, pose, objective.layout.length);
        if moved <= MAX_MOTION_PER_FRAME {
            return None;
        }
        let before = self.trial.evaluate(objective, start);
        self.evaluation.evaluate(objective, pose);
        let changes = self.trial.residuals.iter().zip(&self.evaluation.residuals);
        let change = changes.map(|(before, now)| (now - before).abs()).fold(0.0, f64::max);
        let most = (OF_STRETCHED_LIMB * change).sqrt().max(MAX_MOTION_PER_FRAME);
        if moved <= most {
            return None;
        }
        shorten(objective, start, most, pose);
        let score = self.evaluation.evaluate(objective, pose);
        let is_clear = score.clearance >= before.clearance.min(0.0);
        if score.error() < before.error() && score.is_as_firm_as(&before) && is_clear {
            return Some(score);
        }
        pose.copy_from_slice(start);
        Some(self.evaluation.evaluate(objective, pose))
    }
}
