//! What each verb does before and after its attempts.

use crate::layout::Layout;
use crate::model::mix::pose_distance;
use crate::model::pose::{Coordinates, Pose};
use crate::model::settings::Settings;
use crate::search::attempts::{Verdict, is_far_better};
use crate::search::policy::{
    ALL, ANYWHERE, DIFFERENT, FAR_FROM_BEST_RATIO, FEW_ATTEMPTS, KEEP_NEAR_RATIO, MANY_ATTEMPTS, MAX_BALANCE_STEPS,
    NEAR_MOVE, NEAREST, SOLVE, SOLVE_FAR, SOLVE_LARGE, TRACK, Verb, WARM_ERROR,
};
use crate::search::scout::Scout;
use crate::search::workspace::Workspace;
use crate::tasks::objective::{Objective, Score};
use crate::tree::refine::RefineLimits;
use crate::tree::scratch::Effort;
use std::num::NonZeroU32;

impl Workspace {
    /// Moves `pose` as near to the goals as possible: the columns of the table.
    pub(crate) fn search(
        &mut self,
        verb: Verb,
        objective: &Objective,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        match verb {
            Verb::Solve => self.search_free(objective, pose, effort),
            Verb::Track => self.track(objective, pose, effort),
            Verb::Nearest => self.search_nearest(objective, pose, effort),
            Verb::Settle => self.settle_best(objective, pose, effort),
        }
    }

    fn search_free(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        let walked = self.walk(objective, pose, effort);
        let start = self.begin_at(objective, pose);
        self.poses.near.clear();
        let policy = match start.error() < WARM_ERROR || objective.layout.has_stiffness {
            _ if objective.is_too_large() => &SOLVE_LARGE,
            true => &SOLVE,
            false => &SOLVE_FAR,
        };
        // The first attempt is always better than none.
        let none = Score { cost: f64::INFINITY, ..start };
        let mut best = self.seek(policy, objective, none, pose, effort);
        if let Some(score) = self.try_closed_form(objective, best, pose, effort) {
            best = score;
        }
        if !best.reached(objective.settings) {
            return self.settle(objective, pose, effort);
        }
        let score = self.relax(objective, best, pose, effort);
        let score = self.return_home(objective, walked.stride, score, pose, effort);
        self.balance(objective, MAX_BALANCE_STEPS, score, pose, effort)
    }

    fn track(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        effort.attempts = 1;
        let walked = self.walk(objective, pose, effort);
        let mut score = match walked.is_blocked {
            true => self.begin_at(objective, pose),
            false => self.approach(objective, pose, effort),
        };
        if !score.reached(objective.settings) {
            score = match self.steps_per_call(objective) {
                Some(steps) => self.track_miss_by_steps(objective, score, steps.get(), pose, effort),
                None => self.track_miss(objective, score, pose, effort),
            };
        }
        if score.reached(objective.settings) {
            let stage = self.stage;
            self.scouts.get_mut(stage).map(Scout::end);
        }
        let score = self.return_home(objective, walked.stride, score, pose, effort);
        self.balance(objective, 1, score, pose, effort)
    }

    /// For goals that `pose`, refined from the answer of the last frame, does not meet: refines on, and looks for a pose
    /// that meets them or comes far closer.
    fn track_miss(
        &mut self,
        objective: &Objective,
        score: Score,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        if has_given_way(objective, &score) {
            pose.copy_from_slice(&self.poses.start);
        }
        let limits = if objective.layout.has_stiffness { RefineLimits::TRACK } else { RefineLimits::SETTLE };
        let near = self.refiner.run(&objective.with_firm_constraints(), limits, pose);
        effort.refine_steps += near.steps;
        effort.cut_short = near.cut_short;
        if near.score.reached(objective.settings) || self.refiner.has_bound() {
            return near.score;
        }
        self.poses.near.clear();
        self.poses.near.extend_from_slice(pose);
        self.poses.best.copy_from_slice(pose);
        let best = self.seek(&TRACK, objective, near.score, pose, effort);
        if let Some(score) = self.try_closed_form(objective, best, pose, effort) {
            return score;
        }
        if best.reached(objective.settings) {
            return self.relax(objective, best, pose, effort);
        }
        if best.clearance >= 0.0 {
            return best;
        }
        let parted = self.part_capsules(objective, best, RefineLimits::SETTLE, pose, effort);
        if is_far_better(&parted, &near.score) {
            return parted;
        }
        pose.copy_from_slice(&self.poses.near);
        near.score
    }

    /// The same, a little in each call.
    fn track_miss_by_steps(
        &mut self,
        objective: &Objective,
        mut score: Score,
        steps: u32,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        if has_given_way(objective, &score) {
            pose.copy_from_slice(&self.poses.start);
            let limits = RefineLimits::TRACK.at_most(steps);
            let near = self.refiner.run(&objective.with_firm_constraints(), limits, pose);
            effort.refine_steps += near.steps;
            score = near.score;
        }
        if score.reached(objective.settings) || self.refiner.has_bound() {
            return score;
        }
        if let Some(score) = self.try_closed_form(objective, score, pose, effort) {
            return score;
        }
        let best = self.scout(objective, score, steps, pose, effort);
        if best.reached(objective.settings) { self.relax(objective, best, pose, effort) } else { best }
    }

    fn search_nearest(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        if self.seek_nearest(objective, pose, effort) {
            return self.refiner.evaluation.evaluate(objective, pose);
        }
        pose.copy_from_slice(&self.poses.start);
        *effort = Effort::default();
        self.search_free(objective, pose, effort)
    }

    /// Moves `pose` to the solution whose largest joint move is least, of all that are found. Returns false if there is none.
    pub(super) fn seek_nearest(
        &mut self,
        objective: &Objective,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> bool {
        let start = self.begin_at(objective, pose);
        if let Some(solutions) = self.closed_form(objective) {
            let Some((_, nearest)) = solutions.into_iter().next() else { return false };
            effort.attempts = 1;
            pose.copy_from_slice(&nearest);
            return true;
        }
        let mut least = f64::INFINITY;
        let none = Score { cost: f64::INFINITY, ..start };
        let best = self.make_attempts(&NEAREST, objective, none, pose, effort, |search, made, pose, effort| {
            let mut verdict = Verdict::Passed;
            if made.score.reached(objective.settings) {
                objective.skeleton.turn_near(&search.poses.start, pose);
                let (moved, steps) = search.refiner.draw_near(objective, &search.poses.start, pose);
                effort.refine_steps += steps;
                if moved < least {
                    (least, verdict) = (moved, Verdict::Better);
                }
            }
            let enough = if least < NEAR_MOVE { FEW_ATTEMPTS } else { MANY_ATTEMPTS };
            match verdict {
                _ if least.is_infinite() || effort.attempts < enough => verdict,
                Verdict::Better => Verdict::Done,
                _ => Verdict::Enough,
            }
        });
        best.reached(objective.settings)
    }

    /// Moves `pose` to any solution. Returns false if none is found.
    pub(super) fn seek_anywhere(
        &mut self,
        objective: &Objective,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> bool {
        let start = self.begin_at(objective, pose);
        let none = Score { cost: f64::INFINITY, ..start };
        self.seek(&ANYWHERE, objective, none, pose, effort).reached(objective.settings)
    }

    /// Up to `most` solutions that differ, in the order in which they are found; `pose` is the start, and `loops` a layout
    /// without goals. Those of a closed form are all that there are.
    pub(crate) fn search_all(
        &mut self,
        objective: &Objective,
        loops: Option<&Layout>,
        most: usize,
        pose: &mut [Coordinates],
    ) -> Vec<Pose> {
        self.refiner.begin(objective, pose);
        let start = self.begin_at(objective, pose);
        if let Some(exact) = self.closed_form(objective) {
            return exact.into_iter().map(|(_, pose)| pose).collect();
        }
        let Objective { skeleton, layout, settings, .. } = *objective;
        let joints: Vec<usize> = layout.active_joints.iter().map(|active| active.joint).collect();
        let each = u32::try_from(most).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX);
        let settings = Settings { max_attempts: settings.max_attempts.saturating_mul(each), ..*settings };
        let objective = &Objective { settings: &settings, ..*objective };
        let mut found: Vec<Pose> = Vec::new();
        let none = Score { cost: f64::INFINITY, ..start };
        let origin = pose.to_vec();
        let mut effort = Effort::default();
        self.make_attempts(&ALL, objective, none, pose, &mut effort, |search, made, pose, effort| {
            if !made.score.reached(objective.settings)
                || !search.finish(Verb::Solve, objective, loops, made.score, pose, effort).reached(objective.settings)
            {
                return Verdict::Passed;
            }
            skeleton.turn_near(&origin, pose);
            let differs = |other: &Pose| pose_distance(skeleton, &joints, other, pose, layout.length) > DIFFERENT;
            if found.iter().all(differs) {
                found.push(pose.to_vec());
            }
            if found.len() >= most { Verdict::Enough } else { Verdict::Passed }
        });
        found
    }

    /// Makes `pose` the start of the attempts to come.
    fn begin_at(&mut self, objective: &Objective, pose: &[Coordinates]) -> Score {
        self.poses.reset(pose);
        self.refiner.evaluation.evaluate(objective, pose)
    }

    /// For goals that cannot be met, with the best pose of another search: refines the start pose as an attempt would, and
    /// settles.
    pub(crate) fn settle_best(
        &mut self,
        objective: &Objective,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        self.poses.start.clear();
        self.poses.start.extend_from_slice(pose);
        let near = self.refiner.run(objective, RefineLimits::ATTEMPT, pose);
        (effort.attempts, effort.refine_steps) = (1, near.steps);
        if near.score.reached(objective.settings) {
            return near.score;
        }
        self.poses.near.clear();
        let best = self.refiner.evaluation.evaluate(objective, &self.poses.best);
        if near.score.error() < FAR_FROM_BEST_RATIO * best.error() {
            self.poses.near.extend_from_slice(pose);
        }
        pose.copy_from_slice(&self.poses.best);
        self.settle(objective, pose, effort)
    }

    /// For goals that cannot be met: refines the best pose until it settles. If the pose next to the start is hardly
    /// worse, it is the answer, so that a target dragged out of reach does not make the pose jump.
    fn settle(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        if objective.has_ranks() {
            // Firm goals gave way in all attempts, so that none has stayed next to the start.
            self.poses.near.clone_from(&self.poses.start);
        }
        let objective = &objective.with_firm_constraints();
        let best = self.refiner.run(objective, RefineLimits::SETTLE, pose);
        effort.refine_steps += best.steps;
        effort.cut_short = best.cut_short;
        if best.score.reached(objective.settings) || self.poses.near.len() != pose.len() {
            return best.score;
        }
        let near = self.refiner.run(objective, RefineLimits::SETTLE, &mut self.poses.near);
        effort.refine_steps += near.steps;
        if near.score.error() > (1.0 + KEEP_NEAR_RATIO) * best.score.error() {
            return best.score;
        }
        effort.cut_short = near.cut_short;
        pose.copy_from_slice(&self.poses.near);
        near.score
    }
}

/// Whether a pose that misses its goals with `score` may have moved loops, firm goals or capsules on its way: refinement would
/// not restore them where they were.
fn has_given_way(objective: &Objective, score: &Score) -> bool {
    !objective.layout.loops.is_empty() || objective.has_ranks() || score.clearance < 0.0
}
