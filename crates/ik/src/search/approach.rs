//! What searches do with stiff joints: walks toward far targets, and the way back home.

use super::policy::{Balance, HOME_WAY, WALK_RATIO};
use super::walk::{Stride, Walk, Walked};
use super::workspace::Workspace;
use crate::maths;
use crate::model::{Coordinates, Orientation, Problem};
use crate::tasks::{Objective, Score};
use crate::tree::refine::RefineLimits;

impl Workspace {
    /// Moves `pose` along the ways of the targets, up to the last step, with steps to balance after each one. Without stiff
    /// joints, it stays. The evaluation must hold the frames of `pose`.
    pub(super) fn walk(
        &mut self,
        objective: &Objective,
        stride: Stride,
        balance: Balance,
        pose: &mut [Coordinates],
    ) -> Walked {
        if !objective.layout.has_stiffness || self.out_of_reach(objective).is_some() {
            return Walked::default();
        }
        if self.refiner.evaluation.score(objective).reached(objective.settings) {
            return Walked::default();
        }
        let mut walk = std::mem::take(&mut self.walk);
        walk.begin(objective, &self.refiner.evaluation.frames);
        let length = walk.length(objective);
        let steps = Walk::steps(length, stride);
        let mut walked = Walked { stride: length / f64::from(steps), ..Walked::default() };
        let most = self.work_per_call(objective).map_or(u32::MAX, |most| most.saturating_mul(WALK_RATIO));
        let before = self.refiner.work();
        for step in 1..steps {
            walk.take_step(objective, f64::from(step) / f64::from(steps));
            let way = Objective { problem: &walk.problem, ..*objective };
            let score = self.approach(&way, pose);
            walked.is_blocked = !score.reached(objective.settings);
            if walked.is_blocked && objective.has_ranks() {
                // Firm goals gave way in this step.
                pose.copy_from_slice(&self.poses.start);
            }
            if walked.is_blocked || objective.settings.interrupt.is_requested() {
                break;
            }
            let _ = self.straighten_up(&way, walked.stride, balance, score, pose);
            walked.is_cut_short = self.refiner.work().wrapping_sub(before) >= most;
            if walked.is_cut_short {
                break;
            }
        }
        self.walk = walk;
        walked
    }

    /// Takes `pose`, if it meets its targets, which have moved by `way`, a part of the way back to `home`, and then steps after
    /// which bodies keep their balance. A figure thus stands up again while a hand comes up from the ground, in
    /// few steps as in many, and keeps still while its targets rest.
    pub(super) fn straighten_up(
        &mut self,
        objective: &Objective,
        way: f64,
        balance: Balance,
        mut score: Score,
        pose: &mut [Coordinates],
    ) -> Score {
        let Problem { home, centers_of_mass, .. } = objective.problem;
        if !home.is_empty() && way > 0.0 && score.reached(objective.settings) {
            self.refiner.return_home(objective, home, 1.0 - maths::exp(-way / HOME_WAY), pose);
            score = self.refiner.evaluation.score(objective);
        }
        if !centers_of_mass.is_empty() {
            score = self.balance(objective, balance.most, balance.motion(way), score, pose);
        }
        score
    }

    /// Takes steps after which bodies keep their balance. Goals that are missed stay as near as they are: what they would still
    /// gain must not decide how a body stands.
    fn balance(
        &mut self,
        objective: &Objective,
        most: u32,
        motion: f64,
        score: Score,
        pose: &mut [Coordinates],
    ) -> Score {
        if score.reached(objective.settings) {
            self.step_to_balance(objective, most, motion, pose);
            return self.refiner.evaluation.score(objective);
        }
        self.with_missed_goals_held(objective, pose, |search, held, pose| {
            search.step_to_balance(held, most, motion, pose);
        })
    }

    /// Calls `work` with the objective whose goals are where their effectors are in `pose`. Preferred goals stay. Returns the score of
    /// the pose that it leaves.
    pub(crate) fn with_missed_goals_held<R>(
        &mut self,
        objective: &Objective,
        pose: &mut [Coordinates],
        work: impl FnOnce(&mut Self, &Objective, &mut [Coordinates]) -> R,
    ) -> Score {
        let mut problem = std::mem::take(&mut self.walk.problem);
        problem.clone_from(objective.problem);
        let frames = &mut self.refiner.evaluation.frames;
        objective.update_frames(pose, frames);
        for goal in problem.goals.iter_mut().filter(|goal| goal.is_active()) {
            let frame = frames[goal.effector.joint];
            goal.target.position = goal.requested_position().map(|_| frame.point(goal.effector.tip));
            goal.target.orientation = goal.requested_orientation().map(|_| Orientation::Rotation(frame.rotation));
        }
        work(self, &Objective { problem: &problem, ..*objective }, pose);
        self.walk.problem = problem;
        self.refiner.evaluation.evaluate(objective, pose)
    }

    /// Takes steps to balance, and where little comes of them as many with straight limbs that stay straight: the trunk then leans.
    /// What hangs on a goal is no counterweight: a forearm does not fold because its elbow is dragged.
    fn step_to_balance(&mut self, objective: &Objective, most: u32, motion: f64, pose: &mut [Coordinates]) {
        self.refiner.held.extend_from_slice(&objective.layout.hanging);
        if !self.refiner.balance(objective, most, motion, pose) && self.refiner.hold_straight(objective, pose) {
            self.refiner.balance(objective, most, motion, pose);
        }
        self.refiner.held.clear();
    }

    /// Refines `pose`.
    pub(super) fn approach(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        self.poses.reset(pose);
        let limits = if objective.layout.has_stiffness { RefineLimits::ATTEMPT } else { RefineLimits::FOLLOW };
        self.effort.begun = self.refiner.work();
        let limits = limits.at_most(self.work_left(objective).unwrap_or(u32::MAX));
        self.refiner.by_chords = objective.layout.has_stiffness;
        let near = self.refiner.run(objective, limits, pose);
        self.refiner.by_chords = false;
        near.score
    }

    /// With stiff joints: takes `pose`, which meets the goals and was found from another start, as near to the start pose
    /// as they allow.
    pub(super) fn relax(&mut self, objective: &Objective, score: Score, pose: &mut [Coordinates]) -> Score {
        if !objective.layout.has_stiffness || self.effort.attempts == 1 {
            return score;
        }
        self.refiner.relax(objective, &self.poses.start, pose);
        self.refiner.evaluation.score(objective)
    }
}
