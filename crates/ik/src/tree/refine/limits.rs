//! The limits of joints in a step: which columns a step may not use, and where a step that would violate a limit ends.

use crate::layout::{ActiveJoint, make_room};
use crate::maths;
use crate::model::{Coordinates, Interval, Kind, Swing, wrap};
use crate::step::Step;
use crate::tasks::Objective;
use crate::tasks::evaluation::Evaluation;
use crate::tree::refine::largest_step::LargestStep;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Distance from a bound that counts as being at it: radians, lengths for slides, or a fraction of a swing's extent.
const BOUND_TOLERANCE: f64 = 1e-9;

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

/// What a step of a skeleton starts from.
#[derive(Clone, Copy)]
pub(crate) struct StartPose<'a> {
    pub objective: &'a Objective<'a>,
    pub pose: &'a [Coordinates],
    /// That of the pose.
    pub evaluation: &'a Evaluation,
}

/// The limits of all joints that a step may move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// For each active joint, the direction in its two tilts that the first of its columns stands for: `[1, 0]` unless
    /// a rim has turned them.
    basis: Vec<[f64; 2]>,
    pub at_end: AtEnd,
    pub largest_step: LargestStep,
}

impl Limits {
    /// Makes room for these numbers of active joints and of all joints.
    pub fn reserve(&mut self, active: usize, joints: usize) {
        make_room(&mut self.basis, active);
        self.largest_step.reserve(joints);
    }

    /// Begins a step, whose Jacobian is new: no column is pinned, and the first two columns of all balls stand for the axes.
    pub fn begin(&mut self, objective: &Objective, step: &mut Step) {
        self.basis.clear();
        self.basis.resize(objective.layout.active_joints.len(), [1.0, 0.0]);
        step.release(objective.layout.columns);
    }

    /// Pins the columns that cannot move; with `pin_blocked`, also those that push against a limit.
    pub fn pin(&mut self, start: &StartPose, pin_blocked: bool, step: &mut Step) {
        for (at, &active) in start.objective.layout.active_joints.iter().enumerate() {
            self.pin_joint(start, (at, active), pin_blocked, step);
        }
    }

    /// Writes values of columns that stand for the axes of balls as those of the columns of the step.
    pub fn turn(&self, objective: &Objective, values: &mut [f64]) {
        let turned = objective.layout.active_joints.iter().zip(&self.basis).filter(|(_, basis)| **basis != [1.0, 0.0]);
        for (&ActiveJoint { column: k, .. }, &[c, s]) in turned {
            let (x, y) = (values[k], values[k + 1]);
            (values[k], values[k + 1]) = (c * x + s * y, c * y - s * x);
        }
    }

    /// Begins a step and returns the columns that limits block, with the slopes of half the cost: their joints are at one and push
    /// against it with more than `force`.
    pub fn blocked<'s>(
        &mut self,
        start: &'s StartPose,
        force: f64,
        step: &'s mut Step,
    ) -> impl Iterator<Item = (usize, f64)> + use<'s> {
        self.begin(start.objective, step);
        self.pin(start, false, step);
        step.pinned.clone_from(&step.held);
        self.pin(start, true, step);
        let step = &*step;
        let blocks = |k: &usize| step.pinned[*k].is_none() && step.held[*k].is_some();
        let slope = |k: usize| (k, step.slope(k, &start.evaluation.residuals));
        (0..step.held.len()).filter(blocks).map(slope).filter(move |(_, slope)| slope.abs() > force)
    }

    /// Moves all joints from the start pose by their parts of the step, as far as the limits allow; the result is in `moved`.
    /// Returns whether a limit stopped one; its columns are then pinned.
    pub fn advance(&mut self, start: &StartPose, step: &mut Step, moved: &mut [Coordinates]) -> bool {
        moved.copy_from_slice(start.pose);
        let mut stopped = false;
        for (at, &active) in start.objective.layout.active_joints.iter().enumerate() {
            stopped |= self.advance_joint(start, (at, active), step, &mut moved[active.joint]);
        }
        if start.objective.layout.has_followers {
            start.objective.skeleton.follow(moved);
        }
        stopped
    }

    fn pin_joint(
        &mut self,
        start: &StartPose,
        (at, ActiveJoint { joint, column: k }): (usize, ActiveJoint),
        pin_blocked: bool,
        step: &mut Step,
    ) {
        let (now, Evaluation { residuals, posture, .. }) = (&start.pose[joint], start.evaluation);
        let mut pin_scalar = |k: usize, range: Interval, now: f64| {
            let slope = || step.slope(k, residuals) + posture.slope(k);
            let stopped = range.width() < BOUND_TOLERANCE
                || (pin_blocked
                    && ((range.at_low(now, BOUND_TOLERANCE) && slope() > 0.0)
                        || (range.at_high(now, BOUND_TOLERANCE) && slope() < 0.0)));
            if stopped {
                step.held[k] = Some(0.0);
            }
        };
        match start.objective.skeleton.kind(joint) {
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => {
                if let Some(range) = self.largest_step.range(joint, *range) {
                    pin_scalar(k, range, now.value());
                }
            }
            Kind::Ball { swing, twist } => {
                if let Some(range) = twist {
                    pin_scalar(k + 2, *range, now.twist());
                }
                let Some(swing) = swing else { return };
                for (axis, locked) in swing.locked().into_iter().enumerate() {
                    if locked {
                        step.held[k + axis] = Some(0.0);
                    }
                }
                if !pin_blocked || swing.fraction(now.tilt()) < 1.0 - BOUND_TOLERANCE {
                    return;
                }
                let Some(normal) = swing.outward(now.tilt()) else { return };
                let [along_x, along_y] = [k, k + 1].map(|k| step.slope(k, residuals) + posture.slope(k));
                if along_x * normal[0] + along_y * normal[1] < 0.0 {
                    self.turn_basis((at, k), normal, step);
                    step.held[k] = Some(0.0);
                }
            }
            _ => {}
        }
    }

    /// Turns the first two columns of a ball, from column `k` on, so that the first one is along `normal`.
    fn turn_basis(&mut self, (at, k): (usize, usize), normal: [f64; 2], step: &mut Step) {
        let [c, s] = self.basis[at];
        let (along, across) = (normal[0] * c + normal[1] * s, normal[1] * c - normal[0] * s);
        let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (along * *x + across * *y, along * *y - across * *x);
        let (first, second) = step.jacobian.two_columns(k);
        first.iter_mut().zip(second).for_each(|(x, y)| turn(x, y));
        if let Some([x, y]) = step.reference.get_mut(k..k + 2) {
            turn(x, y);
        }
        self.basis[at] = normal;
    }

    /// Moves one joint. Returns whether a limit stopped it.
    fn advance_joint(
        &mut self,
        start: &StartPose,
        (at, ActiveJoint { joint, column: k }): (usize, ActiveJoint),
        step: &mut Step,
        moved: &mut Coordinates,
    ) -> bool {
        let (objective, now) = (start.objective, start.pose[joint]);
        // The columns of quaternions are turns about the world's axes.
        let to_rest = || {
            let rest = objective.skeleton.rest_frame_in(joint, objective.problem.base, &start.evaluation.frames);
            rest.rotation.conjugate()
        };
        let vector = |k: usize| DVec3::new(step.values[k], step.values[k + 1], step.values[k + 2]);
        let (coordinates, stopped) = match *objective.skeleton.kind(joint) {
            Kind::Fixed => return false,
            Kind::Free => {
                let inverse = to_rest();
                let position = now.free_position() + inverse * vector(k) * objective.layout.length;
                let turn = maths::turn_by(inverse * vector(k + 3));
                (Coordinates::free(position, (turn * now.free_rotation()).normalize()), false)
            }
            Kind::Ball { swing: None, twist: None } => {
                let turn = maths::turn_by(to_rest() * vector(k));
                (Coordinates::rotation((turn * now.ball_rotation()).normalize()), false)
            }
            Kind::Ball { swing, twist } => self.advance_ball((at, k), now, swing, twist, step),
            Kind::Hinge { range: Some(range), .. } if self.at_end == AtEnd::Unwind => {
                unwind(k, now.value(), range, step)
            }
            ref kind @ (Kind::Hinge { range, .. } | Kind::Slide { range, .. }) => {
                let unit = if matches!(kind, Kind::Slide { .. }) { objective.layout.length } else { 1.0 };
                let range = self.largest_step.range(joint, range);
                let (value, stopped) = step.inside(k, now.value(), range, unit);
                (Coordinates::scalar(value), stopped)
            }
        };
        *moved = self.largest_step.shorten(objective.skeleton, joint, coordinates);
        stopped
    }

    fn advance_ball(
        &mut self,
        (at, k): (usize, usize),
        now: Coordinates,
        swing: Option<Swing>,
        twist: Option<Interval>,
        step: &mut Step,
    ) -> (Coordinates, bool) {
        let [c, s] = self.basis[at];
        let (along, across) = (step.values[k], step.values[k + 1]);
        let mut tilt = [now.tilt()[0] + c * along - s * across, now.tilt()[1] + s * along + c * across];
        let turned = now.twist() + step.values[k + 2];
        let mut stopped = false;
        match swing {
            Some(swing) => {
                let inside = swing.clamp(tilt);
                if inside != tilt {
                    stopped |= self.pin_swing((at, k), swing, [now.tilt(), tilt, inside], step);
                }
                tilt = inside;
            }
            // Without a rim, the link swings through the antipode and continues on the other side.
            None => {
                let length = maths::hypot(tilt[0], tilt[1]);
                if length > PI {
                    tilt = tilt.map(|part| part * (length - TAU) / length);
                }
            }
        }
        let twisted = twist.map_or_else(|| wrap(turned), |range| range.clamp(turned));
        if twist.is_some() && twisted != turned {
            stopped |= step.pin(k + 2, twisted - now.twist());
        }
        let coordinates = Coordinates::ball(tilt, twisted);
        // Next to the antipode, a tilt has no direction.
        (if swing.is_none() { Kind::Ball { swing, twist }.project(coordinates) } else { coordinates }, stopped)
    }

    /// Pins what takes a tilt out of its limits: the part normal to the rim, or the locked axes.
    fn pin_swing(
        &mut self,
        (at, k): (usize, usize),
        swing: Swing,
        [now, tilt, inside]: [[f64; 2]; 3],
        step: &mut Step,
    ) -> bool {
        if let Some(normal) = swing.outward(inside) {
            if step.pinned[k].is_some() {
                return false;
            }
            self.turn_basis((at, k), normal, step);
            return step.pin(k, normal[0] * (inside[0] - now[0]) + normal[1] * (inside[1] - now[1]));
        }
        // Next to a locked side, each axis stops separately; that requires columns that stand for the axes.
        if self.basis[at] != [1.0, 0.0] {
            return false;
        }
        let mut stopped = false;
        for axis in 0..2 {
            if inside[axis] != tilt[axis] {
                stopped |= step.pin(k + axis, inside[axis] - now[axis]);
            }
        }
        stopped
    }
}

/// Moves a hinge by its part of the step, to the nearest allowed angle on the circle.
fn unwind(k: usize, now: f64, range: Interval, step: &mut Step) -> (Coordinates, bool) {
    let value = now + step.values[k];
    let inside = range.clamp_angle(value);
    // The same angle after a whole turn is not a stop.
    let stopped = wrap(inside - value).abs() > BOUND_TOLERANCE && step.pin(k, wrap(inside - now));
    (Coordinates::scalar(inside), stopped)
}
