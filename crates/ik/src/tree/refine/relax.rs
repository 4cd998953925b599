//! Undoing turns that the goals do not need: of the poses that meet them, the one near `pose` with the least turning from
//! the start pose, weighted by stiffness.
//!
//! With the difference `d` from the start pose in joint coordinates, the step that minimizes `(dx + d)^T C^-1 (dx + d)`
//! subject to `J dx = -r` is `dx = -d + C J^T (J C J^T)^-1 (J d - r)`. Refinement corrects each step for the curvature
//! of the goals, and a step counts only if it lessens the turning.

use super::{RefineLimits, Refined, Refiner};
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
            let refined = self.step_back(objective, pose, &away, &mut relaxed);
            steps += refined.steps;
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

    /// Moves `pose`, which meets the goals, by a share of its way back to `home`, as far as they allow: the same step, with
    /// `share * d` for `d`. Free joints turn back and do not move back, since a body may have walked. Returns the number of
    /// refinement steps.
    pub fn return_home(
        &mut self,
        objective: &Objective,
        home: &[Coordinates],
        share: f64,
        pose: &mut [Coordinates],
    ) -> u32 {
        let mut relaxed = std::mem::take(&mut self.relaxed);
        let mut away = std::mem::take(&mut self.away);
        self.evaluation.evaluate(objective, pose);
        let before = self.turning_home(objective, home, pose, &mut away);
        away.iter_mut().for_each(|way| *way *= share);
        let refined = self.step_back(objective, pose, &away, &mut relaxed);
        let after = self.turning_home(objective, home, &relaxed, &mut away);
        if refined.score.reached(objective.settings) && after < before {
            pose.copy_from_slice(&relaxed);
        }
        (self.relaxed, self.away) = (relaxed, away);
        self.evaluation.evaluate(objective, pose);
        refined.steps
    }

    /// Writes to `relaxed` the step from `pose` that takes back as much of `away` as the goals allow, refined. The evaluation
    /// must hold the frames and the residuals of `pose`.
    fn step_back(
        &mut self,
        objective: &Objective,
        pose: &[Coordinates],
        away: &[f64],
        relaxed: &mut Vec<Coordinates>,
    ) -> Refined {
        self.begin_step(objective, pose, false);
        self.step.wish.extend(away.iter().map(|way| -way));
        self.take_step(objective, pose, DAMPING);
        self.step.wish.clear();
        relaxed.clone_from(&self.candidate);
        let refined = self.run(objective, RefineLimits::ATTEMPT, relaxed);
        Refined { steps: refined.steps + 1, ..refined }
    }

    /// [`Refiner::turning`], without the positions of free joints.
    fn turning_home(
        &self,
        objective: &Objective,
        home: &[Coordinates],
        pose: &[Coordinates],
        away: &mut Vec<f64>,
    ) -> f64 {
        self.turning(objective, home, pose, away);
        let is_free = |active: &&ActiveJoint| *objective.skeleton.kind(active.joint) == Kind::Free;
        for active in objective.layout.active_joints.iter().filter(is_free) {
            away[active.column..active.column + 3].fill(0.0);
        }
        weighted(away, objective)
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
        weighted(away, objective)
    }
}

/// The sum of the squared changes, divided by the compliances.
fn weighted(away: &[f64], objective: &Objective) -> f64 {
    away.iter().zip(&objective.layout.compliance).map(|(change, compliance)| change * change / compliance).sum()
}
