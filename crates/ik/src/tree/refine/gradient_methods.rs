//! The paper's rivals that use a Jacobian, on skeletons: transpose, damped least squares, and the same by singular values.
//! Their steps are those of [`crate::methods`] on the residuals of everything that is asked; coordinates that would
//! leave their limits are clamped, no more.

use super::{LONGEST_STEP, Refiner};
use crate::linear::{add_square, eigen, solve_positive};
use crate::methods::jacobian::DAMPING;
use crate::model::pose::Coordinates;
use crate::model::settings::Method;
use crate::tree::objective::{Score, Task};

/// What is left to a goal counts no more than this many links of its own at a time, as in
/// [`clamped_error`](crate::methods::jacobian::clamped_error).
const LINKS_A_STEP: f64 = 0.5;

impl Refiner {
    /// One iteration of a Jacobian method from `pose`, whose frames and residuals are in the evaluation.
    pub fn iterate(&mut self, task: &Task, method: Method, pose: &mut [Coordinates]) -> Score {
        self.jacobian.fill(task, pose, &self.evaluation);
        self.basis.clear();
        self.basis.resize(task.layout.movers.len(), [1.0, 0.0]);
        self.held.clear();
        self.held.resize(task.layout.columns, None);
        self.pull(task);
        match method {
            Method::JacobianTranspose => self.transpose(),
            Method::SvdDls => self.damp_weak(),
            _ => self.damp(),
        }
        self.step.clear();
        for k in 0..task.layout.columns {
            self.step.push(self.jacobian.column(k).iter().zip(&self.dual).map(|(value, force)| value * force).sum());
        }
        let longest = self.step.iter().fold(LONGEST_STEP, |longest: f64, part| longest.max(part.abs()));
        self.step.iter_mut().for_each(|part| *part *= LONGEST_STEP / longest);
        self.candidate.copy_from_slice(pose);
        for (at, &mover) in task.layout.movers.iter().enumerate() {
            self.advance(task, at, mover);
        }
        task.skeleton.follow(&mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.evaluation.read(task, pose)
    }

    /// Into `dual` the way that is left, cut to what a Jacobian is true for, and into `normal` the lower half of `J J^T`.
    fn pull(&mut self, task: &Task) {
        let links = task.layout.goals.iter().map(|goal| goal.path.steps.len()).max().unwrap_or(1).max(1);
        let most = LINKS_A_STEP / links as f64;
        self.dual.clear();
        self.dual.extend(self.evaluation.rows.iter().map(|row| -row));
        for residual in self.dual.chunks_mut(3) {
            let length = residual.iter().map(|part| part * part).sum::<f64>().sqrt();
            residual.iter_mut().for_each(|part| *part *= most / length.max(most));
        }
        let m = self.jacobian.rows;
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for k in 0..task.layout.columns {
            add_square(&mut self.normal, self.jacobian.column(k));
        }
    }

    /// Down the gradient, as far as leaves the least error where all is linear; see `compare/transpose.rs`.
    fn transpose(&mut self) {
        self.mirror();
        let m = self.jacobian.rows;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let gain: Vec<f64> = self.normal.chunks(m.max(1)).map(|row| dot(row, &self.dual)).collect();
        let squared = dot(&gain, &gain);
        let step = if squared > 0.0 { (dot(&self.dual, &gain) / squared).min(1.0 / (DAMPING * DAMPING)) } else { 0.0 };
        self.dual.iter_mut().for_each(|part| *part *= step);
    }

    /// `(J J^T + l^2 I)^-1`; see `compare/dls.rs`.
    fn damp(&mut self) {
        let m = self.jacobian.rows;
        self.normal.iter_mut().step_by(m + 1).for_each(|entry| *entry += DAMPING * DAMPING);
        if !solve_positive(&mut self.normal, &mut self.dual) {
            self.dual.fill(0.0);
        }
    }

    /// The inverse of `J J^T`, damped in weak directions only; see `compare/svd_dls.rs`.
    fn damp_weak(&mut self) {
        self.mirror();
        let m = self.jacobian.rows;
        let mut vectors = vec![0.0; m * m];
        eigen(&mut self.normal, &mut vectors, m);
        let mut force = vec![0.0; m];
        for i in 0..m {
            let vector = || vectors[i..].iter().step_by(m);
            let strength = self.normal[i * m + i].max(0.0);
            let along: f64 = vector().zip(&self.dual).map(|(x, y)| x * y).sum();
            let share = along / strength.max(DAMPING * DAMPING);
            force.iter_mut().zip(vector()).for_each(|(force, part)| *force += share * part);
        }
        self.dual = force;
    }

    /// Fills the upper half of `normal`.
    fn mirror(&mut self) {
        let m = self.jacobian.rows;
        for i in 0..m {
            for j in 0..i {
                self.normal[j * m + i] = self.normal[i * m + j];
            }
        }
    }
}
