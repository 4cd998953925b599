//! What each verb does before and after its attempts.

use crate::layout::Layout;
use crate::model::{Coordinates, Pose, Settings, pose_distance};
use crate::search::attempts::{Verdict, is_far_better};
use crate::search::closed_form::has_six_hinges;
use crate::search::policy::{
    ALL, ANYWHERE, Balance, DIFFERENT, FEW_ATTEMPTS, KEEP_NEAR_RATIO, MANY_ATTEMPTS, NEAR_MOVE, NEAREST, Policy, SOLVE,
    SOLVE_FAR, SOLVE_LARGE, TRACK, Verb, WARM_ERROR,
};
use crate::search::walk::Stride;
use crate::search::workspace::{Effort, Scout, Workspace};
use crate::tasks::{Objective, Score};
use crate::tree::refine::RefineLimits;
use std::num::NonZeroU32;

impl Workspace {
    /// Moves `pose` as near to the goals as possible: the columns of the table.
    pub(crate) fn search(&mut self, verb: Verb, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        match verb {
            Verb::Solve => self.search_free(objective, pose),
            Verb::Track => self.track(objective, pose),
            Verb::Nearest => self.search_nearest(objective, pose),
            Verb::Settle => self.settle_best(objective, pose),
        }
    }

    fn search_free(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        let walked = self.walk(objective, Stride::JUMP, Balance::JUMP, pose);
        let start = self.begin_at(objective, pose);
        let best = self.seek_first(objective, start, pose);
        let score = match best.reached(objective.settings) {
            true => self.relax(objective, best, pose),
            false => self.settle(objective, pose),
        };
        self.straighten_up(objective, walked.stride, Balance::JUMP, score, pose)
    }

    /// The attempts for the first solution, from a pose with the score `start`. Leaves the best pose in `pose`.
    fn seek_first(&mut self, objective: &Objective, start: Score, pose: &mut [Coordinates]) -> Score {
        self.poses.near.clear();
        let policy = match start.error() < WARM_ERROR || objective.layout.has_stiffness {
            _ if objective.is_too_large() => &SOLVE_LARGE,
            true => &SOLVE,
            false => &SOLVE_FAR,
        };
        match has_six_hinges(objective) {
            true => self.seek_on_arm(policy, objective, pose),
            false => self.seek(policy, objective, Score::NONE, pose),
        }
    }

    /// The same for a figure that may have a closed form: that is asked before random starts. Where it has no solution, few of them
    /// remain, for poses that the tolerances accept.
    fn seek_on_arm(&mut self, policy: &Policy, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        let best = self.seek(&Policy { then: &[], ..*policy }, objective, Score::NONE, pose);
        if best.reached(objective.settings) {
            return best;
        }
        let mut settings = *objective.settings;
        if let Some(posed) = self.six_axis_arm(objective) {
            let may_be_there = !settings.interrupt.is_requested() && self.out_of_reach(objective).is_none();
            if may_be_there && let Some(score) = self.try_solutions(&posed, objective, pose) {
                return score;
            }
            settings.max_attempts = settings.max_attempts.min(policy.hopeless_attempts);
        }
        self.seek(policy, &Objective { settings: &settings, ..*objective }, best, pose)
    }

    fn track(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        self.effort.attempts = 1;
        let walked = self.walk(objective, Stride::FOLLOW, Balance::WAY, pose);
        if walked.is_cut_short {
            self.effort.cut_short = true;
            return self.begin_at(objective, pose);
        }
        let mut score = match walked.is_blocked {
            true => self.begin_at(objective, pose),
            false => self.approach(objective, pose),
        };
        if !score.reached(objective.settings) {
            score = self.track_miss(objective, score, pose);
        }
        // Stiff joints have followed the targets in small steps.
        if !(objective.settings.may_jump || self.refiner.has_bound() || objective.layout.has_stiffness) {
            score = self.refiner.stay_near(objective, &self.poses.start, pose).unwrap_or(score);
        }
        if score.reached(objective.settings) {
            let stage = self.stage;
            self.scouts.get_mut(stage).map(Scout::end);
        }
        self.straighten_up(objective, walked.stride, Balance::END, score, pose)
    }

    /// For goals that `pose`, refined from the answer of the last frame, misses with `score`: refines on, and looks for a pose
    /// that meets them or comes far closer; with `steps_per_call`, a little in each call.
    fn track_miss(&mut self, objective: &Objective, mut score: Score, pose: &mut [Coordinates]) -> Score {
        let (work, stays) = (self.work_left(objective), !objective.settings.may_jump);
        // The pose may have moved loops, firm goals or capsules on its way: refinement would not restore them where they were.
        let has_given_way = !objective.layout.loops.is_empty() || objective.has_ranks() || score.clearance < 0.0;
        if has_given_way {
            pose.copy_from_slice(&self.poses.start);
        }
        if has_given_way || work.is_none() {
            let limits = match work {
                Some(most) => RefineLimits::TRACK.at_most(most),
                None if objective.layout.has_stiffness || stays => RefineLimits::TRACK,
                None => RefineLimits::SETTLE,
            };
            let near = self.refiner.run(&objective.with_firm_constraints(), limits, pose);
            (score, self.effort.cut_short) = (near.score, near.cut_short);
        }
        if score.reached(objective.settings) || self.refiner.has_bound() || stays {
            return score;
        }
        if let Some(score) = self.try_closed_form(objective, score, pose) {
            return score;
        }
        let best = match work {
            Some(_) => self.scout(objective, score, pose),
            None => self.seek_elsewhere(objective, score, pose),
        };
        if best.reached(objective.settings) { self.relax(objective, best, pose) } else { best }
    }

    /// Looks for a pose that meets the goals or comes far closer than `pose`, which misses them by `near`. Once it is found,
    /// `pose` goes there. Returns the score of `pose`.
    fn seek_elsewhere(&mut self, objective: &Objective, near: Score, pose: &mut [Coordinates]) -> Score {
        pose.clone_into(&mut self.poses.near);
        self.poses.best.copy_from_slice(pose);
        let best = self.seek(&TRACK, objective, near, pose);
        if best.clearance >= 0.0 {
            return best;
        }
        let parted = self.refiner.run(&objective.with_firm_constraints(), RefineLimits::SETTLE, pose).score;
        if is_far_better(&parted, &near) {
            return parted;
        }
        pose.copy_from_slice(&self.poses.near);
        near
    }

    /// The first solution is one of those of which the nearest is the answer. Where there is none, this is `Solve`.
    fn search_nearest(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        let found = self.known_nearest(objective, pose).unwrap_or_else(|| {
            let start = self.refiner.evaluation.evaluate(objective, pose);
            let first = self.seek_first(objective, start, pose);
            first.reached(objective.settings) && self.draw_nearest(objective, first, pose)
        });
        if found {
            return self.refiner.evaluation.evaluate(objective, pose);
        }
        pose.copy_from_slice(&self.poses.start);
        (self.effort, self.refiner.steps) = (Effort::default(), 0);
        self.search_free(objective, pose)
    }

    /// Moves `pose` to the solution whose largest joint move is least, of all that are found. Returns false if there is none.
    pub(super) fn seek_nearest(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> bool {
        self.known_nearest(objective, pose).unwrap_or_else(|| self.draw_nearest(objective, Score::NONE, pose))
    }

    /// Moves `pose` to the nearest solution, if it is one itself or a closed form has them all. Returns whether there is one,
    /// or `None` if only attempts can tell.
    fn known_nearest(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Option<bool> {
        self.effort.attempts = 0;
        if self.begin_at(objective, pose).reached(objective.settings) {
            return Some(true);
        }
        let nearest = self.closed_form(objective)?.into_iter().next();
        let found = nearest.map(|(_, nearest)| pose.copy_from_slice(&nearest)).is_some();
        self.effort.attempts = found.into();
        Some(found)
    }

    /// Moves `pose`, a solution unless its score `first` is none, to the nearest one of it and of those that attempts find.
    /// Returns whether there is one.
    fn draw_nearest(&mut self, objective: &Objective, first: Score, pose: &mut [Coordinates]) -> bool {
        let mut least = f64::INFINITY;
        if first.reached(objective.settings) {
            objective.skeleton.turn_near(&self.poses.start, pose);
            least = self.refiner.draw_near(objective, &self.poses.start, pose);
            if objective.settings.interrupt.is_requested() {
                return true;
            }
            self.poses.best.copy_from_slice(pose);
        }
        let attempts = std::mem::take(&mut self.effort.attempts);
        let best = self.make_attempts(&NEAREST, objective, first, pose, |search, score, _, pose| {
            let mut verdict = Verdict::Passed;
            if score.reached(objective.settings) {
                objective.skeleton.turn_near(&search.poses.start, pose);
                let moved = search.refiner.draw_near(objective, &search.poses.start, pose);
                if moved < least {
                    (least, verdict) = (moved, Verdict::Better);
                }
            }
            let enough = if least < NEAR_MOVE { FEW_ATTEMPTS } else { MANY_ATTEMPTS };
            match verdict {
                _ if least.is_infinite() || search.effort.attempts < enough => verdict,
                Verdict::Better => Verdict::Done,
                _ => Verdict::Enough,
            }
        });
        self.effort.attempts += attempts;
        best.reached(objective.settings)
    }

    /// Moves `pose` to any solution. Returns false if none is found.
    pub(super) fn seek_anywhere(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> bool {
        self.begin_at(objective, pose);
        self.effort.attempts = 0;
        self.seek(&ANYWHERE, objective, Score::NONE, pose).reached(objective.settings)
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
        self.begin_at(objective, pose);
        if let Some(exact) = self.closed_form(objective) {
            return exact.into_iter().map(|(_, pose)| pose).collect();
        }
        let Objective { skeleton, layout, settings, .. } = *objective;
        let joints: Vec<usize> = layout.active_joints.iter().map(|active| active.joint).collect();
        let each = u32::try_from(most).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX);
        let settings = Settings { max_attempts: settings.max_attempts.saturating_mul(each), ..*settings };
        let objective = &Objective { settings: &settings, ..*objective };
        let mut found: Vec<Pose> = Vec::new();
        let origin = pose.to_vec();
        self.effort.attempts = 0;
        self.make_attempts(&ALL, objective, Score::NONE, pose, |search, score, _, pose| {
            if !score.reached(objective.settings)
                || !search.finish(Verb::Solve, objective, loops, *score, pose).reached(objective.settings)
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
    pub(crate) fn settle_best(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        pose.clone_into(&mut self.poses.start);
        let near = self.refiner.run(objective, RefineLimits::ATTEMPT, pose);
        self.effort.attempts = 1;
        if near.score.reached(objective.settings) {
            return near.score;
        }
        pose.clone_into(&mut self.poses.near);
        pose.copy_from_slice(&self.poses.best);
        self.settle(objective, pose)
    }

    /// For goals that cannot be met: refines the best pose until it settles. If the pose next to the start is hardly
    /// worse, it is the answer, so that a target dragged out of reach does not make the pose jump.
    fn settle(&mut self, objective: &Objective, pose: &mut [Coordinates]) -> Score {
        if objective.has_ranks() {
            // Firm goals gave way in all attempts, so that none has stayed next to the start.
            self.poses.near.clone_from(&self.poses.start);
        }
        let objective = &objective.with_firm_constraints();
        let best = self.refiner.run_without_stiffness(objective, RefineLimits::SETTLE, pose);
        self.effort.cut_short = best.cut_short;
        if best.score.reached(objective.settings) || self.poses.near.len() != pose.len() {
            return best.score;
        }
        let near = self.refiner.run_without_stiffness(objective, RefineLimits::SETTLE, &mut self.poses.near);
        let is_worse = near.score.error() > (1.0 + KEEP_NEAR_RATIO) * best.score.error();
        if is_worse && best.score.is_as_firm_as(&near.score) {
            return best.score;
        }
        self.effort.cut_short = near.cut_short;
        pose.copy_from_slice(&self.poses.near);
        near.score
    }
}
