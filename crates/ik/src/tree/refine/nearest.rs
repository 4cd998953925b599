//! The solution next to a start pose in the sense of the largest joint move.
//!
//! The descent minimizes the sum of high powers of the moves by weighted least squares: a joint that moves more than the
//! others gets a smaller compliance.
//!
//! Source: C. L. Lawson, *Contributions to the theory of linear least maximum approximation*, 1961 (iteratively reweighted
//! least squares).

use crate::layout::ActiveJoint;
use crate::linear::largest_of;
use crate::model::{Coordinates, Kind};
use crate::tasks::posture::Posture;
use crate::tasks::{Objective, Score};
use crate::tree::refine::{RefineLimits, Refiner};

/// Most steps of a descent.
const MAX_STEPS: u32 = 30;
/// Weights are this power of the moves.
const WEIGHT_POWER: i32 = 6;
/// Smallest weight, so that the equations stay solvable.
const SMALLEST_WEIGHT: f64 = 1e-3;
/// First share of a step. Full steps would overshoot, because the weights change on the way.
const FIRST_SHARE: f64 = 0.5;
/// Smallest share of a step that is tried.
const SMALLEST_SHARE: f64 = 0.05;
/// A step that leaves more than this ratio of the largest move is the last one.
const SLOW_RATIO: f64 = 0.999;

impl Refiner {
    /// Moves `pose`, which meets the goals, toward `start` while they go on being met. Returns the largest move that is left:
    /// radians, or fractions of the layout's length.
    pub fn draw_near(&mut self, objective: &Objective, start: &[Coordinates], pose: &mut [Coordinates]) -> f64 {
        let posture = Posture { pose: start, with_positions: true };
        self.evaluation.evaluate(objective, pose);
        posture.turning(objective, &self.evaluation.frames, pose, &mut self.away);
        let (mut largest, mut before) = (largest_of(&self.away), f64::INFINITY);
        let (mut share, mut rounds) = (2.0 * FIRST_SHARE, 0);
        let is_redundant = self.is_redundant(objective);
        let goes_on = |largest: f64| largest > 0.0 && !objective.settings.interrupt.is_requested();
        while is_redundant && goes_on(largest) && largest <= SLOW_RATIO * before && rounds < MAX_STEPS {
            before = largest;
            rounds += 1;
            share = FIRST_SHARE.min(2.0 * share);
            while share >= SMALLEST_SHARE && largest == before {
                self.weigh(largest);
                let refined = self.step_back(objective, pose, share);
                posture.turning(objective, &self.evaluation.frames, &self.relaxed, &mut self.away);
                let moved = largest_of(&self.away);
                if refined.score.reached(objective.settings) && moved < largest {
                    largest = moved;
                    pose.copy_from_slice(&self.relaxed);
                } else {
                    share *= 0.5;
                    self.evaluation.evaluate(objective, pose);
                    posture.turning(objective, &self.evaluation.frames, pose, &mut self.away);
                }
            }
        }
        largest
    }

    /// Moves `pose` onto goals that have moved a little. What they leave free moves toward the middle of the ranges by the
    /// fraction `centering` of the distance.
    pub fn follow(&mut self, objective: &Objective, centering: f64, pose: &mut [Coordinates]) -> Score {
        self.evaluation.evaluate(objective, pose);
        if centering > 0.0 && self.is_redundant(objective) {
            from_middle(objective, pose, &mut self.away);
            let refined = self.step_back(objective, pose, centering);
            if refined.score.reached(objective.settings) {
                pose.copy_from_slice(&self.relaxed);
                return refined.score;
            }
        }
        self.run(objective, RefineLimits::ATTEMPT, pose).score
    }

    /// Whether goals leave something free. The evaluation must hold the residuals.
    fn is_redundant(&self, objective: &Objective) -> bool {
        let is_exact = objective.problem.goals.iter().filter(|goal| goal.is_active()).all(|goal| goal.is_exact());
        !is_exact || objective.layout.columns > self.evaluation.residuals.len()
    }

    /// Sets the compliances of the next step: the larger the move of a column, the smaller.
    fn weigh(&mut self, largest: f64) {
        let weight = |own: &f64| (own / largest).abs().powi(WEIGHT_POWER).max(SMALLEST_WEIGHT);
        self.compliance.clear();
        self.compliance.extend(self.away.iter().map(|own| weight(own).recip()));
    }
}

/// Writes to `away` how far hinges and slides of `pose` are from the middle of their ranges.
fn from_middle(objective: &Objective, pose: &[Coordinates], away: &mut Vec<f64>) {
    away.clear();
    away.resize(objective.layout.columns, 0.0);
    for &ActiveJoint { joint, column } in &objective.layout.active_joints {
        away[column] = match objective.skeleton.kind(joint) {
            Kind::Hinge { range: Some(range), .. } => pose[joint].value() - range.middle(),
            Kind::Slide { range: Some(range), .. } => (pose[joint].value() - range.middle()) / objective.layout.length,
            _ => 0.0,
        };
    }
}
