//! A search that goes on from call to call: [`Settings::steps_per_call`].
//!
//! [`Settings::steps_per_call`]: crate::Settings::steps_per_call

use crate::model::{Coordinates, hash};
use crate::random::Random;
use crate::search::attempts::is_far_better;
use crate::search::policy::{TRACK, Way};
use crate::search::workspace::{Scout, Workspace};
use crate::tasks::{Objective, Score};
use crate::tree::refine::{Progress, RefineLimits};
use std::num::NonZeroU32;

impl Workspace {
    /// What each part of this call may [work](crate::tree::refine::Refiner::work), if the search is divided among calls: where it
    /// follows the targets, and where it looks elsewhere.
    pub(super) fn work_per_call(&self, objective: &Objective) -> Option<u32> {
        let steps = objective.settings.steps_per_call.filter(|_| self.stage < self.scouts.len());
        steps.map(NonZeroU32::get)
    }

    /// What the present part may still work. A refinement takes a step all the same, so that calls that follow each other arrive.
    pub(super) fn work_left(&self, objective: &Objective) -> Option<u32> {
        let done = self.refiner.work().wrapping_sub(self.effort.begun);
        self.work_per_call(objective).map(|most| most.saturating_sub(done))
    }

    /// Goes on looking for a pose that meets the goals or comes far closer than `pose`, which misses them by `near`, as far
    /// as one call may. Once it is found, `pose` goes there. Returns the score of `pose`.
    pub(super) fn scout(&mut self, objective: &Objective, near: Score, pose: &mut [Coordinates]) -> Score {
        let stage = self.stage;
        self.effort.begun = self.refiner.work();
        let mut scout = std::mem::take(&mut self.scouts[stage]);
        if scout.progress.is_none() {
            self.begin_attempt(objective, pose, &mut scout);
        }
        let mut found = None;
        if let Some(progress) = scout.progress.take() {
            self.effort.attempts += 1;
            found = self.go_on(objective, near, progress, &mut scout);
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
        scout.progress = Some(Progress::default());
    }

    /// Goes on with the present attempt. Returns its score if its pose is the better one.
    fn go_on(
        &mut self,
        objective: &Objective,
        near: Score,
        mut progress: Progress,
        scout: &mut Scout,
    ) -> Option<Score> {
        let within = |search: &Self| RefineLimits::ATTEMPT.at_most(search.work_left(objective).unwrap_or(u32::MAX));
        let limits = within(self);
        let refined = self.refiner.go_on(objective, limits, &mut progress, &mut scout.pose);
        if refined.score.reached(objective.settings) {
            return Some(refined.score);
        }
        if refined.cut_short && progress.steps < limits.steps {
            scout.progress = Some(progress);
            return None;
        }
        let mut score = refined.score;
        if objective.has_ranks() || score.clearance < 0.0 {
            let limits = within(self);
            score = self.refiner.run(&objective.with_firm_constraints(), limits, &mut scout.pose).score;
        }
        is_far_better(&score, &near).then_some(score)
    }
}
