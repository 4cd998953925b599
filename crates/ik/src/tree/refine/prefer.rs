//! What is preferred, as far as the goals leave freedom: goals of that rank, a posture, and the balance of bodies.
//!
//! Steps minimize the sum of the squares of everything. Goals weigh so much more in it that they give way by less than one step
//! without preferences mends. What is preferred thus moves in the null space of the goals, with the limits, the damping and the
//! clamping of all other steps.

use super::{LEAST_DAMPING, MAX_MOTION_PER_FRAME, RefineLimits, Refiner, shorten};
use crate::linear::largest_of;
use crate::model::Coordinates;
use crate::tasks::{Objective, Score};

/// A step that moves no coordinate farther has converged: radians, or fractions of the layout's length.
const STILL: f64 = 1e-6;
/// Most steps to where everything is met best.
const MOST_STEPS: u32 = 100;
/// With more damping, a step would be too short to matter.
const MOST_DAMPING: f64 = 1e-3;

impl Refiner {
    /// Moves `pose`, which meets the goals, to where what is preferred is met best. Goals are met again after each step, and a step
    /// counts only if they are, and if less is missed.
    pub fn prefer(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        let preferring = &objective.with_preferences();
        let (mut missed, mut damping) = (self.missed_preferences(objective, pose), LEAST_DAMPING);
        for _ in 0..MOST_STEPS {
            self.begin_step(preferring, pose, false);
            self.take_step(preferring, pose, damping);
            let is_still = largest_of(&self.step.values) < STILL;
            if is_still || damping > MOST_DAMPING || objective.settings.interrupt.is_requested() {
                break;
            }
            let refined = self.refine_step(objective, RefineLimits::FOLLOW);
            let relaxed = std::mem::take(&mut self.relaxed);
            let after = self.missed_preferences(objective, &relaxed);
            self.relaxed = relaxed;
            if refined.score.reached(objective.settings) && after < missed {
                damping = LEAST_DAMPING.max(0.1 * damping);
                pose.copy_from_slice(&self.relaxed);
                missed = after;
            } else {
                damping *= 10.0;
                self.missed_preferences(objective, pose);
            }
        }
        self.evaluation.evaluate(objective, pose)
    }

    /// One step for the goals and what is preferred, no farther than one frame may show. Goals have to be met after it.
    pub fn prefer_a_little(&mut self, objective: &Objective, pose: &mut [Coordinates]) {
        let preferring = &objective.with_preferences();
        self.evaluation.evaluate(preferring, pose);
        self.begin_step(preferring, pose, false);
        self.take_step(preferring, pose, LEAST_DAMPING);
        self.take_step(preferring, pose, LEAST_DAMPING + self.force_on_goals(preferring));
        shorten(objective, pose, MAX_MOTION_PER_FRAME, &mut self.candidate);
        pose.copy_from_slice(&self.candidate);
        self.steps += 1;
    }

    /// How strongly preferences pull at goals: the length of the multipliers of the goals, which are what the last step leaves of their
    /// residuals. Second derivatives of the residuals are at most about 1, so that with this damping no step goes so far that curved
    /// goals give back more than it gains.
    fn force_on_goals(&self, preferring: &Objective) -> f64 {
        let rows = self.evaluation.residuals.len() - preferring.preferred_rows();
        let left = |row: usize| {
            let columns = self.step.values.iter().enumerate();
            let moved: f64 = columns.map(|(k, value)| self.step.jacobian.column(k)[row] * value).sum();
            self.evaluation.residuals[row] + moved
        };
        (0..rows).map(|row| left(row).powi(2)).sum::<f64>().sqrt()
    }

    /// The cost of what is preferred alone. Leaves the evaluation of all goals.
    fn missed_preferences(&mut self, objective: &Objective, pose: &[Coordinates]) -> f64 {
        let preferring = &objective.with_preferences();
        let goals = self.evaluation.evaluate(objective, pose).cost;
        self.evaluation.score(preferring).cost + self.evaluation.find_posture(preferring, pose) - goals
    }
}
