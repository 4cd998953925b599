//! A search that goes on from call to call: [`Settings::steps_per_call`].
//!
//! [`Settings::steps_per_call`]: crate::Settings::steps_per_call

use crate::model::canonical::hash;
use crate::model::pose::Coordinates;
use crate::random::Random;
use crate::search::policy::{TRACK, Way};
use crate::search::workspace::Workspace;
use crate::tasks::objective::{Objective, Score};
use crate::tree::refine::RefineLimits;
use crate::tree::scratch::Effort;
use std::num::NonZeroU32;

/// The search of a figure for another pose while it misses its goals. It belongs to the figure, and to the workspace during
/// a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scout {
    /// Where the present attempt is.
    pose: Vec<Coordinates>,
    /// The number of the present attempt.
    number: u32,
    /// Attempts since the goals moved. Where they are out of reach whatever the limits, calls count as such.
    attempts: u32,
    /// What the present attempt may still take; 0 if there is none.
    steps: u32,
    /// Whether all attempts have failed.
    has_failed: bool,
}

impl Scout {
    /// No search so far; `pose` has room for one.
    pub fn new(pose: Vec<Coordinates>) -> Self {
        Scout { pose, ..Scout::default() }
    }

    /// Goes on for goals that have moved.
    pub fn follow(&mut self) {
        (self.attempts, self.has_failed) = (0, false);
    }

    /// Ends the search: the goals are met.
    pub fn end(&mut self) {
        (self.number, self.attempts, self.steps, self.has_failed) = (0, 0, 0, false);
    }

    /// Whether the next call goes on with it.
    pub fn goes_on(&self) -> bool {
        self.attempts > 0 && !self.has_failed
    }
}

impl Workspace {
    /// The largest number of steps of this call, if the search is divided among calls.
    pub(super) fn steps_per_call(&self, objective: &Objective) -> Option<NonZeroU32> {
        objective.settings.steps_per_call.filter(|_| self.stage < self.scouts.len())
    }

    /// Goes on looking for a pose that meets the goals or comes far closer than `pose`, which misses them by `near`, for up to
    /// this number of steps. Once it is found, `pose` goes there. Returns the score of `pose`.
    pub(super) fn scout(
        &mut self,
        objective: &Objective,
        near: Score,
        steps: u32,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        let stage = self.stage;
        let mut scout = std::mem::take(&mut self.scouts[stage]);
        if scout.steps == 0 {
            self.begin_attempt(objective, near, pose, &mut scout, effort);
        }
        let goes_on = scout.steps > 0;
        let found = goes_on.then(|| self.go_on(objective, near, steps, &mut scout, effort)).flatten();
        if found.is_some() {
            pose.copy_from_slice(&scout.pose);
        }
        effort.cut_short = !scout.has_failed;
        self.scouts[stage] = scout;
        found.unwrap_or(near)
    }

    /// Begins the next attempt, unless all have failed.
    fn begin_attempt(
        &mut self,
        objective: &Objective,
        near: Score,
        pose: &[Coordinates],
        scout: &mut Scout,
        effort: &mut Effort,
    ) {
        scout.has_failed = scout.attempts >= objective.settings.max_attempts.get();
        scout.attempts = scout.attempts.saturating_add(1);
        if scout.has_failed || self.is_hopeless(objective) {
            return;
        }
        effort.attempts += 1;
        scout.number += 1;
        let number = scout.number;
        let Some((source, way)) = TRACK.attempt(number) else { return };
        let mut random = Random::new(TRACK.seed(objective) ^ hash([f64::from(number)].into_iter()));
        self.poses.near.clear();
        self.poses.near.extend_from_slice(pose);
        scout.pose.clear();
        scout.pose.extend_from_slice(pose);
        self.write_start(source, (&TRACK, number), objective, &near, &mut random, &mut scout.pose);
        if way == Way::Reach {
            let start = self.refiner.evaluation.evaluate(objective, &scout.pose);
            self.poses.attempt.copy_from_slice(&scout.pose);
            let _ = self.reach(objective, start, &mut scout.pose, effort);
        }
        scout.steps = RefineLimits::ATTEMPT.steps;
    }

    /// Goes on with the present attempt. Returns its score if its pose is the better one.
    fn go_on(
        &mut self,
        objective: &Objective,
        near: Score,
        steps: u32,
        scout: &mut Scout,
        effort: &mut Effort,
    ) -> Option<Score> {
        let limits = RefineLimits::ATTEMPT.at_most(steps.min(scout.steps));
        let refined = self.refiner.run(objective, limits, &mut scout.pose);
        effort.refine_steps += refined.steps;
        scout.steps = if refined.cut_short { scout.steps - limits.steps } else { 0 };
        if refined.score.reached(objective.settings) {
            return Some(refined.score);
        }
        if scout.steps > 0 {
            return None;
        }
        let score = self.give_way(objective, refined.score, &mut scout.pose, effort);
        (score.error() < TRACK.better_ratio * near.error()).then_some(score)
    }
}
