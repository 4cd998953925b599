//! The Jacobian methods of the comparison on skeletons: transpose, damped least squares, and damped least squares by
//! singular values. Their steps are those of [`crate::methods`] on all residuals of the objective. Coordinates that
//! would leave their limits are only clamped.

use super::limits::StartPose;
use crate::methods::SkeletonForce;
use crate::model::pose::Coordinates;
use crate::tasks::evaluation::Evaluation;
use crate::tasks::objective::{Objective, Score};
use crate::tree::refine::{MAX_STEP, Refiner};

/// Largest residual of a goal that one step takes into account, in links of its own chain, as in
/// [`clamped_error`](crate::methods::jacobian::clamped_error).
const MAX_LINKS_PER_STEP: f64 = 0.5;

impl Refiner {
    /// One iteration of a Jacobian method from `pose`, whose frames and residuals are in the evaluation. Clamps at
    /// limits.
    pub fn iterate(&mut self, objective: &Objective, force: SkeletonForce, pose: &mut [Coordinates]) -> Score {
        let Evaluation { frames, residuals, .. } = &self.evaluation;
        self.derivatives.fill(objective, pose, &self.evaluation, &mut self.step.jacobian);
        self.limits.begin(objective, &mut self.step);
        let errors = residuals.iter().map(|row| -row);
        let clamped_force = |normal: &mut [f64], errors: &mut [f64]| {
            clamp(objective, errors);
            force(normal, errors);
        };
        self.step.take_force(errors, clamped_force, MAX_STEP);
        let start = StartPose { objective, pose, frames, residuals };
        self.limits.advance(&start, &mut self.step, &mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.evaluation.evaluate(objective, pose)
    }
}

/// Clamps the errors to where the Jacobian is a good approximation.
fn clamp(objective: &Objective, errors: &mut [f64]) {
    let links = objective.layout.goals.iter().map(|goal| goal.path.joints.len()).max().unwrap_or(1).max(1);
    let most = MAX_LINKS_PER_STEP / links as f64;
    for error in errors.chunks_mut(3) {
        let length = error.iter().map(|part| part * part).sum::<f64>().sqrt();
        error.iter_mut().for_each(|part| *part *= most / length.max(most));
    }
}
