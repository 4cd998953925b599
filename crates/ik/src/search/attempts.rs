//! The loop of every search, and one attempt of it.

use crate::fabrik::observer::SolveEvent;
use crate::model::Coordinates;
use crate::random::Random;
use crate::search::policy::{CENTER_RATIO, LEAST_PROGRESS_RATIO, MAX_CYCLES, Policy, Source, TRACK, Way};
use crate::search::starts;
use crate::search::workspace::Workspace;
use crate::tasks::{Objective, Score};
use crate::tree::refine::RefineLimits;

/// What an attempt means for its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The search goes on.
    Passed,
    /// The search goes on, and this pose is the best one so far.
    Better,
    /// The search ends with the best pose so far.
    Enough,
    /// The search ends with this pose.
    Done,
}

impl Workspace {
    /// Makes the attempts of a row of the table, after those that `effort` counts already, until `judge` ends the search, by
    /// the score of each one and that of the best pose so far. `poses.best` holds that pose, at first with the score `best`. Leaves the best pose in `pose`; returns its score.
    pub(super) fn make_attempts(
        &mut self,
        policy: &Policy,
        objective: &Objective,
        mut best: Score,
        pose: &mut [Coordinates],
        mut judge: impl FnMut(&mut Self, &mut Score, &Score, &mut [Coordinates]) -> Verdict,
    ) -> Score {
        let settings = objective.settings;
        let mut random = Random::new(policy.seed(objective));
        let mut most = settings.max_attempts;
        if most > policy.hopeless_attempts && self.is_hopeless(objective) {
            most = policy.hopeless_attempts;
        }
        let mut epoch = best;
        while self.effort.attempts < most.get() && !settings.interrupt.ends_after(self.effort.attempts) {
            let number = self.effort.attempts;
            let Some((source, way)) = policy.attempt(number) else { break };
            self.write_start(source, (policy, number), objective, &mut random, pose);
            let mut score = self.attempt(objective, way, pose);
            self.effort.attempts += 1;
            if (source, way) == (Source::Start, Way::Refine) {
                pose.clone_into(&mut self.poses.near);
            }
            if number == 0 || source == Source::Anywhere || score.reached(settings) || score.cost < epoch.cost {
                epoch = score;
                self.poses.epoch.copy_from_slice(pose);
            }
            let verdict = judge(self, &mut score, &best, pose);
            if matches!(verdict, Verdict::Better | Verdict::Done) {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
            if matches!(verdict, Verdict::Enough | Verdict::Done) {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.best);
        best
    }

    /// The same for one solution: the first one ends the search.
    pub(super) fn seek(
        &mut self,
        policy: &Policy,
        objective: &Objective,
        best: Score,
        pose: &mut [Coordinates],
    ) -> Score {
        self.make_attempts(policy, objective, best, pose, |search, score, best, pose| {
            if !score.reached(objective.settings) && objective.has_ranks() {
                *score = search.refiner.run(&objective.with_firm_constraints(), RefineLimits::ATTEMPT, pose).score;
            }
            match score {
                _ if score.reached(objective.settings) => Verdict::Done,
                _ if score.is_as_firm_as(best) && score.error() < policy.better_ratio * best.error() => Verdict::Better,
                _ => Verdict::Passed,
            }
        })
    }

    /// Whether a target is out of reach whatever the limits, or an effector would be in an obstacle at its target.
    pub(super) fn is_hopeless(&self, objective: &Objective) -> bool {
        self.out_of_reach(objective).is_some() || objective.is_blocked_at_target(&self.refiner.evaluation.frames)
    }

    /// One attempt. Leaves its best pose in `pose`.
    fn attempt(&mut self, objective: &Objective, way: Way, pose: &mut [Coordinates]) -> Score {
        if self.effort.attempts > 0 {
            self.refiner.slide(objective, pose);
        }
        let mut best = self.refiner.evaluation.evaluate(objective, pose);
        self.poses.attempt.copy_from_slice(pose);
        if best.reached(objective.settings) {
            return best;
        }
        if way == Way::Reach {
            if self.effort.attempts > 0 {
                self.observe(objective, SolveEvent::Restart, pose);
            }
            best = self.reach(objective, best, pose);
            if best.reached(objective.settings) {
                return best;
            }
        }
        let limits = if way == Way::Refine { RefineLimits::ATTEMPT } else { RefineLimits::COLD };
        let refined = self.refiner.run(objective, limits, pose);
        if refined.score.reached(objective.settings) || refined.score.cost < best.cost {
            return refined.score;
        }
        pose.copy_from_slice(&self.poses.attempt);
        best
    }

    /// Reaching cycles, and unless they meet the goals, a move toward the center of the limits. Returns the score of the best
    /// pose of the cycles.
    pub(super) fn reach(&mut self, objective: &Objective, start: Score, pose: &mut [Coordinates]) -> Score {
        let best = self.make_cycles(objective, start, pose);
        // From the center, more steps lead to a better pose than there is time for.
        if !best.reached(objective.settings) && !objective.settings.interrupt.is_requested() {
            starts::center(objective, CENTER_RATIO, pose);
        }
        best
    }

    /// Reaching cycles from `pose`, which has the score `best`, while each one halves the error. Leaves their best pose in
    /// `pose` and in `poses.attempt`.
    fn make_cycles(&mut self, objective: &Objective, mut best: Score, pose: &mut [Coordinates]) -> Score {
        let mut before = best.error();
        let (most, least_progress) =
            if objective.is_too_large() { (u32::MAX, LEAST_PROGRESS_RATIO) } else { (MAX_CYCLES, 0.5) };
        for _ in 0..most.min(objective.settings.max_iterations.get()) {
            let score = self.cycle(objective, pose);
            self.effort.iterations += 1;
            let reached = score.reached(objective.settings);
            if reached || score.cost < best.cost {
                best = score;
                self.poses.attempt.copy_from_slice(pose);
            }
            if reached || score.error() > least_progress * before || objective.settings.interrupt.is_requested() {
                break;
            }
            before = score.error();
        }
        pose.copy_from_slice(&self.poses.attempt);
        best
    }
}

/// Whether a pose is so much better than the one next to that of the last frame that joints may jump there. One that
/// overlaps more never is: a pose in an obstacle is always nearer to a target there. Nor is one that misses firm goals.
pub(super) fn is_far_better(score: &Score, near: &Score) -> bool {
    let holds = score.clearance >= near.clearance.min(0.0) && score.is_as_firm_as(near);
    holds && score.error() < TRACK.better_ratio * near.error()
}
