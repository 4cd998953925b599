//! The Jacobian methods of the comparison on skeletons: transpose, damped least squares, and damped least squares by
//! singular values. Their steps are those of [`crate::methods`] on all residuals of the objective. Coordinates that
//! would leave their limits are only clamped.

use super::{MAX_STEP, Refiner};
use crate::linear::add_square;
use crate::methods::SkeletonForce;
use crate::model::pose::Coordinates;
use crate::tree::objective::{Objective, Score};

/// Largest residual of a goal that one step takes into account, in links of its own chain, as in
/// [`clamped_error`](crate::methods::jacobian::clamped_error).
const MAX_LINKS_PER_STEP: f64 = 0.5;

impl Refiner {
    /// One iteration of a Jacobian method from `pose`, whose frames and residuals are in the evaluation. Clamps at
    /// limits.
    pub fn iterate(&mut self, objective: &Objective, force: SkeletonForce, pose: &mut [Coordinates]) -> Score {
        self.jacobian.fill(objective, pose, &self.evaluation);
        self.reset_basis(objective);
        self.pinned.clear();
        self.pinned.resize(objective.layout.columns, None);
        self.set_up_normal_matrix(objective);
        force(&mut self.normal, &mut self.dual);
        self.step.clear();
        for k in 0..objective.layout.columns {
            self.step.push(self.jacobian.column(k).iter().zip(&self.dual).map(|(value, force)| value * force).sum());
        }
        let longest = self.step.iter().fold(MAX_STEP, |longest: f64, part| longest.max(part.abs()));
        self.step.iter_mut().for_each(|part| *part *= MAX_STEP / longest);
        self.candidate.copy_from_slice(pose);
        for (at, &active) in objective.layout.active_joints.iter().enumerate() {
            self.advance(objective, at, active);
        }
        objective.skeleton.follow(&mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.evaluation.evaluate(objective, pose)
    }

    /// Sets `dual` to the residuals, clamped to where the Jacobian is a good approximation, and the lower triangle of
    /// `normal` to `J J^T`.
    fn set_up_normal_matrix(&mut self, objective: &Objective) {
        let links = objective.layout.goals.iter().map(|goal| goal.path.joints.len()).max().unwrap_or(1).max(1);
        let most = MAX_LINKS_PER_STEP / links as f64;
        self.dual.clear();
        self.dual.extend(self.evaluation.residuals.iter().map(|row| -row));
        for residual in self.dual.chunks_mut(3) {
            let length = residual.iter().map(|part| part * part).sum::<f64>().sqrt();
            residual.iter_mut().for_each(|part| *part *= most / length.max(most));
        }
        let m = self.jacobian.rows;
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for k in 0..objective.layout.columns {
            add_square(&mut self.normal, self.jacobian.column(k), 1.0);
        }
    }
}
