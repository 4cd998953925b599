//! The limits in the refiner: which columns a step may not use, and where a step that would violate a limit ends.

use super::{AtEnd, Refiner};
use crate::model::joint::Kind;
use crate::model::limits::{Interval, Swing, wrap};
use crate::model::pose::Coordinates;
use crate::tree::layout::ActiveJoint;
use crate::tree::objective::Objective;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// Distance from a bound that counts as being at it: radians, lengths for slides, or a fraction of a swing's extent.
const BOUND_TOLERANCE: f64 = 1e-9;

impl Refiner {
    /// Resets the first two columns of all balls to the axes.
    pub(crate) fn reset_basis(&mut self, objective: &Objective) {
        self.basis.clear();
        self.basis.resize(objective.layout.active_joints.len(), [1.0, 0.0]);
    }

    /// Sets `initially_pinned` for `pose`: see [`Refiner::pin_limited`].
    pub(crate) fn pin_all_limited(&mut self, objective: &Objective, pose: &[Coordinates], pin_blocked: bool) {
        self.initially_pinned.clear();
        self.initially_pinned.resize(objective.layout.columns, None);
        for (at, &active) in objective.layout.active_joints.iter().enumerate() {
            self.pin_limited(objective, at, active, &pose[active.joint], pin_blocked);
        }
        for &column in &self.held {
            self.initially_pinned[column] = Some(0.0);
        }
    }

    /// Pins the columns of a joint that cannot move; with `pin_blocked`, also those that push against a limit.
    fn pin_limited(
        &mut self,
        objective: &Objective,
        at: usize,
        active: ActiveJoint,
        now: &Coordinates,
        pin_blocked: bool,
    ) {
        let k = active.column;
        match objective.skeleton.kind(active.joint) {
            Kind::Hinge { range: Some(range), .. } | Kind::Slide { range: Some(range), .. } => {
                self.pin_scalar(k, *range, now.value(), pin_blocked);
            }
            Kind::Ball { swing, twist } => {
                if let Some(range) = twist {
                    self.pin_scalar(k + 2, *range, now.twist(), pin_blocked);
                }
                let Some(swing) = swing else { return };
                for (axis, locked) in swing.locked().into_iter().enumerate() {
                    if locked {
                        self.initially_pinned[k + axis] = Some(0.0);
                    }
                }
                if !pin_blocked || swing.fraction(now.tilt()) < 1.0 - BOUND_TOLERANCE {
                    return;
                }
                let Some(normal) = swing.outward(now.tilt()) else { return };
                if self.slope(k) * normal[0] + self.slope(k + 1) * normal[1] < 0.0 {
                    self.turn_basis(at, k, normal);
                    self.initially_pinned[k] = Some(0.0);
                }
            }
            _ => {}
        }
    }

    fn pin_scalar(&mut self, k: usize, range: Interval, now: f64, pin_blocked: bool) {
        let slope = || self.slope(k);
        let stopped = range.width() < BOUND_TOLERANCE
            || (pin_blocked
                && ((range.at_low(now, BOUND_TOLERANCE) && slope() > 0.0)
                    || (range.at_high(now, BOUND_TOLERANCE) && slope() < 0.0)));
        if stopped {
            self.initially_pinned[k] = Some(0.0);
        }
    }

    /// Turns the first two columns of a ball so that the first one is along `normal`.
    fn turn_basis(&mut self, at: usize, k: usize, normal: [f64; 2]) {
        let [c, s] = self.basis[at];
        let (along, across) = (normal[0] * c + normal[1] * s, normal[1] * c - normal[0] * s);
        let (first, second) = self.jacobian.two_columns(k);
        for (x, y) in first.iter_mut().zip(second) {
            (*x, *y) = (along * *x + across * *y, along * *y - across * *x);
        }
        if let Some([x, y]) = self.homing.get_mut(k..k + 2).and_then(|home| home.first_chunk_mut()) {
            (*x, *y) = (along * *x + across * *y, along * *y - across * *x);
        }
        self.basis[at] = normal;
    }

    /// Moves one joint of `candidate` by its part of `step`. Returns whether a limit stopped it; its columns are then
    /// pinned.
    pub(crate) fn advance(&mut self, objective: &Objective, at: usize, active: ActiveJoint) -> bool {
        let (k, joint) = (active.column, active.joint);
        // The columns of quaternions are turns about the world's axes.
        let to_rest = || {
            let rest = objective.skeleton.rest_frame_in(joint, objective.problem.base, &self.evaluation.frames);
            rest.rotation.conjugate()
        };
        let vector = |k: usize| DVec3::new(self.step[k], self.step[k + 1], self.step[k + 2]);
        let now = self.candidate[joint];
        match *objective.skeleton.kind(joint) {
            Kind::Fixed => false,
            Kind::Free => {
                let inverse = to_rest();
                let position = now.free_position() + inverse * vector(k) * objective.layout.length;
                let turn = DQuat::from_scaled_axis(inverse * vector(k + 3));
                self.candidate[joint] = Coordinates::free(position, (turn * now.free_rotation()).normalize());
                false
            }
            Kind::Ball { swing: None, twist: None } => {
                let turn = DQuat::from_scaled_axis(to_rest() * vector(k));
                self.candidate[joint] = Coordinates::rotation((turn * now.ball_rotation()).normalize());
                false
            }
            Kind::Ball { swing, twist } => self.advance_ball(at, active, swing, twist),
            Kind::Hinge { range: Some(range), .. } if self.at_end == AtEnd::Unwind => self.unwind(active, range),
            Kind::Hinge { range, .. } => self.advance_scalar(active, range, 1.0),
            Kind::Slide { range, .. } => self.advance_scalar(active, range, objective.layout.length),
        }
    }

    fn advance_scalar(&mut self, active: ActiveJoint, range: Option<Interval>, unit: f64) -> bool {
        let now = self.candidate[active.joint].value();
        let value = now + self.step[active.column] * unit;
        let inside = range.map_or(value, |range| range.clamp(value));
        self.candidate[active.joint] = Coordinates::scalar(inside);
        inside != value && self.pin_column(active.column, (inside - now) / unit)
    }

    /// Moves a hinge by its part of `step`, to the nearest allowed angle on the circle.
    fn unwind(&mut self, active: ActiveJoint, range: Interval) -> bool {
        let now = self.candidate[active.joint].value();
        let value = now + self.step[active.column];
        let inside = range.clamp_angle(value);
        self.candidate[active.joint] = Coordinates::scalar(inside);
        // The same angle after a whole turn is not a stop.
        wrap(inside - value).abs() > BOUND_TOLERANCE && self.pin_column(active.column, wrap(inside - now))
    }

    fn advance_ball(&mut self, at: usize, active: ActiveJoint, swing: Option<Swing>, twist: Option<Interval>) -> bool {
        let k = active.column;
        let now = self.candidate[active.joint];
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
            // Without a rim, the link swings through the antipode and continues on the other side.
            None => {
                let length = tilt[0].hypot(tilt[1]);
                if length > PI {
                    tilt = tilt.map(|part| part * (length - TAU) / length);
                }
            }
        }
        let twisted = twist.map_or_else(|| wrap(turned), |range| range.clamp(turned));
        if twist.is_some() && twisted != turned {
            stopped |= self.pin_column(k + 2, twisted - now.twist());
        }
        self.candidate[active.joint] = Coordinates::ball(tilt, twisted);
        stopped
    }

    /// Pins what takes a tilt out of its limits: the part normal to the rim, or the locked axes.
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
            if self.pinned[k].is_some() {
                return false;
            }
            self.turn_basis(at, k, normal);
            return self.pin_column(k, normal[0] * (inside[0] - now[0]) + normal[1] * (inside[1] - now[1]));
        }
        // Next to a locked side, each axis stops separately; that requires columns that stand for the axes.
        if self.basis[at] != [1.0, 0.0] {
            return false;
        }
        let mut stopped = false;
        for axis in 0..2 {
            if inside[axis] != tilt[axis] {
                stopped |= self.pin_column(k + axis, inside[axis] - now[axis]);
            }
        }
        stopped
    }

    /// Pins column `k` at `step`. Returns false if it is pinned already.
    fn pin_column(&mut self, k: usize, step: f64) -> bool {
        let free = self.pinned[k].is_none();
        if free {
            self.pinned[k] = Some(step);
        }
        free
    }
}
