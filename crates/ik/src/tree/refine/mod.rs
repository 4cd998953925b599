//! The refiner: damped least squares in joint coordinates that keeps every limit (a projected Levenberg-Marquardt method).
//!
//! A step solves `(J Jt + lambda) y = -r`, `dx = Jt y`. Coordinates that would leave their set are clamped and pinned
//! to that (on the rim of an ellipse only the normal part is), and the rest is solved again. Only lower costs are
//! accepted. Where nothing is, the limits that hold the pose are taken out first, and it is tried once more.

mod active_limits;
mod gradient_methods;

use super::objective::{Evaluation, Score, Task};
use super::residual_jacobian::Jacobian;
use crate::linear::{add_square, solve_positive};
use crate::model::pose::Coordinates;

/// What hinges do that come to an end of their range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// They stop there: nothing moves farther than it has to.
    #[default]
    Stop,
    /// They go to the end that is nearer on the circle, so that one with a whole turn of range never stops.
    Unwind,
}

/// How long a refiner goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefineLimits {
    /// Most steps.
    pub steps: u32,
    /// It stops when four steps leave more than this share of the cost, twice in a row.
    pub stall: f64,
    /// What hinges do at the ends of their ranges.
    pub at_end: AtEnd,
}

impl RefineLimits {
    /// For an attempt among several: gives up early.
    pub const ATTEMPT: RefineLimits = RefineLimits { steps: 60, stall: 0.9, at_end: AtEnd::Stop };
    /// For an attempt that need not stay near the pose it starts from.
    pub const COLD: RefineLimits = RefineLimits { at_end: AtEnd::Unwind, ..RefineLimits::ATTEMPT };
    /// For the best pose where the goals cannot be met: until nothing moves.
    pub const SETTLE: RefineLimits = RefineLimits { steps: 200, stall: 1.0 - 1e-7, at_end: AtEnd::Stop };
}

/// How a refiner ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refined {
    pub score: Score,
    pub steps: u32,
    /// Whether steps ran out while the cost still fell.
    pub cut_short: bool,
}

/// Largest change of a coordinate in one step: radians, or lengths of the layout.
const LONGEST_STEP: f64 = 1.2;
/// Most rounds of clamping and solving again in one step.
const ROUNDS: usize = 4;

/// Buffers of the refiner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refiner {
    pub evaluation: Evaluation,
    trial: Evaluation,
    jacobian: Jacobian,
    normal: Vec<f64>,
    dual: Vec<f64>,
    step: Vec<f64>,
    /// Columns held at a fixed step, at the start of a step and in its rounds.
    start: Vec<Option<f64>>,
    held: Vec<Option<f64>>,
    /// For each mover the direction that the first two columns of a ball are turned to: `[1, 0]` is not at all.
    basis: Vec<[f64; 2]>,
    candidate: Vec<Coordinates>,
    at_end: AtEnd,
}

impl Refiner {
    /// Makes the buffers ready for a skeleton whose frames are now `pose`'s.
    pub fn begin(&mut self, task: &Task, pose: &[Coordinates]) {
        task.skeleton.forward_kinematics(task.problem.base, pose, &mut self.evaluation.frames);
        self.trial.frames.clone_from(&self.evaluation.frames);
        self.candidate.clear();
        self.candidate.extend_from_slice(pose);
    }

    /// Improves `pose` until all is met, or it gets no better.
    pub fn run(&mut self, task: &Task, effort: RefineLimits, pose: &mut [Coordinates]) -> Refined {
        let mut score = self.evaluation.read(task, pose);
        // Followers turn with the number of turns of those they follow.
        self.at_end = if task.layout.has_followers { AtEnd::Stop } else { effort.at_end };
        let (mut damping, mut frozen, mut stalled, mut mark) = (1e-3, false, 0, score.cost);
        let (mut steps, mut rescued) = (0, None);
        loop {
            if score.reached(task.settings) && task.pole_pulls.is_empty() {
                return Refined { score, steps, cut_short: false };
            }
            if steps >= effort.steps {
                return Refined { score, steps, cut_short: true };
            }
            steps += 1;
            self.jacobian.fill(task, pose, &self.evaluation);
            self.start.clear();
            self.start.resize(task.layout.columns, None);
            self.basis.clear();
            self.basis.resize(task.layout.movers.len(), [1.0, 0.0]);
            for (at, &mover) in task.layout.movers.iter().enumerate() {
                self.hold(task, at, mover, &pose[mover.joint], frozen);
            }
            if let Some(better) = self.descend(task, pose, &mut damping, score.cost) {
                pose.copy_from_slice(&self.candidate);
                std::mem::swap(&mut self.evaluation, &mut self.trial);
                score = better;
                frozen = false;
            } else if frozen {
                return Refined { score, steps, cut_short: false };
            } else {
                (frozen, damping) = (true, 1e-3);
                continue;
            }
            if steps % 4 == 0 {
                stalled = if score.cost > mark * effort.stall { stalled + 1 } else { 0 };
                if stalled >= 2 {
                    // Clamping may have pinned too much: a step with only the limits held that push back goes on.
                    if rescued.is_some_and(|cost| score.cost > cost * effort.stall) {
                        return Refined { score, steps, cut_short: false };
                    }
                    (rescued, frozen, damping) = (Some(score.cost), true, 1e-3);
                }
                mark = score.cost;
            }
        }
    }

    /// Tries steps of growing damping; the score of `candidate` when one lowers the cost.
    fn descend(&mut self, task: &Task, pose: &[Coordinates], damping: &mut f64, cost: f64) -> Option<Score> {
        for _ in 0..8 {
            self.take_step(task, pose, *damping);
            let score = self.trial.read(task, &self.candidate);
            if score.cost < cost {
                *damping = (*damping * 0.2).max(1e-9);
                return Some(score);
            }
            *damping *= 5.0;
            if *damping > 1e3 {
                break;
            }
        }
        None
    }

    /// Whether limits or obstacles hold `pose` (the last one refined) away from a lower cost: some limit that it stands
    /// at has a force against it.
    pub fn is_blocked(&mut self, task: &Task, pose: &[Coordinates]) -> bool {
        let score = self.evaluation.read(task, pose);
        if !self.evaluation.touches.is_empty() {
            return true;
        }
        self.jacobian.fill(task, pose, &self.evaluation);
        self.basis.clear();
        self.basis.resize(task.layout.movers.len(), [1.0, 0.0]);
        for frozen in [false, true] {
            self.start.clear();
            self.start.resize(task.layout.columns, None);
            for (at, &mover) in task.layout.movers.iter().enumerate() {
                self.hold(task, at, mover, &pose[mover.joint], frozen);
            }
            if !frozen {
                self.held.clone_from(&self.start);
            }
        }
        let force = 1e-6 * score.error();
        let pairs = self.held.iter().zip(&self.start).enumerate();
        pairs.into_iter().any(|(k, (held, frozen))| held.is_none() && frozen.is_some() && self.slope(k).abs() > force)
    }

    /// One damped step from `pose` into `candidate`, inside all limits.
    fn take_step(&mut self, task: &Task, pose: &[Coordinates], damping: f64) {
        self.held.clone_from(&self.start);
        for _ in 0..ROUNDS {
            if !self.solve(damping) {
                break;
            }
            let longest = self.step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
            if longest > LONGEST_STEP {
                self.step.iter_mut().for_each(|part| *part *= LONGEST_STEP / longest);
            }
            self.candidate.copy_from_slice(pose);
            let mut clamped = false;
            for (at, &mover) in task.layout.movers.iter().enumerate() {
                clamped |= self.advance(task, at, mover);
            }
            if task.layout.has_followers {
                task.skeleton.follow(&mut self.candidate);
            }
            if !clamped {
                break;
            }
        }
    }

    /// Solves for `step` with the held columns at theirs; false when the matrix is not positive (not finite).
    fn solve(&mut self, damping: f64) -> bool {
        let m = self.jacobian.rows;
        self.dual.clear();
        self.dual.extend(self.evaluation.rows.iter().map(|row| -row));
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for (k, held) in self.held.iter().enumerate() {
            let column = self.jacobian.column(k);
            match *held {
                Some(0.0) => {}
                Some(step) => self.dual.iter_mut().zip(column).for_each(|(dual, value)| *dual -= value * step),
                None => add_square(&mut self.normal, column),
            }
        }
        for i in 0..m {
            self.normal[i * m + i] += damping;
        }
        if !solve_positive(&mut self.normal, &mut self.dual) {
            return false;
        }
        self.step.clear();
        for (k, held) in self.held.iter().enumerate() {
            let dot = || self.jacobian.column(k).iter().zip(&self.dual).map(|(value, dual)| value * dual).sum();
            self.step.push(held.unwrap_or_else(dot));
        }
        true
    }

    /// Derivative of half the cost by column `k`.
    fn slope(&self, k: usize) -> f64 {
        self.jacobian.column(k).iter().zip(&self.evaluation.rows).map(|(value, row)| value * row).sum()
    }
}
