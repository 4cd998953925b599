//! Undoing turns that the goals do not need: of the poses that meet them, the one near `pose` with the least turning from
//! the start pose, weighted by stiffness.
//!
//! With the difference `d` from the start pose in joint coordinates, the step that minimizes `(dx + d)^T C^-1 (dx + d)`
//! subject to `J dx = -r` is `dx = -d + C J^T (J C J^T)^-1 (J d - r)`. Refinement corrects each step for the curvature
//! of the goals, and a step counts only if it lessens the turning.

use super::{RefineLimits, Refiner};
use crate::model::joint::Kind;
use crate::model::limits::wrap;
use crate::model::pose::Coordinates;
use crate::model::transform::ShortLog;
use crate::tree::layout::ActiveJoint;
use crate::tree::objective::Objective;
use glam::{DQuat, DVec3};

/// Largest number of steps.
const MAX_STEPS: u32 = 24;
/// A step that leaves more than this ratio of the turning is the last one.
const SLOW_RATIO: f64 = 0.995;
/// Damping of the steps: less than the refiner's, since the goals are met.
const DAMPING: f64 = 1e-6;

impl Refiner {
    /// Moves `pose`, which meets the goals, as near to `start` as they allow. Returns the number of refinement steps.
    pub fn relax(&mut self, objective: &Objective, start: &[Coordinates], pose: &mut [Coordinates]) -> u32 {
        let mut relaxed = std::mem::take(&mut self.relaxed);
        let mut away = std::mem::take(&mut self.away);
        let mut steps = 0;
        self.evaluation.evaluate(objective, pose);
        let mut turning = self.turning(objective, start, pose, &mut away);
        for _ in 0..MAX_STEPS {
            self.jacobian.fill(objective, pose, &self.evaluation);
            self.reset_basis(objective);
            self.pin_all_limited(objective, pose, false);
            self.homing.clone_from(&away);
            self.take_step(objective, pose, DAMPING);
            self.homing.clear();
            relaxed.clone_from(&self.candidate);
            let refined = self.run(objective, RefineLimits::ATTEMPT, &mut relaxed);
            steps += 1 + refined.steps;
            let after = self.turning(objective, start, &relaxed, &mut away);
            if !refined.score.reached(objective.settings) || after >= turning {
                break;
            }
            pose.copy_from_slice(&relaxed);
            if after > SLOW_RATIO * turning {
                break;
            }
            turning = after;
        }
        (self.relaxed, self.away) = (relaxed, away);
        self.evaluation.evaluate(objective, pose);
        steps
    }

    /// The sum of the squared changes from `start` to `pose`, divided by the compliances.
    pub fn turning_between(&mut self, objective: &Objective, start: &[Coordinates], pose: &[Coordinates]) -> f64 {
        let mut away = std::mem::take(&mut self.away);
        objective.update_frames(pose, &mut self.evaluation.frames);
        let turning = self.turning(objective, start, pose, &mut away);
        self.away = away;
        turning
    }

    /// The same. Writes the change of each column to `away`. The evaluation must hold the frames of `pose`.
    fn turning(&self, objective: &Objective, start: &[Coordinates], pose: &[Coordinates], away: &mut Vec<f64>) -> f64 {
        away.clear();
        away.resize(objective.layout.columns, 0.0);
        for &ActiveJoint { joint, column } in &objective.layout.active_joints {
            let (from, to) = (&start[joint], &pose[joint]);
            let world = |vector: DVec3| {
                let rest = objective.skeleton.rest_frame_in(joint, objective.problem.base, &self.evaluation.frames);
                (rest.rotation * vector).to_array()
            };
            let turn = |from: DQuat, to: DQuat| world((to * from.conjugate()).to_scaled_axis_short());
            match objective.skeleton.kind(joint) {
                Kind::Fixed => {}
                Kind::Hinge { range: None, .. } => away[column] = wrap(to.value() - from.value()),
                Kind::Hinge { .. } => away[column] = to.value() - from.value(),
                Kind::Slide { .. } => away[column] = (to.value() - from.value()) / objective.layout.length,
                Kind::Ball { swing: None, twist: None } => {
                    away[column..column + 3].copy_from_slice(&turn(from.ball_rotation(), to.ball_rotation()));
                }
                Kind::Ball { .. } => {
                    let tilt = [0, 1].map(|axis| to.tilt()[axis] - from.tilt()[axis]);
                    away[column..column + 2].copy_from_slice(&tilt);
                    away[column + 2] = wrap(to.twist() - from.twist());
                }
                Kind::Free => {
                    let shift = (to.free_position() - from.free_position()) / objective.layout.length;
                    away[column..column + 3].copy_from_slice(&world(shift));
                    away[column + 3..column + 6].copy_from_slice(&turn(from.free_rotation(), to.free_rotation()));
                }
            }
        }
        away.iter().zip(&objective.layout.compliance).map(|(change, compliance)| change * change / compliance).sum()
    }
}
