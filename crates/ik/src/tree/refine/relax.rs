//! Undoing turns that the goals do not need: of the poses that meet them, the one near `pose` with the least turning from
//! the start pose, weighted by stiffness.
//!
//! With the difference `d` from the start pose in joint coordinates, the step that minimizes `(dx + d)^T C^-1 (dx + d)`
//! subject to `J dx = -r` is `dx = -d + C J^T (J C J^T)^-1 (J d - r)`. Refinement corrects each step for the curvature
//! of the goals, and a step counts only if it lessens the turning.

use crate::layout::elbow::Elbow;
use crate::model::{Coordinates, mix_joint, pose_distance};
use crate::tasks::Objective;
use crate::tasks::posture::Posture;
use crate::tree::refine::{RefineLimits, Refined, Refiner};

/// Largest number of steps.
const MAX_STEPS: u32 = 24;
/// A step that leaves more than this ratio of the turning, or of an imbalance, is the last one.
const SLOW_RATIO: f64 = 0.995;
/// Steps to balance that leave more than this ratio of the imbalance are in vain. With 1, straight legs fall over in
/// `the_trunk_is_a_counterweight`.
const CLEAR_RATIO: f64 = 0.9;
/// A center of mass nearer to its support than this is above it, as a fraction of the layout's length.
const BALANCED: f64 = 1e-5;
/// Ratio of the length of a step to balance to that of one that failed before. Without shorter steps,
/// `balance_costs_no_target_and_changes_only_what_would_fall` fails for a recorded person.
const SHORTER: f64 = 0.25;
/// Largest motion of a joint in one frame while tracking, radians.
pub const MAX_MOTION_PER_FRAME: f64 = 0.08;
/// Steps to balance that may go no farther than this, radians, are over.
const STILL: f64 = 1e-3;
/// Damping of the steps: less than the refiner's, since the goals are met.
const DAMPING: f64 = 1e-6;

impl Refiner {
    /// Moves `pose`, which meets the goals, as near to `start` as they allow.
    pub fn relax(&mut self, objective: &Objective, start: &[Coordinates], pose: &mut [Coordinates]) {
        self.keep_to(objective, Posture { pose: start, with_positions: true }, 1.0, MAX_STEPS, pose);
    }

    /// Moves `pose`, which meets the goals, by a share of its way back to `home`, as far as they allow: the same step, with
    /// `share * d` for `d`. Free joints turn back and do not move back, since a body may have walked.
    pub fn return_home(&mut self, objective: &Objective, home: &[Coordinates], share: f64, pose: &mut [Coordinates]) {
        self.keep_to(objective, Posture { pose: home, with_positions: false }, share, 1, pose);
    }

    /// Takes steps from `pose` toward a posture, each by a share of the way.
    fn keep_to(&mut self, objective: &Objective, posture: Posture, share: f64, most: u32, pose: &mut [Coordinates]) {
        self.evaluation.evaluate(objective, pose);
        let mut turning = posture.turning(objective, &self.evaluation.frames, pose, &mut self.away);
        for _ in 0..most {
            let refined = self.step_back(objective, pose, share);
            let after = posture.turning(objective, &self.evaluation.frames, &self.relaxed, &mut self.away);
            if !refined.score.reached(objective.settings) || after >= turning {
                break;
            }
            pose.copy_from_slice(&self.relaxed);
            if after > SLOW_RATIO * turning {
                break;
            }
            turning = after;
        }
        self.evaluation.evaluate(objective, pose);
    }

    /// Moves `pose`, which meets the goals, so far that centers of mass are above what bodies stand on, as far as the goals
    /// allow: `most` steps of least turning that meet goals and balance at once, each refined for the goals alone. A step
    /// counts only if it lessens the imbalance, and goes no farther than one frame may show; after one that does not count, a
    /// shorter one is tried. Returns whether the bodies are in balance, or clearly nearer to it.
    pub fn balance(&mut self, objective: &Objective, most: u32, mut motion: f64, pose: &mut [Coordinates]) -> bool {
        let balanced = &objective.with_balance();
        let before = self.evaluation.evaluate(balanced, pose).imbalance;
        let mut imbalance = before;
        for _ in 0..most {
            if imbalance < BALANCED || motion < STILL || objective.settings.interrupt.is_requested() {
                break;
            }
            self.begin_step(balanced, pose, false);
            self.take_step(balanced, pose, DAMPING);
            shorten(objective, pose, motion, &mut self.candidate);
            let refined = self.refine_step(objective, RefineLimits::ATTEMPT);
            let after = self.evaluation.evaluate(balanced, &self.relaxed).imbalance;
            if !refined.score.reached(objective.settings) || after > SLOW_RATIO * imbalance {
                motion *= SHORTER;
                self.evaluation.evaluate(balanced, pose);
                continue;
            }
            pose.copy_from_slice(&self.relaxed);
            imbalance = after;
        }
        imbalance < BALANCED.max(CLEAR_RATIO * before)
    }

    /// Holds elbows where they are straight in `pose`. Returns whether there are any.
    pub fn hold_straight(&mut self, objective: &Objective, pose: &[Coordinates]) -> bool {
        let is_straight = |elbow: &&Elbow| elbow.is_straight(objective.skeleton, pose);
        let before = self.held.len();
        self.held.extend(objective.layout.elbows.iter().filter(is_straight).map(|elbow| elbow.column));
        self.held.len() > before
    }

    /// Writes to `relaxed` the step from `pose` that takes back as much of this share of `away` as the goals allow, refined.
    /// The evaluation must hold the frames and the residuals of `pose`.
    pub(super) fn step_back(&mut self, objective: &Objective, pose: &[Coordinates], share: f64) -> Refined {
        self.begin_step(objective, pose, false);
        self.step.reference.extend(self.away.iter().map(|way| -(way * share)));
        self.take_step(objective, pose, DAMPING);
        self.step.reference.clear();
        self.compliance.clear();
        self.refine_step(objective, RefineLimits::ATTEMPT)
    }

    /// Writes the last step to `relaxed`, refined.
    pub(super) fn refine_step(&mut self, objective: &Objective, limits: RefineLimits) -> Refined {
        let mut relaxed = std::mem::take(&mut self.relaxed);
        relaxed.clone_from(&self.candidate);
        self.steps += 1;
        let refined = self.run(objective, limits, &mut relaxed);
        self.relaxed = relaxed;
        refined
    }

    /// The [turning](crate::tasks::posture) from `start` to `pose`.
    pub fn turning_between(&mut self, objective: &Objective, start: &[Coordinates], pose: &[Coordinates]) -> f64 {
        objective.update_frames(pose, &mut self.evaluation.frames);
        let kept = Posture { pose: start, with_positions: true };
        kept.turning(objective, &self.evaluation.frames, pose, &mut self.away)
    }
}

/// Shortens the way from the pose `from` to `pose`, so that no joint moves by more than `most`, radians.
pub fn shorten(objective: &Objective, from: &[Coordinates], most: f64, pose: &mut [Coordinates]) {
    let (skeleton, layout) = (objective.skeleton, objective.layout);
    let motion = pose_distance(skeleton, &layout.order, from, pose, layout.length);
    if motion > most {
        for active in &layout.active_joints {
            let (kind, joint) = (skeleton.kind(active.joint), active.joint);
            pose[joint] = mix_joint(kind, &from[joint], &pose[joint], most / motion);
        }
        skeleton.follow(pose);
    }
}
