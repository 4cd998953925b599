//! The refiner: damped least squares in joint coordinates that keeps every limit (a projected Levenberg-Marquardt
//! method). Each attempt of the search ends with it.
//!
//! A step solves `(J J^T + lambda I) y = -r`, `dx = J^T y`. Coordinates that would leave their limits are clamped, and
//! their columns are pinned to the clamped step (on the rim of an ellipse only the normal part is pinned); then the
//! rest is solved again. With stiff joints, `J C J^T` and `dx = C J^T y` replace both products, where the diagonal matrix
//! `C` holds the compliances: of all steps that do the same, that with the least sum of squares weighted by `1 / C` is
//! taken. Only steps that lower the cost are accepted. If none does, the columns that limits block are
//! pinned from the start, and the step is tried once more. `relax` undoes turns that the goals do not need.
//!
//! With more residuals than columns, the same step comes from the smaller system `(S J^T J S + lambda I) z = -S J^T r`,
//! `dx = S z`, where `S` is the square root of `C`.

mod active_limits;
mod gradient_methods;
mod relax;

use super::objective::{Evaluation, Objective, Score};
use super::residual_jacobian::Jacobian;
use crate::linear::{add_square, solve_positive};
use crate::model::pose::Coordinates;
use crate::model::settings::Interrupt;

/// The behavior of a hinge that reaches an end of its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// The hinge stops: no joint moves farther than it has to.
    #[default]
    Stop,
    /// The hinge moves to the nearest allowed angle on the circle, so that a hinge with a range of a whole turn never
    /// stops.
    Unwind,
}

/// When a refinement ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefineLimits {
    /// Largest number of steps.
    pub steps: u32,
    /// The refinement ends if four steps leave more than this ratio of the cost, twice in a row.
    pub stall_ratio: f64,
    /// The behavior of hinges at the ends of their ranges.
    pub at_end: AtEnd,
}

impl RefineLimits {
    /// For one attempt among several: ends early.
    pub const ATTEMPT: RefineLimits = RefineLimits { steps: 60, stall_ratio: 0.9, at_end: AtEnd::Stop };
    /// For an attempt that may leave the pose that it starts from.
    pub const COLD: RefineLimits = RefineLimits { at_end: AtEnd::Unwind, ..RefineLimits::ATTEMPT };
    /// For one frame of a figure whose targets move beyond its reach: ends early, since the next frame goes on.
    pub const TRACK: RefineLimits = RefineLimits { stall_ratio: 0.995, ..RefineLimits::ATTEMPT };
    /// For the final pose if the goals cannot be met: continues until nothing moves.
    pub const SETTLE: RefineLimits = RefineLimits { steps: 200, stall_ratio: 1.0 - 1e-7, at_end: AtEnd::Stop };
}

/// The result of a refinement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refined {
    pub score: Score,
    pub steps: u32,
    /// Whether the steps ran out while the cost was still falling.
    pub cut_short: bool,
}

/// Largest change of a coordinate in one step: radians, or units of the layout's length.
const MAX_STEP: f64 = 1.2;
/// The same with stiff joints: a long step bends them more than many short ones to the same pose.
const MAX_STIFF_STEP: f64 = 0.3;
/// Largest number of rounds of clamping and solving again in one step.
const MAX_CLAMP_ROUNDS: usize = 4;

/// Buffers of the refiner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refiner {
    pub evaluation: Evaluation,
    trial: Evaluation,
    jacobian: Jacobian,
    /// `J J^T + lambda I`, or the matrix of the smaller system, row by row.
    normal: Vec<f64>,
    /// One entry per residual: the right-hand side, then the solution `y`.
    dual: Vec<f64>,
    /// The columns that are free, if the system has one row for each of them.
    free: Vec<usize>,
    /// One entry per column: `J^T y`, or the fixed step of a pinned column.
    step: Vec<f64>,
    /// The fixed steps of the columns that are pinned before a step is solved.
    initially_pinned: Vec<Option<f64>>,
    /// The same during the rounds of a step.
    pinned: Vec<Option<f64>>,
    /// For each active joint, the direction in its two tilts that the first of its columns stands for: `[1, 0]` unless
    /// a rim has turned them.
    basis: Vec<[f64; 2]>,
    candidate: Vec<Coordinates>,
    at_end: AtEnd,
    /// Ends steps early: with thousands of goals, one of them takes seconds.
    interrupt: Interrupt,
    /// Columns that do not move.
    pub held: Vec<usize>,
    /// One entry per column while a step also goes back to the start pose: the way from there. Otherwise empty.
    homing: Vec<f64>,
    /// Buffers of [`Refiner::relax`].
    away: Vec<f64>,
    relaxed: Vec<Coordinates>,
}

impl Refiner {
    /// Prepares the buffers for a skeleton in `pose`.
    pub fn begin(&mut self, objective: &Objective, pose: &[Coordinates]) {
        objective.skeleton.forward_kinematics(objective.problem.base, pose, &mut self.evaluation.frames);
        self.trial.frames.clone_from(&self.evaluation.frames);
        self.candidate.clear();
        self.candidate.extend_from_slice(pose);
        self.interrupt = objective.settings.interrupt;
    }

    /// Improves `pose` until everything is met or the cost stops falling. Problems that are [too
    /// large](Objective::is_too_large) stay as they are.
    pub fn run(&mut self, objective: &Objective, limits: RefineLimits, pose: &mut [Coordinates]) -> Refined {
        let mut score = self.evaluation.evaluate(objective, pose);
        // Mimic joints depend on the number of turns of the joints that they follow.
        self.at_end = if objective.layout.has_followers { AtEnd::Stop } else { limits.at_end };
        let (mut damping, mut pin_blocked, mut stalled, mut mark) = (1e-3, false, 0, score.cost);
        let (mut steps, mut rescued) = (0, None);
        loop {
            if score.reached(objective.settings) && !objective.wants_more() {
                return Refined { score, steps, cut_short: false };
            }
            if steps >= limits.steps || objective.is_too_large() || objective.settings.interrupt.is_requested() {
                return Refined { score, steps, cut_short: true };
            }
            steps += 1;
            self.jacobian.fill(objective, pose, &self.evaluation);
            self.reset_basis(objective);
            self.pin_all_limited(objective, pose, pin_blocked);
            if let Some(better) = self.descend(objective, pose, &mut damping, score.cost) {
                pose.copy_from_slice(&self.candidate);
                std::mem::swap(&mut self.evaluation, &mut self.trial);
                score = better;
                pin_blocked = false;
            } else if pin_blocked {
                return Refined { score, steps, cut_short: false };
            } else {
                (pin_blocked, damping) = (true, 1e-3);
                continue;
            }
            if steps % 4 == 0 {
                stalled = if score.cost > mark * limits.stall_ratio { stalled + 1 } else { 0 };
                if stalled >= 2 {
                    // Clamping may have pinned too much: go on with only the blocked columns pinned.
                    if rescued.is_some_and(|cost| score.cost > cost * limits.stall_ratio) {
                        return Refined { score, steps, cut_short: false };
                    }
                    (rescued, pin_blocked, damping) = (Some(score.cost), true, 1e-3);
                }
                mark = score.cost;
            }
        }
    }

    /// Tries steps with growing damping. Returns the score of `candidate` once it lowers the cost.
    fn descend(&mut self, objective: &Objective, pose: &[Coordinates], damping: &mut f64, cost: f64) -> Option<Score> {
        for _ in 0..8 {
            if objective.settings.interrupt.is_requested() {
                break;
            }
            self.take_step(objective, pose, *damping);
            let score = self.trial.evaluate(objective, &self.candidate);
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

    /// Whether limits, obstacles or links block `pose` (the last one refined) from a lower cost: the pose is in an obstacle,
    /// links touch something, or it is at a limit that the gradient pushes against.
    pub fn is_blocked(&mut self, objective: &Objective, pose: &[Coordinates]) -> bool {
        self.evaluation.evaluate(&objective.with_touching_links(), pose);
        if !(self.evaluation.contacts.is_empty() && self.evaluation.close_pairs.is_empty()) {
            return true;
        }
        if objective.is_too_large() {
            return false;
        }
        let score = self.evaluation.evaluate(objective, pose);
        self.jacobian.fill(objective, pose, &self.evaluation);
        self.reset_basis(objective);
        self.pin_all_limited(objective, pose, false);
        self.pinned.clone_from(&self.initially_pinned);
        self.pin_all_limited(objective, pose, true);
        let force = 1e-6 * score.error();
        let pairs = self.pinned.iter().zip(&self.initially_pinned).enumerate();
        pairs
            .into_iter()
            .any(|(k, (locked, blocked))| locked.is_none() && blocked.is_some() && self.slope(k).abs() > force)
    }

    /// Takes one damped step from `pose`, inside all limits; the result is in `candidate`.
    fn take_step(&mut self, objective: &Objective, pose: &[Coordinates], damping: f64) {
        self.pinned.clone_from(&self.initially_pinned);
        for _ in 0..MAX_CLAMP_ROUNDS {
            if !self.solve(&objective.layout.compliance, damping) {
                break;
            }
            let longest = self.step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
            let max = if objective.layout.has_stiffness { MAX_STIFF_STEP } else { MAX_STEP };
            if longest > max {
                self.step.iter_mut().for_each(|part| *part *= max / longest);
            }
            self.candidate.copy_from_slice(pose);
            let mut clamped = false;
            for (at, &active) in objective.layout.active_joints.iter().enumerate() {
                clamped |= self.advance(objective, at, active);
            }
            if objective.layout.has_followers {
                objective.skeleton.follow(&mut self.candidate);
            }
            if !clamped {
                break;
            }
        }
    }

    /// Solves for `step`, with the pinned columns at their fixed steps. Returns false if the matrix is not positive
    /// definite or not finite.
    fn solve(&mut self, compliance: &[f64], damping: f64) -> bool {
        self.dual.clear();
        self.dual.extend(self.evaluation.residuals.iter().map(|row| -row));
        for (k, pinned) in self.pinned.iter().enumerate() {
            // Pinned columns take their step, the others lead home if nothing else asks for them.
            let step = pinned.unwrap_or(-self.home(k));
            if step != 0.0 {
                let column = self.jacobian.column(k);
                self.dual.iter_mut().zip(column).for_each(|(dual, value)| *dual -= value * step);
            }
        }
        if self.jacobian.rows <= self.pinned.len() {
            self.solve_by_rows(compliance, damping)
        } else {
            self.solve_by_columns(compliance, damping)
        }
    }

    /// The way of column `k` from home; 0 unless the refiner leads there.
    fn home(&self, k: usize) -> f64 {
        self.homing.get(k).copied().unwrap_or(0.0)
    }

    /// The system with one row per residual.
    fn solve_by_rows(&mut self, compliance: &[f64], damping: f64) -> bool {
        let m = self.jacobian.rows;
        self.normal.clear();
        self.normal.resize(m * m, 0.0);
        for (k, _) in self.pinned.iter().enumerate().filter(|(_, pinned)| pinned.is_none()) {
            if self.interrupt.is_requested() {
                return false;
            }
            add_square(&mut self.normal, self.jacobian.column(k), compliance[k]);
        }
        for i in 0..m {
            self.normal[i * m + i] += damping;
        }
        if !solve_positive(&mut self.normal, &mut self.dual, || self.interrupt.is_requested()) {
            return false;
        }
        self.step.clear();
        for (k, pinned) in self.pinned.iter().enumerate() {
            let step = || compliance[k] * dot(self.jacobian.column(k), &self.dual) - self.home(k);
            self.step.push(pinned.unwrap_or_else(step));
        }
        true
    }

    /// The system with one row per free column.
    fn solve_by_columns(&mut self, compliance: &[f64], damping: f64) -> bool {
        self.free.clear();
        self.free.extend((0..self.pinned.len()).filter(|&k| self.pinned[k].is_none()));
        let n = self.free.len();
        self.normal.clear();
        self.normal.resize(n * n, 0.0);
        self.step.clear();
        for (i, &k) in self.free.iter().enumerate() {
            if self.interrupt.is_requested() {
                return false;
            }
            let (column, scale) = (self.jacobian.column(k), compliance[k].sqrt());
            for (j, &l) in self.free[..=i].iter().enumerate() {
                self.normal[i * n + j] = scale * compliance[l].sqrt() * dot(column, self.jacobian.column(l));
            }
            self.normal[i * n + i] += damping;
            self.step.push(scale * dot(column, &self.dual));
        }
        if !solve_positive(&mut self.normal, &mut self.step, || self.interrupt.is_requested()) {
            return false;
        }
        // From the last column to the first, so that no entry is overwritten before it is read.
        self.step.resize(self.pinned.len(), 0.0);
        let mut left = n;
        for k in (0..self.pinned.len()).rev() {
            self.step[k] = self.pinned[k].unwrap_or_else(|| {
                left -= 1;
                compliance[k].sqrt() * self.step[left] - self.home(k)
            });
        }
        true
    }

    /// The derivative of half the cost by column `k`.
    fn slope(&self, k: usize) -> f64 {
        dot(self.jacobian.column(k), &self.evaluation.residuals)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn both_systems_give_the_same_step() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let (rows, columns) = (1 + random.index(12), 1 + random.index(12));
            let mut numbers = |count: usize| (0..count).map(|_| random.range(-1.0, 1.0)).collect::<Vec<f64>>();
            let mut jacobian = Jacobian::default();
            (jacobian.rows, jacobian.values) = (rows, numbers(rows * columns));
            let residuals = numbers(rows);
            let pinned: Vec<Option<f64>> =
                numbers(columns).into_iter().map(|x| (x > 0.2).then_some(if x > 0.6 { 0.0 } else { x })).collect();
            // Some joints do not move at all.
            let compliance: Vec<f64> = numbers(columns).into_iter().map(|x| x.max(0.0)).collect();
            let steps = [Refiner::solve_by_rows, Refiner::solve_by_columns].map(|solve| {
                let mut refiner = Refiner { jacobian: jacobian.clone(), pinned: pinned.clone(), ..Refiner::default() };
                refiner.dual.clone_from(&residuals);
                assert!(solve(&mut refiner, &compliance, 1e-2));
                refiner.step
            });
            for (a, b) in steps[0].iter().zip(&steps[1]) {
                assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{steps:?}");
            }
        }
    }
}
