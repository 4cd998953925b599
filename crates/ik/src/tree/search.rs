//! The search: attempts from the start pose and from other poses, until one meets all goals.

use super::island::IslandSolver;
use super::objective::{Score, Task};
use super::refine::RefineLimits;
use super::restart;
use super::restart::Restart;
use super::scratch::Effort;
use crate::model::pose::Coordinates;
use crate::model::report::Stop;
use crate::random::Random;

/// A start pose whose error (root of the cost) is below this is refined as it is first, so that nothing jumps.
const WARM_ERROR: f64 = 0.1;
/// Most reaching cycles of one attempt. They go on only while each halves the error.
const MAX_CYCLES: u32 = 20;
/// Attempts if a target is out of reach whatever the limits.
const OUT_OF_REACH_ATTEMPTS: u32 = 5;
/// The goals count as unreachable after this number of attempts that end at the same error.
const STAGNATION_COUNT: u32 = 10;
/// Two errors are the same if they differ by no more than this ratio.
const SAME_ERROR_RATIO: f64 = 0.01;
/// An error above this is not nearly met: stagnation there ends the search.
const NEARLY_MET_ERROR: f64 = 0.05;
/// How much larger the error next to the start may be, as a ratio, if the goals cannot be met.
const KEEP_NEAR_RATIO: f64 = 0.04;
/// While targets glide, another pose that misses the goals too is taken only if its error is below this ratio of the
/// error next to the last pose.
const SWITCH_BRANCH_RATIO: f64 = 0.5;

impl IslandSolver {
    /// Attempts from `pose` and from others until one meets all goals; leaves the best pose in `pose`.
    pub(crate) fn search(&mut self, task: &Task, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        self.poses.reset(pose);
        self.poses.near.clear();
        let mut random = Random::new(task.settings.seed);
        let mut best = self.refiner.evaluation.read(task, pose);
        let mut epoch = best;
        let warm = best.error() < WARM_ERROR;
        let mut most = task.settings.max_attempts.get();
        if let Some(Stop::TooFar | Stop::TooClose) = self.out_of_reach(task) {
            most = most.min(OUT_OF_REACH_ATTEMPTS);
        }
        let floats = task.layout.floats(task.skeleton);
        let mut stagnation = 0;
        for attempt in 0..most {
            if attempt > 0 {
                let nearly = floats && best.error() < NEARLY_MET_ERROR;
                self.next_start(task, attempt, nearly, &mut random, pose);
            }
            // The start pose is tried both as it is and after reaching cycles; the likelier way comes first.
            let as_it_is = attempt == u32::from(!warm);
            let score = self.attempt(task, as_it_is, pose, effort);
            effort.attempts += 1;
            if as_it_is {
                self.poses.near.clear();
                self.poses.near.extend_from_slice(pose);
            }
            let reached = score.reached(task.settings);
            stagnation = match score.error() / best.error() {
                ratio if ratio < 1.0 - SAME_ERROR_RATIO && attempt > 0 => 0,
                ratio if ratio < 1.0 + SAME_ERROR_RATIO => stagnation + 1,
                _ => stagnation,
            };
            if reached || attempt.is_multiple_of(restart::EPOCH) || score.cost < epoch.cost {
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
        if best.reached(task.settings) { best } else { self.settle(task, pose, effort) }
    }

    /// Refines `pose`, the answer of the last frame. If that does not meet the goals, looks for another pose that does, or
    /// that is far better.
    pub(crate) fn track_near(&mut self, task: &Task, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        self.poses.reset(pose);
        effort.attempts = 1;
        let near = self.refiner.run(task, RefineLimits::ATTEMPT, pose);
        effort.refine_steps += near.steps;
        if near.score.reached(task.settings) {
            return near.score;
        }
        // Loops that gave way would not close where they opened.
        if !task.layout.loops.is_empty() {
            pose.copy_from_slice(&self.poses.start);
        }
        let near = self.refiner.run(&task.firm(), RefineLimits::SETTLE, pose);
        effort.refine_steps += near.steps;
        effort.cut_short = near.cut_short;
        if near.score.reached(task.settings) || self.out_of_reach(task).is_some() {
            return near.score;
        }
        self.poses.near.clear();
        self.poses.near.extend_from_slice(pose);
        self.poses.best.copy_from_slice(pose);
        let mut random = Random::new(task.settings.seed ^ hash_of_targets(task));
        let mut best = near.score;
        for attempt in 1..task.settings.max_attempts.get() {
            // In turn: only the branches whose goals fail, by small steps; then all joints.
            let branches_only = attempt % 2 == 1;
            if branches_only {
                pose.copy_from_slice(&self.poses.near);
                self.randomize_branches(task, &mut random, pose);
            } else {
                let attempt = restart::EPOCH * attempt;
                let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
                restart::random_start(task, &mut random, &from, pose);
            }
            let score = self.attempt(task, branches_only, pose, effort);
            effort.attempts += 1;
            if score.reached(task.settings) || score.error() < SWITCH_BRANCH_RATIO * best.error() {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
            if best.reached(task.settings) {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.best);
        best
    }

    /// For goals that cannot be met: refines the best pose to the end. Takes the pose next to the start instead if that is
    /// hardly worse, so that a target dragged out of reach does not make the pose jump.
    fn settle(&mut self, task: &Task, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        let task = &task.firm();
        let best = self.refiner.run(task, RefineLimits::SETTLE, pose);
        effort.refine_steps += best.steps;
        effort.cut_short = best.cut_short;
        if best.score.reached(task.settings) || self.poses.near.len() != pose.len() {
            return best.score;
        }
        let near = self.refiner.run(task, RefineLimits::SETTLE, &mut self.poses.near);
        effort.refine_steps += near.steps;
        if near.score.error() > (1.0 + KEEP_NEAR_RATIO) * best.score.error() {
            return best.score;
        }
        effort.cut_short = near.cut_short;
        pose.copy_from_slice(&self.poses.near);
        near.score
    }

    /// One attempt: reaching cycles while each halves the error (unless the pose is to be taken as it is), then
    /// refinement. Leaves its best pose in `pose`.
    fn attempt(&mut self, task: &Task, as_it_is: bool, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        let mut best = self.refiner.evaluation.read(task, pose);
        self.poses.here.copy_from_slice(pose);
        if best.reached(task.settings) {
            return best;
        }
        if !as_it_is {
            let mut before = best.error();
            for _ in 0..MAX_CYCLES.min(task.settings.max_iterations.get()) {
                let score = self.cycle(task, pose);
                effort.iterations += 1;
                if score.cost < best.cost {
                    best = score;
                    self.poses.here.copy_from_slice(pose);
                }
                if score.reached(task.settings) {
                    self.poses.here.copy_from_slice(pose);
                    return score;
                }
                if score.error() > 0.5 * before {
                    break;
                }
                before = score.error();
            }
            pose.copy_from_slice(&self.poses.here);
            restart::center(task, pose);
        }
        let limits = if as_it_is { RefineLimits::ATTEMPT } else { RefineLimits::COLD };
        let refined = self.refiner.run(task, limits, pose);
        effort.refine_steps += refined.steps;
        if refined.score.reached(task.settings) || refined.score.cost < best.cost {
            return refined.score;
        }
        pose.copy_from_slice(&self.poses.here);
        best
    }

    /// Writes the pose that attempt number `attempt` starts from. `nearly`: the best pose of a floating skeleton nearly
    /// meets the goals, so that poses next to it are tried too.
    fn next_start(&mut self, task: &Task, attempt: u32, nearly: bool, random: &mut Random, pose: &mut [Coordinates]) {
        if attempt == 1 {
            pose.copy_from_slice(&self.poses.start);
        } else if attempt.is_multiple_of(restart::EPOCH) {
            let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
            restart::random_start(task, random, &from, pose);
        } else if nearly && attempt % restart::EPOCH == 2 {
            pose.copy_from_slice(&self.poses.best);
            restart::perturb(task, random, pose);
        } else {
            pose.copy_from_slice(&self.poses.epoch);
            self.randomize_branches(task, random, pose);
        }
    }

    fn randomize_branches(&mut self, task: &Task, random: &mut Random, pose: &mut [Coordinates]) {
        let frames = &mut self.refiner.evaluation.frames;
        task.skeleton.update_frames(task.problem.base, &task.layout.order, pose, frames);
        restart::randomize_branches(task, random, frames, pose);
    }
}

/// A number that changes whenever a target moves.
fn hash_of_targets(task: &Task) -> u64 {
    let positions = task.layout.goals.iter().filter_map(|goal| task.problem.goals[goal.index].target.position);
    let bits = positions.flat_map(|position| position.to_array()).map(f64::to_bits);
    bits.fold(0, |sum: u64, bits| (sum ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}
