//! How the limits enter the refiner: which columns a step may not use, and where a step ends that would leave them.

use super::{AtEnd, Refiner};
use crate::model::joint::Kind;
use crate::model::limits::wrap;
use crate::model::limits::{Interval, Swing};
use crate::model::pose::Coordinates;
use crate::tree::layout::Mover;
use crate::tree::objective::Task;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// Relative closeness to a bound that counts as being at it.
const AT_BOUND: f64 = 1e-9;

impl Refiner {
    /// Holds the columns of a joint that cannot move, and with `frozen` those that its limits stop.
    pub(crate) fn hold(&mut self, task: &Task, at: usize, mover: Mover, now: &Coordinates, frozen: bool) {
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
    pub(crate) fn advance(&mut self, task: &Task, at: usize, mover: Mover) -> bool {
        let (k, joint) = (mover.column, mover.joint);
        // Rates of quaternions are given along the world's axes.
        let to_rest = || {
            let parent = task.skeleton.joints()[joint].parent;
            let parent = parent.map_or(task.problem.base, |parent| self.evaluation.frames[parent]);
            task.skeleton.rest_frame(joint, parent).rotation.conjugate()
        };
        let vector = |k: usize| DVec3::new(self.step[k], self.step[k + 1], self.step[k + 2]);
        let now = self.candidate[joint];
        match *task.skeleton.kind(joint) {
            Kind::Fixed => false,
            Kind::Free => {
                let inverse = to_rest();
                let position = now.free_position() + inverse * vector(k) * task.layout.length;
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
                let leads = task.layout.has_followers;
                let value = now.value() + self.step[k];
                self.candidate[joint] = Coordinates::scalar(if leads { value } else { wrap(value) });
                false
            }
            Kind::Hinge { range: Some(range), .. } if self.at_end == AtEnd::Unwind => self.unwind(mover, range),
            Kind::Hinge { range: Some(range), .. } => self.advance_scalar(mover, Some(range), 1.0),
            Kind::Slide { range, .. } => self.advance_scalar(mover, range, task.layout.length),
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
