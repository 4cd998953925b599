//! A search that goes on from call to call: [`Settings::steps_per_call`].
//!
//! [`Settings::steps_per_call`]: crate::Settings::steps_per_call

use crate::model::{Coordinates, hash};
use crate::random::Random;
use crate::search::attempts::is_far_better;
use crate::search::policy::{TRACK, Way};
use crate::search::workspace::{Scout, Workspace};
use crate::tasks::{Objective, Score};
use crate::tree::refine::RefineLimits;
use std::num::NonZeroU32;

impl Workspace {
    /// The largest number of steps of this call, if the search is divided among calls.
    pub(super) fn steps_per_call(&self, objective: &Objective) -> Option<u32> {
        let steps = objective.settings.steps_per_call.filter(|_| self.stage < self.scouts.len());
        steps.map(NonZeroU32::get)
    }

    /// Goes on looking for a pose that meets the goals or comes far closer than `pose`, which misses them by `near`, for up to
    /// this number of steps. Once it is found, `pose` goes there. Returns the score of `pose`.
    pub(super) fn scout(&mut self, objective: &Objective, near: Score, steps: u32, pose: &mut [Coordinates]) -> Score {
        let stage = self.stage;
        let mut scout = std::mem::take(&mut self.scouts[stage]);
        if scout.steps == 0 {
            self.begin_attempt(objective, pose, &mut scout);
        }
        let mut found = None;
        if scout.steps > 0 {
            self.effort.attempts += 1;
            found = self.go_on(objective, near, steps, &mut scout);
        }
        if found.is_some() {
            pose.copy_from_slice(&scout.pose);
        }
        self.effort.cut_short = !scout.has_failed;
        self.scouts[stage] = scout;
        found.unwrap_or(near)
    }

    /// Begins the next attempt, unless all have failed.
    fn begin_attempt(&mut self, objective: &Objective, pose: &[Coordinates], scout: &mut Scout) {
        scout.has_failed = scout.attempts >= objective.settings.max_attempts.get();
        scout.attempts = scout.attempts.saturating_add(1);
        if scout.has_failed || self.is_hopeless(objective) {
            return;
        }
        scout.number += 1;
        let number = scout.number;
        let Some((source, way)) = TRACK.attempt(number) else { return };
        let mut random = Random::new(TRACK.seed(objective) ^ hash([f64::from(number)].into_iter()));
        pose.clone_into(&mut self.poses.near);
        pose.clone_into(&mut scout.pose);
        self.write_start(source, (&TRACK, number), objective, &mut random, &mut scout.pose);
        if way == Way::Reach {
            let start = self.refiner.evaluation.evaluate(objective, &scout.pose);
            self.poses.attempt.copy_from_slice(&scout.pose);
            let _ = self.reach(objective, start, &mut scout.pose);
        }
        scout.steps = RefineLimits::ATTEMPT.steps;
    }

    /// Goes on with the present attempt. Returns its score if its pose is the better one.
    fn go_on(&mut self, objective: &Objective, near: Score, steps: u32, scout: &mut Scout) -> Option<Score> {
        let limits = RefineLimits::ATTEMPT.at_most(steps.min(scout.steps));
        let refined = self.refiner.run(objective, limits, &mut scout.pose);
        scout.steps = if refined.cut_short { scout.steps - limits.steps } else { 0 };
        if refined.score.reached(objective.settings) {
            return Some(refined.score);
        }
        if scout.steps > 0 {
            return None;
        }
        let mut score = refined.score;
        if objective.has_ranks() || score.clearance < 0.0 {
            score = self.refiner.run(&objective.with_firm_constraints(), limits, &mut scout.pose).score;
        }
        is_far_better(&score, &near).then_some(score)
    }
}
