//! The search: attempts from the start pose and from other poses until one meets all goals. It decides how long to go
//! on, and which pose is the answer if the goals cannot be met.

use super::objective::{Objective, Score};
use super::refine::RefineLimits;
use super::restart;
use super::restart::Restart;
use super::scratch::Effort;
use super::walk::{Walk, Walked};
use super::workspace::Workspace;
use crate::model::canonical::hash;
use crate::model::pose::Coordinates;
use crate::random::Random;

/// A start pose with an error (root of the cost) below this is refined directly first, so that the pose does not jump.
const WARM_ERROR: f64 = 0.1;
/// Largest number of reaching cycles per attempt. They continue only while each one halves the error.
const MAX_CYCLES: u32 = 20;
/// If nothing else can follow, the cycles continue while each one leaves no more than this ratio of the error.
const LEAST_PROGRESS_RATIO: f64 = 0.99;
/// Number of attempts if a target is out of reach whatever the limits, or in an obstacle.
const OUT_OF_REACH_ATTEMPTS: u32 = 5;
/// The goals count as unreachable after this number of attempts that end at the same error.
const STAGNATION_COUNT: u32 = 10;
/// Largest relative difference of two errors that count as the same.
const SAME_ERROR_RATIO: f64 = 0.01;
/// Largest error of a pose that nearly meets the goals. Stagnation above it ends the search.
const NEARLY_MET_ERROR: f64 = 0.05;
/// If the goals cannot be met, the pose next to the start is kept if its error exceeds the best one by no more than
/// this ratio.
const KEEP_NEAR_RATIO: f64 = 0.04;
/// A pose next to the start whose error exceeds the best one by more than this ratio is not settled: it would be no answer.
const FAR_FROM_BEST_RATIO: f64 = 1.5;
/// Way of a target, as a fraction of its effector's size, on which joints come back by `1 - 1/e` of their way home. On
/// shorter ones, more paths end in another pose in few steps than in many.
const HOME_WAY: f64 = 0.5;
/// While tracking, another pose that misses the goals too is taken only if its error is below this ratio of the error
/// next to the last pose.
const SWITCH_BRANCH_RATIO: f64 = 0.5;

impl Workspace {
    /// Makes attempts from `pose` and from other poses until one meets all goals; leaves the best pose in `pose`.
    pub(crate) fn search(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        let walked = self.walk(objective, pose, effort);
        let mut best = self.begin_at(objective, pose);
        self.poses.near.clear();
        let mut random = Random::new(objective.settings.seed);
        let mut epoch = best;
        // The reaching passes turn stiff joints like all others.
        let warm = best.error() < WARM_ERROR || objective.layout.has_stiffness;
        let mut max_attempts = objective.settings.max_attempts.get();
        if self.is_hopeless(objective) {
            max_attempts = max_attempts.min(OUT_OF_REACH_ATTEMPTS);
        }
        if objective.is_too_large() {
            max_attempts = 1;
        }
        let floats = objective.layout.floats(objective.skeleton);
        let mut stagnation = 0;
        for attempt in 0..max_attempts {
            if objective.settings.interrupt.is_requested() {
                break;
            }
            if attempt > 0 {
                let nearly = floats && best.error() < NEARLY_MET_ERROR;
                self.next_start(objective, attempt, nearly, &mut random, pose);
            }
            // The start pose is tried both directly and after reaching cycles; the more promising way comes first.
            let refine_only = attempt == u32::from(!warm) && !objective.is_too_large();
            let score = self.attempt(objective, refine_only, pose, effort);
            effort.attempts += 1;
            if refine_only {
                self.poses.near.clear();
                self.poses.near.extend_from_slice(pose);
            }
            let reached = score.reached(objective.settings);
            stagnation = match score.error() / best.error() {
                ratio if ratio < 1.0 - SAME_ERROR_RATIO && attempt > 0 => 0,
                ratio if ratio < 1.0 + SAME_ERROR_RATIO => stagnation + 1,
                _ => stagnation,
            };
            if reached || attempt.is_multiple_of(restart::EPOCH_ATTEMPTS) || score.cost < epoch.cost {
                epoch = score;
                self.poses.epoch.copy_from_slice(pose);
            }
            let better = if attempt == 0 { score.cost <= best.cost } else { restart::clearly_better(&score, &best) };
            if reached || better {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
            if reached || (stagnation >= STAGNATION_COUNT && best.error() > NEARLY_MET_ERROR) {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.best);
        if best.reached(objective.settings) {
            let score = self.relax(objective, best, pose, effort);
            self.return_home(objective, walked.stride, score, pose, effort)
        } else {
            self.settle(objective, pose, effort)
        }
    }

    /// Whether a target is out of reach whatever the limits, or an effector would be in an obstacle at its target.
    fn is_hopeless(&self, objective: &Objective) -> bool {
        self.out_of_reach(objective).is_some() || objective.is_blocked_at_target(&self.refiner.evaluation.frames)
    }

    /// With stiff joints: takes `pose`, which meets the goals and was found from another start, as near to the start pose
    /// as they allow.
    fn relax(&mut self, objective: &Objective, score: Score, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        if !objective.layout.has_stiffness || effort.attempts == 1 {
            return score;
        }
        effort.refine_steps += self.refiner.relax(objective, &self.poses.start, pose);
        self.refiner.evaluation.score(objective)
    }

    /// Refines `pose`, the answer of the last frame. If that does not meet the goals, looks for another pose that does
    /// or that is far better.
    pub(crate) fn track_near(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        effort.attempts = 1;
        let walked = self.walk(objective, pose, effort);
        let mut score = match walked.is_blocked {
            true => self.begin_at(objective, pose),
            false => self.approach(objective, pose, effort),
        };
        if !score.reached(objective.settings) {
            score = self.track_elsewhere(objective, pose, effort);
        }
        self.return_home(objective, walked.stride, score, pose, effort)
    }

    /// Moves `pose` along the ways of the targets, up to the last step. Without stiff joints, it stays. The evaluation
    /// must hold the frames of `pose`.
    fn walk(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Walked {
        if !objective.layout.has_stiffness || self.out_of_reach(objective).is_some() {
            return Walked::default();
        }
        if self.refiner.evaluation.score(objective).reached(objective.settings) {
            return Walked::default();
        }
        let mut walk = std::mem::take(&mut self.walk);
        walk.begin(objective, &self.refiner.evaluation.frames);
        let length = walk.length(objective);
        let steps = Walk::steps(length);
        let mut walked = Walked { stride: length / f64::from(steps), is_blocked: false };
        for step in 1..steps {
            walk.take_step(objective, f64::from(step) / f64::from(steps));
            let way = Objective { problem: &walk.problem, ..*objective };
            let score = self.approach(&way, pose, effort);
            walked.is_blocked = !score.reached(objective.settings);
            if walked.is_blocked || objective.settings.interrupt.is_requested() {
                break;
            }
            self.return_home(&way, walked.stride, score, pose, effort);
        }
        self.walk = walk;
        walked
    }

    /// Takes `pose`, whose targets have moved by `way` and are met, a part of the way back to `home`. A figure thus
    /// stands up again while a hand comes up from the ground, in few steps as in many, and keeps still while its targets
    /// rest.
    fn return_home(
        &mut self,
        objective: &Objective,
        way: f64,
        score: Score,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        let home = &objective.problem.home;
        if home.is_empty() || way == 0.0 || !score.reached(objective.settings) {
            return score;
        }
        let share = 1.0 - (-way / HOME_WAY).exp();
        effort.refine_steps += self.refiner.return_home(objective, home, share, pose);
        self.refiner.evaluation.score(objective)
    }

    /// Makes `pose` the start of the attempts to come.
    fn begin_at(&mut self, objective: &Objective, pose: &[Coordinates]) -> Score {
        self.poses.reset(pose);
        self.refiner.evaluation.evaluate(objective, pose)
    }

    /// Refines `pose`; with stiff joints, also from bent limbs.
    fn approach(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        self.poses.reset(pose);
        let near = self.refiner.run(objective, RefineLimits::ATTEMPT, pose);
        effort.refine_steps += near.steps;
        if !objective.layout.has_stiffness || near.steps == 0 {
            return near.score;
        }
        let start = &self.poses.start;
        self.bend.run(objective, &mut self.refiner, start, near.score, pose, effort).unwrap_or(near.score)
    }

    /// For goals that `pose`, refined from the answer of the last frame, does not meet: refines on, and looks for a pose
    /// that meets them or comes far closer.
    fn track_elsewhere(&mut self, objective: &Objective, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        // If loops gave way, refinement would not close them where they opened.
        if !objective.layout.loops.is_empty() {
            pose.copy_from_slice(&self.poses.start);
        }
        let limits = if objective.layout.has_stiffness { RefineLimits::TRACK } else { RefineLimits::SETTLE };
        let near = self.refiner.run(&objective.with_firm_constraints(), limits, pose);
        effort.refine_steps += near.steps;
        effort.cut_short = near.cut_short;
        if near.score.reached(objective.settings) || self.is_hopeless(objective) {
            return near.score;
        }
        self.poses.near.clear();
        self.poses.near.extend_from_slice(pose);
        self.poses.best.copy_from_slice(pose);
        let mut random = Random::new(objective.settings.seed ^ hash_of_targets(objective));
        let mut best = near.score;
        for attempt in 1..objective.settings.max_attempts.get() {
            // Alternate between two starts: the near pose with its failing branches randomized, and a random pose of
            // all joints.
            let branches_only = attempt % 2 == 1;
            if branches_only {
                pose.copy_from_slice(&self.poses.near);
                self.randomize_branches(objective, &mut random, attempt, pose);
            } else {
                let attempt = restart::EPOCH_ATTEMPTS * attempt;
                let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
                restart::random_start(objective, &mut random, &from, pose);
            }
            let score = self.attempt(objective, branches_only, pose, effort);
            effort.attempts += 1;
            if score.reached(objective.settings) || score.error() < SWITCH_BRANCH_RATIO * best.error() {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
            if best.reached(objective.settings) || objective.settings.interrupt.is_requested() {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.best);
        if best.reached(objective.settings) { self.relax(objective, best, pose, effort) } else { best }
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

    /// One attempt: reaching cycles while each one halves the error (unless `refine_only`), then refinement. Leaves its
    /// best pose in `pose`.
    fn attempt(
        &mut self,
        objective: &Objective,
        refine_only: bool,
        pose: &mut [Coordinates],
        effort: &mut Effort,
    ) -> Score {
        let mut best = self.refiner.evaluation.evaluate(objective, pose);
        self.poses.attempt.copy_from_slice(pose);
        if best.reached(objective.settings) {
            return best;
        }
        if !refine_only {
            let mut before = best.error();
            let (most, least_progress) =
                if objective.is_too_large() { (u32::MAX, LEAST_PROGRESS_RATIO) } else { (MAX_CYCLES, 0.5) };
            for _ in 0..most.min(objective.settings.max_iterations.get()) {
                let score = self.cycle(objective, pose);
                effort.iterations += 1;
                if score.cost < best.cost {
                    best = score;
                    self.poses.attempt.copy_from_slice(pose);
                }
                if score.reached(objective.settings) {
                    self.poses.attempt.copy_from_slice(pose);
                    return score;
                }
                if score.error() > least_progress * before || objective.settings.interrupt.is_requested() {
                    break;
                }
                before = score.error();
            }
            pose.copy_from_slice(&self.poses.attempt);
            restart::center(objective, restart::CENTER_RATIO, pose);
        }
        let limits = if refine_only { RefineLimits::ATTEMPT } else { RefineLimits::COLD };
        let refined = self.refiner.run(objective, limits, pose);
        effort.refine_steps += refined.steps;
        if refined.score.reached(objective.settings) || refined.score.cost < best.cost {
            return refined.score;
        }
        pose.copy_from_slice(&self.poses.attempt);
        best
    }

    /// Writes the start pose of attempt number `attempt`. With `nearly` (the best pose of a floating skeleton nearly
    /// meets the goals) the poses next to it are tried too.
    fn next_start(
        &mut self,
        objective: &Objective,
        attempt: u32,
        nearly: bool,
        random: &mut Random,
        pose: &mut [Coordinates],
    ) {
        if attempt == 1 {
            pose.copy_from_slice(&self.poses.start);
        } else if attempt.is_multiple_of(restart::EPOCH_ATTEMPTS) {
            let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
            restart::random_start(objective, random, &from, pose);
        } else if nearly && attempt % restart::EPOCH_ATTEMPTS == 2 {
            pose.copy_from_slice(&self.poses.best);
            restart::perturb(objective, random, pose);
        } else {
            pose.copy_from_slice(&self.poses.epoch);
            self.randomize_branches(objective, random, attempt, pose);
        }
    }

    fn randomize_branches(
        &mut self,
        objective: &Objective,
        random: &mut Random,
        attempt: u32,
        pose: &mut [Coordinates],
    ) {
        let frames = &mut self.refiner.evaluation.frames;
        objective.update_frames(pose, frames);
        restart::randomize_branches(objective, random, frames, attempt, pose);
    }
}

/// A hash of the target positions: it changes whenever a target moves.
fn hash_of_targets(objective: &Objective) -> u64 {
    let targets = objective.layout.goals.iter().map(|goal| objective.problem.goals[goal.index].target);
    hash(targets.filter_map(|target| target.canonical_position()).flat_map(|position| position.to_array()))
}
