//! Attempts: from the pose as it is, and from other ones.

use super::island::Workspace;
use super::objective::{Score, Task};
use super::refine::Effort;
use super::restart;
use super::restart::Restart;
use crate::model::pose::Coordinates;
use crate::model::report::Stop;
use crate::random::Random;

/// What the pose that a solve begins with counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It is where to begin: the answer may lie elsewhere.
    Anew,
    /// It is what was shown last: the answer lies next to it where that will do.
    Tracking,
}

/// Poses that a solve keeps aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poses {
    /// As it began.
    pub start: Vec<Coordinates>,
    /// The best of this attempt.
    pub here: Vec<Coordinates>,
    /// The best since the last pose that was all random.
    pub epoch: Vec<Coordinates>,
    /// The best of all.
    pub best: Vec<Coordinates>,
    /// Where polishing the start as it is led.
    pub near: Vec<Coordinates>,
}

/// What a solve has done so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub iterations: u32,
    pub polish_steps: u32,
    pub attempts: u32,
    pub cut_short: bool,
}

/// A cost root below which a pose counts as near: it is polished as it is, so that nothing jumps.
const WARM: f64 = 0.1;
/// Most reaching cycles of one attempt: they go on only while each halves the cost.
const CYCLES: u32 = 20;
/// Attempts where a target is out of reach whatever the limits.
const HOPELESS_ATTEMPTS: u32 = 5;
/// A pose that so many attempts ended at, with errors that differ by no more than this share, and whose error is not
/// small, is the best there is: the goals cannot be met.
const AGAIN: u32 = 10;
const SAME: f64 = 0.01;
const SURE: f64 = 0.05;
/// How much worse, as a share, a pose next to the start may be where the goals cannot be met.
const HARDLY: f64 = 0.04;
/// While targets glide another pose that does not meet the goals either is taken only if its error is smaller than this
/// share of what is left next to the last one.
const FAR_BETTER: f64 = 0.5;

impl Workspace {
    /// Attempts from the given pose and from others until one meets all goals; leaves the best pose in `pose`.
    pub(crate) fn attempts(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        for kept in [&mut self.poses.start, &mut self.poses.here, &mut self.poses.epoch, &mut self.poses.best] {
            kept.clear();
            kept.extend_from_slice(pose);
        }
        let mut random = Random::new(task.settings.seed);
        self.poses.near.clear();
        let mut best = self.polish.reading.read(task, pose);
        let mut epoch = best;
        let warm = best.error() < WARM;
        let mut most = task.settings.max_attempts.get();
        if let Some(Stop::TooFar | Stop::TooClose) = self.out_of_reach(task) {
            most = most.min(HOPELESS_ATTEMPTS);
        }
        let floats = task.plan.floats(task.skeleton);
        let mut again = 0;
        for attempt in 0..most {
            if attempt > 0 {
                self.next_start(task, attempt, floats && best.error() < SURE, &mut random, pose);
            }
            // The start is tried both as it is and cold; what is likelier to do comes first.
            let as_it_is = attempt == u32::from(!warm);
            let score = self.attempt(task, as_it_is, pose, tally);
            tally.attempts += 1;
            if as_it_is {
                self.poses.near.clear();
                self.poses.near.extend_from_slice(pose);
            }
            let reached = score.reached(task.settings);
            again = match score.error() / best.error() {
                ratio if ratio < 1.0 - SAME && attempt > 0 => 0,
                ratio if ratio < 1.0 + SAME => again + 1,
                _ => again,
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
            if reached || (again >= AGAIN && best.error() > SURE) {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.best);
        if best.reached(task.settings) { best } else { self.settle(task, pose, tally) }
    }

    /// The pose next to the given one, polished to the end; where that does not meet the goals, another one that does or
    /// is far better, if a few attempts find one.
    pub(crate) fn stay(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        for kept in [&mut self.poses.start, &mut self.poses.here, &mut self.poses.epoch, &mut self.poses.best] {
            kept.clear();
            kept.extend_from_slice(pose);
        }
        tally.attempts = 1;
        let near = self.polish.run(task, Effort::ATTEMPT, pose);
        tally.polish_steps += near.steps;
        if near.score.reached(task.settings) {
            return near.score;
        }
        // Loops that gave way would not close where they opened.
        if !task.plan.loops.is_empty() {
            pose.copy_from_slice(&self.poses.start);
        }
        let near = self.polish.run(&task.firm(), Effort::SETTLE, pose);
        tally.polish_steps += near.steps;
        tally.cut_short = near.cut_short;
        if near.score.reached(task.settings) || self.out_of_reach(task).is_some() {
            return near.score;
        }
        self.poses.near.clear();
        self.poses.near.extend_from_slice(pose);
        self.poses.best.copy_from_slice(pose);
        let mut random = Random::new(task.settings.seed ^ place_of_targets(task));
        let mut best = near.score;
        for attempt in 1..task.settings.max_attempts.get() {
            // The limbs that fail, alone and by small steps; then everything.
            let limbs_only = attempt % 2 == 1;
            if limbs_only {
                pose.copy_from_slice(&self.poses.near);
                self.renew_limbs(task, &mut random, pose);
            } else {
                let attempt = restart::EPOCH * attempt;
                let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
                restart::start_anew(task, &mut random, &from, pose);
            }
            let score = self.attempt(task, limbs_only, pose, tally);
            tally.attempts += 1;
            if score.reached(task.settings) || score.error() < FAR_BETTER * best.error() {
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

    /// Where the goals cannot be met: polishes the best pose to the end, and takes the one next to the start instead
    /// where that is hardly worse, so that a target dragged out of reach does not make the pose jump.
    fn settle(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        let task = &task.firm();
        let best = self.polish.run(task, Effort::SETTLE, pose);
        tally.polish_steps += best.steps;
        tally.cut_short = best.cut_short;
        if best.score.reached(task.settings) || self.poses.near.len() != pose.len() {
            return best.score;
        }
        let near = self.polish.run(task, Effort::SETTLE, &mut self.poses.near);
        tally.polish_steps += near.steps;
        if near.score.error() > (1.0 + HARDLY) * best.score.error() {
            return best.score;
        }
        tally.cut_short = near.cut_short;
        pose.copy_from_slice(&self.poses.near);
        near.score
    }

    /// One attempt: reaching cycles while they pay (but not from a pose to be taken as it is), then the polish. Leaves its best pose in `pose`.
    fn attempt(&mut self, task: &Task, as_it_is: bool, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        let mut best = self.polish.reading.read(task, pose);
        self.poses.here.copy_from_slice(pose);
        if best.reached(task.settings) {
            return best;
        }
        if !as_it_is {
            let mut before = best.error();
            for _ in 0..CYCLES.min(task.settings.max_iterations.get()) {
                let score = self.cycle(task, pose);
                tally.iterations += 1;
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
            restart::nudge(task, pose);
        }
        let effort = if as_it_is { Effort::ATTEMPT } else { Effort::COLD };
        let polished = self.polish.run(task, effort, pose);
        tally.polish_steps += polished.steps;
        if polished.score.reached(task.settings) || polished.score.cost < best.cost {
            return polished.score;
        }
        pose.copy_from_slice(&self.poses.here);
        best
    }

    /// The pose that attempt number `attempt` starts from; `close` says that the best one of something free nearly meets
    /// the goals, so that others are also sought next to it.
    fn next_start(&mut self, task: &Task, attempt: u32, close: bool, random: &mut Random, pose: &mut [Coordinates]) {
        if attempt == 1 {
            pose.copy_from_slice(&self.poses.start);
        } else if attempt.is_multiple_of(restart::EPOCH) {
            let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
            restart::start_anew(task, random, &from, pose);
        } else if close && attempt % restart::EPOCH == 2 {
            pose.copy_from_slice(&self.poses.best);
            restart::kick(task, random, pose);
        } else {
            pose.copy_from_slice(&self.poses.epoch);
            self.renew_limbs(task, random, pose);
        }
    }

    fn renew_limbs(&mut self, task: &Task, random: &mut Random, pose: &mut [Coordinates]) {
        let frames = &mut self.polish.reading.frames;
        task.skeleton.update_frames(task.problem.base, &task.plan.order, pose, frames);
        restart::renew_limbs(task, random, frames, pose);
    }
}

/// A number that differs wherever a target does.
fn place_of_targets(task: &Task) -> u64 {
    let places = task.plan.goals.iter().filter_map(|goal| task.problem.goals[goal.index].target.position);
    let bits = places.flat_map(|place| place.to_array()).map(f64::to_bits);
    bits.fold(0, |sum: u64, bits| (sum ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}
