//! The polish: damped least squares in joint coordinates that keeps every limit (a projected Levenberg-Marquardt method).
//!
//! A step solves `(J Jt + lambda) y = -r`, `dx = Jt y`. Coordinates that would leave their set are clamped and pinned
//! to that (on the rim of an ellipse only the normal part is), and the rest is solved again. Only lower costs are
//! accepted. Where nothing is, the limits that hold the pose are taken out first, and it is tried once more.

use super::cost::{Reading, Score, Task};
use super::jacobian::Jacobian;
use super::limit::wrap;
use super::linear::{add_square, solve_positive};
use super::plan::Mover;
use super::{Coordinates, Interval, Kind, Swing};
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// What hinges do that come to an end of their range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// They stop there: nothing moves farther than it has to.
    #[default]
    Stop,
    /// They go to the end that is nearer on the circle, so that one with a whole turn of range never stops.
    Unwind,
}

/// How long a polish goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Most steps.
    pub steps: u32,
    /// It stops when four steps leave more than this share of the cost, twice in a row.
    pub stall: f64,
    /// What hinges do at the ends of their ranges.
    pub at_end: AtEnd,
}

impl Effort {
    /// For an attempt among several: gives up early.
    pub const ATTEMPT: Effort = Effort { steps: 60, stall: 0.9, at_end: AtEnd::Stop };
    /// For an attempt that need not stay near the pose it starts from.
    pub const COLD: Effort = Effort { at_end: AtEnd::Unwind, ..Effort::ATTEMPT };
    /// For the best pose where the goals cannot be met: until nothing moves.
    pub const SETTLE: Effort = Effort { steps: 200, stall: 1.0 - 1e-7, at_end: AtEnd::Stop };
}

/// How a polish ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polished {
    pub score: Score,
    pub steps: u32,
    /// Whether steps ran out while the cost still fell.
    pub cut_short: bool,
}

/// Largest change of a coordinate in one step: radians, or lengths of the plan.
const LONGEST_STEP: f64 = 1.2;
/// Relative closeness to a bound that counts as being at it.
const AT_BOUND: f64 = 1e-9;
/// Most rounds of clamping and solving again in one step.
const ROUNDS: usize = 4;

/// Buffers of the polish.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polish {
    pub reading: Reading,
    trial: Reading,
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

impl Polish {
    /// Makes the buffers ready for a skeleton whose frames are now `pose`'s.
    pub fn begin(&mut self, task: &Task, pose: &[Coordinates]) {
        task.skeleton.place(task.problem.base, pose, &mut self.reading.frames);
        self.trial.frames.clone_from(&self.reading.frames);
        self.candidate.clear();
        self.candidate.extend_from_slice(pose);
    }

    /// Improves `pose` until all is met, or it gets no better.
    pub fn run(&mut self, task: &Task, effort: Effort, pose: &mut [Coordinates]) -> Polished {
        let mut score = self.reading.read(task, pose);
        // Followers turn with the number of turns of those they follow.
        self.at_end = if task.plan.has_followers { AtEnd::Stop } else { effort.at_end };
        let (mut damping, mut frozen, mut stalled, mut mark) = (1e-3, false, 0, score.cost);
        let (mut steps, mut rescued) = (0, None);
        loop {
            if score.reached(task.settings) && task.leans.is_empty() {
                return Polished { score, steps, cut_short: false };
            }
            if steps >= effort.steps {
                return Polished { score, steps, cut_short: true };
            }
            steps += 1;
            self.jacobian.fill(task, pose, &self.reading);
            self.start.clear();
            self.start.resize(task.plan.columns, None);
            self.basis.clear();
            self.basis.resize(task.plan.movers.len(), [1.0, 0.0]);
            for (at, &mover) in task.plan.movers.iter().enumerate() {
                self.hold(task, at, mover, &pose[mover.joint], frozen);
            }
            if let Some(better) = self.descend(task, pose, &mut damping, score.cost) {
                pose.copy_from_slice(&self.candidate);
                std::mem::swap(&mut self.reading, &mut self.trial);
                score = better;
                frozen = false;
            } else if frozen {
                return Polished { score, steps, cut_short: false };
            } else {
                (frozen, damping) = (true, 1e-3);
                continue;
            }
            if steps % 4 == 0 {
                stalled = if score.cost > mark * effort.stall { stalled + 1 } else { 0 };
                if stalled >= 2 {
                    // Clamping may have pinned too much: a step with only the limits held that push back goes on.
                    if rescued.is_some_and(|cost| score.cost > cost * effort.stall) {
                        return Polished { score, steps, cut_short: false };
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

    /// Whether limits or obstacles hold `pose` (the last one polished) away from a lower cost: some limit that it stands
    /// at has a force against it.
    pub fn is_blocked(&mut self, task: &Task, pose: &[Coordinates]) -> bool {
        let score = self.reading.read(task, pose);
        if !self.reading.touches.is_empty() {
            return true;
        }
        self.jacobian.fill(task, pose, &self.reading);
        self.basis.clear();
        self.basis.resize(task.plan.movers.len(), [1.0, 0.0]);
        for frozen in [false, true] {
            self.start.clear();
            self.start.resize(task.plan.columns, None);
            for (at, &mover) in task.plan.movers.iter().enumerate() {
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
            for (at, &mover) in task.plan.movers.iter().enumerate() {
                clamped |= self.advance(task, at, mover);
            }
            if task.plan.has_followers {
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
        self.dual.extend(self.reading.rows.iter().map(|row| -row));
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

    /// Holds the columns of a joint that cannot move, and with `frozen` those that its limits stop.
    fn hold(&mut self, task: &Task, at: usize, mover: Mover, now: &Coordinates, frozen: bool) {
        let k = mover.column;
        match task.skeleton.kind(mover.joint) {
            Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
                self.hold_scalar(k, *range, now.value(), frozen);
            }
            Kind::Ball { swing, twist } => {
                if let Some(range) = twist {
                    self.hold_scalar(k + 2, *range, now.twist(), frozen);
                }
                let Some(swing) = swing else { return };
                for (axis, locked) in swing.locked().into_iter().enumerate() {
                    if locked {
                        self.start[k + axis] = Some(0.0);
                    }
                }
                if !frozen || swing.fraction(now.tilt()) < 1.0 - AT_BOUND {
                    return;
                }
                let Some(normal) = swing.outward(now.tilt()) else { return };
                if self.slope(k) * normal[0] + self.slope(k + 1) * normal[1] < 0.0 {
                    self.turn_basis(at, k, normal);
                    self.start[k] = Some(0.0);
                }
            }
            _ => {}
        }
    }

    fn hold_scalar(&mut self, k: usize, range: Interval, now: f64, frozen: bool) {
        let slope = || self.slope(k);
        let stopped = range.high() - range.low() < AT_BOUND
            || (frozen
                && ((now <= range.low() + AT_BOUND && slope() > 0.0)
                    || (now >= range.high() - AT_BOUND && slope() < 0.0)));
        if stopped {
            self.start[k] = Some(0.0);
        }
    }

    /// Derivative of half the cost by column `k`.
    fn slope(&self, k: usize) -> f64 {
        self.jacobian.column(k).iter().zip(&self.reading.rows).map(|(value, row)| value * row).sum()
    }

    /// Turns the first two columns of a ball so that the first is along `normal`.
    fn turn_basis(&mut self, at: usize, k: usize, normal: [f64; 2]) {
        let [c, s] = self.basis[at];
        let (along, across) = (normal[0] * c + normal[1] * s, normal[1] * c - normal[0] * s);
        let (first, second) = self.jacobian.two_columns(k);
        for (x, y) in first.iter_mut().zip(second) {
            (*x, *y) = (along * *x + across * *y, along * *y - across * *x);
        }
        self.basis[at] = normal;
    }

    /// Moves one joint of `candidate` by its part of `step`; whether a limit stopped it (its columns are then held).
    fn advance(&mut self, task: &Task, at: usize, mover: Mover) -> bool {
        let (k, joint) = (mover.column, mover.joint);
        // Rates of quaternions are given along the world's axes.
        let to_rest = || {
            let parent = task.skeleton.joints()[joint].parent;
            let parent = parent.map_or(task.problem.base, |parent| self.reading.frames[parent]);
            task.skeleton.rest_frame(joint, parent).rotation.conjugate()
        };
        let vector = |k: usize| DVec3::new(self.step[k], self.step[k + 1], self.step[k + 2]);
        let now = self.candidate[joint];
        match *task.skeleton.kind(joint) {
            Kind::Fixed => false,
            Kind::Free => {
                let inverse = to_rest();
                let position = now.free_position() + inverse * vector(k) * task.plan.length;
                let turn = DQuat::from_scaled_axis(inverse * vector(k + 3));
                self.candidate[joint] = Coordinates::free(position, (turn * now.free_rotation()).normalize());
                false
            }
            Kind::Ball { swing: None, twist: None } => {
                let turn = DQuat::from_scaled_axis(to_rest() * vector(k));
                self.candidate[joint] = Coordinates::rotation((turn * now.ball_rotation()).normalize());
                false
            }
            Kind::Ball { swing, twist } => self.advance_ball(at, mover, swing, twist),
            Kind::Hinge { range: None, .. } => {
                let leads = task.plan.has_followers;
                let value = now.value() + self.step[k];
                self.candidate[joint] = Coordinates::scalar(if leads { value } else { wrap(value) });
                false
            }
            Kind::Hinge { range: Some(range), .. } if self.at_end == AtEnd::Unwind => self.unwind(mover, range),
            Kind::Hinge { range: Some(range), .. } => self.advance_scalar(mover, Some(range), 1.0),
            Kind::Slide { range, .. } => self.advance_scalar(mover, range, task.plan.length),
        }
    }

    fn advance_scalar(&mut self, mover: Mover, range: Option<Interval>, unit: f64) -> bool {
        let now = self.candidate[mover.joint].value();
        let value = now + self.step[mover.column] * unit;
        let inside = range.map_or(value, |range| range.clamp(value));
        self.candidate[mover.joint] = Coordinates::scalar(inside);
        inside != value && self.pin(mover.column, (inside - now) / unit)
    }

    /// Moves a hinge by its part of `step`, to the nearest angle on the circle that its range holds.
    fn unwind(&mut self, mover: Mover, range: Interval) -> bool {
        let now = self.candidate[mover.joint].value();
        let value = now + self.step[mover.column];
        let inside = range.clamp_angle(value);
        self.candidate[mover.joint] = Coordinates::scalar(inside);
        // Whole turns do not count: the same angle is no stop.
        wrap(inside - value).abs() > AT_BOUND && self.pin(mover.column, wrap(inside - now))
    }

    fn advance_ball(&mut self, at: usize, mover: Mover, swing: Option<Swing>, twist: Option<Interval>) -> bool {
        let k = mover.column;
        let now = self.candidate[mover.joint];
        let [c, s] = self.basis[at];
        let (along, across) = (self.step[k], self.step[k + 1]);
        let mut tilt = [now.tilt()[0] + c * along - s * across, now.tilt()[1] + s * along + c * across];
        let turned = now.twist() + self.step[k + 2];
        let mut stopped = false;
        match swing {
            Some(swing) => {
                let inside = swing.clamp(tilt);
                if inside != tilt {
                    stopped |= self.pin_swing(at, k, swing, now.tilt(), tilt, inside);
                }
                tilt = inside;
            }
            // Without a rim the link swings through the antipode, and comes back from the other side.
            None => {
                let length = tilt[0].hypot(tilt[1]);
                if length > PI {
                    tilt = tilt.map(|part| part * (length - TAU) / length);
                }
            }
        }
        let twisted = twist.map_or_else(|| wrap(turned), |range| range.clamp(turned));
        if twist.is_some() && twisted != turned {
            stopped |= self.pin(k + 2, twisted - now.twist());
        }
        self.candidate[mover.joint] = Coordinates::ball(tilt, twisted);
        stopped
    }

    /// Holds what takes a tilt out of its limits: the part normal to the rim, or the locked axes.
    fn pin_swing(
        &mut self,
        at: usize,
        k: usize,
        swing: Swing,
        now: [f64; 2],
        tilt: [f64; 2],
        inside: [f64; 2],
    ) -> bool {
        if let Some(normal) = swing.outward(inside) {
            if self.held[k].is_some() {
                return false;
            }
            self.turn_basis(at, k, normal);
            return self.pin(k, normal[0] * (inside[0] - now[0]) + normal[1] * (inside[1] - now[1]));
        }
        // Next to a locked side the axes stop one by one; the columns then stand for them again.
        if self.basis[at] != [1.0, 0.0] {
            return false;
        }
        let mut stopped = false;
        for axis in 0..2 {
            if inside[axis] != tilt[axis] {
                stopped |= self.pin(k + axis, inside[axis] - now[axis]);
            }
        }
        stopped
    }

    /// Holds column `k` at `step` from now on; false when it was held already.
    fn pin(&mut self, k: usize, step: f64) -> bool {
        let free = self.held[k].is_none();
        if free {
            self.held[k] = Some(step);
        }
        free
    }
}
