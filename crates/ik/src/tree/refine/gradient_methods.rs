//! The paper's rivals that use a Jacobian, on skeletons: transpose, damped least squares, and the same by singular values.
//! Their steps are those of [`crate::methods`] on the residuals of everything that is asked; coordinates that would
//! leave their limits are clamped, no more.

use super::{LONGEST_STEP, Polish};
use crate::linear::add_square;
use crate::methods::SkeletonForce;
use crate::model::pose::Coordinates;
use crate::tree::objective::{Score, Task};

/// What is left to a goal counts no more than this many links of its own at a time, as in
/// [`clamped_error`](crate::methods::jacobian::clamped_error).
const LINKS_A_STEP: f64 = 0.5;

impl Polish {
    /// One iteration of a Jacobian method from `pose`, whose frames and residuals are in the reading.
    pub fn iterate(&mut self, task: &Task, force: SkeletonForce, pose: &mut [Coordinates]) -> Score {
        self.jacobian.fill(task, pose, &self.reading);
        self.basis.clear();
        self.basis.resize(task.plan.movers.len(), [1.0, 0.0]);
        self.held.clear();
        self.held.resize(task.plan.columns, None);
        self.pull(task);
        force(&mut self.normal, &mut self.dual);
        self.step.clear();
        for k in 0..task.plan.columns {
            self.step.push(self.jacobian.column(k).iter().zip(&self.dual).map(|(value, force)| value * force).sum());
        }
        let longest = self.step.iter().fold(LONGEST_STEP, |longest: f64, part| longest.max(part.abs()));
        self.step.iter_mut().for_each(|part| *part *= LONGEST_STEP / longest);
        self.candidate.copy_from_slice(pose);
        for (at, &mover) in task.plan.movers.iter().enumerate() {
            self.advance(task, at, mover);
        }
        task.skeleton.follow(&mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.reading.read(task, pose)
    }

    /// Into `dual` the way that is left, cut to what a Jacobian is true for, and into `normal` the lower half of `J J^T`.
    fn pull(&mut self, task: &Task) {
        let links = task.plan.goals.iter().map(|goal| goal.path.steps.len()).max().unwrap_or(1).max(1);
        let most = LINKS_A_STEP / links as f64;
        self.dual.clear();
        self.dual.extend(self.reading.rows.iter().map(|row| -row));
        for residual in self.dual.chunks_mut(3) {
            let length = residual.iter().map(|part| part * part).sum::<f64>().sqrt();
            residual.iter_mut().for_each(|part| *part *= most / length.max(most));
        }
        let m = self.jacobian.rows;
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for k in 0..task.plan.columns {
            add_square(&mut self.normal, self.jacobian.column(k));
        }
    }
}
