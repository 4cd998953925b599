//! A serial arm as lines in space: the axis of each joint while all coordinates are zero.
//!
//! A hinge turns everything behind it about its axis, a slide shifts everything behind it along its axis. The frame of
//! the effector is the product of these motions, applied to its frame at zero. Fixed joints, and joints whose range is a
//! single value, vanish.
//!
//! Source: R. W. Brockett, *Robotic manipulators and the product of exponentials formula*, 1984.

use crate::model::joint::{Axes, Kind};
use crate::model::limits::{Interval, nearest_turn, wrap};
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Effector;
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;
use crate::model::unsupported_arm::{UnsupportedArm, UnsupportedReason};
use glam::{DQuat, DVec3};

/// One moving joint of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    /// A point on the axis.
    pub point: DVec3,
    /// Unit length.
    pub direction: DVec3,
    /// Whether the coordinate is a distance along the axis, not an angle about it.
    pub slides: bool,
    /// The coordinate is `scale` times the variable plus `shift`.
    pub variable: usize,
    pub scale: f64,
    pub shift: f64,
}

/// The moving joints between a base and an effector. Positions are in the world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SerialArm {
    /// The moving joints, base first, followers included.
    pub axes: Vec<Axis>,
    /// The joint of each variable. Followers have none.
    pub variables: Vec<usize>,
    /// The range of each variable.
    pub ranges: Vec<Option<Interval>>,
    /// Whether each variable is a distance.
    pub slides: Vec<bool>,
    /// Whether each variable reaches the same pose after a whole turn too.
    pub circles: Vec<bool>,
    /// The tip's position and the effector's orientation with all coordinates at zero.
    pub home: Isometry,
    /// The length that errors and distances are divided by.
    pub size: f64,
}

/// Largest excess over a limit that counts as rounding, radians or lengths relative to the size.
const LIMIT_ROUNDING: f64 = 1e-9;

impl SerialArm {
    /// The arm of an effector. Joints that do not belong to its chain keep still as in `pose`, which is inside the limits;
    /// `base` is the parent frame of the roots.
    ///
    /// # Errors
    /// [`UnsupportedArm`] if it is not a line of hinges, slides and fixed joints.
    pub fn new(
        skeleton: &Skeleton,
        effector: &Effector,
        base: Isometry,
        pose: &[Coordinates],
    ) -> Result<Self, UnsupportedArm> {
        let name = |joint: usize| skeleton.joints().get(joint).map_or_else(|| joint.to_string(), |j| j.name.clone());
        let unsupported = |joint, reason| UnsupportedArm { joint: name(joint), reason };
        if effector.joint >= skeleton.len() {
            return Err(unsupported(effector.joint, UnsupportedReason::Missing));
        }
        let mut chain: Vec<usize> = effector.chain_joints(skeleton).collect();
        chain.reverse();
        let leader = |joint: usize| skeleton.joints()[joint].mimic.map_or(joint, |mimic| mimic.joint);
        let moves = |joint: usize| skeleton.kind(leader(joint)).can_move();
        let leads = |joint: &usize| leader(*joint) == *joint && moves(*joint);
        let variables: Vec<usize> = chain.iter().copied().filter(leads).collect();
        let parent = chain.first().and_then(|&top| skeleton.joints()[top].parent);
        let mut frame = parent.map_or(base, |joint| skeleton.frame_of(base, pose, joint));
        let mut axes = Vec::with_capacity(chain.len());
        for &joint in &chain {
            let own = &skeleton.joints()[joint];
            if own.axes == Axes::World {
                return Err(unsupported(joint, UnsupportedReason::WorldAxes));
            }
            let kind = skeleton.kind(joint);
            let rest = skeleton.rest_frame(joint, frame);
            frame = match kind {
                Kind::Ball { .. } | Kind::Free => return Err(unsupported(joint, UnsupportedReason::Kind)),
                Kind::Hinge { .. } | Kind::Slide { .. } if !moves(joint) => kind.frame(rest, &pose[joint]),
                Kind::Hinge { axis, .. } | Kind::Slide { axis, .. } => {
                    let variable = variables.iter().position(|&variable| variable == leader(joint));
                    let variable = variable.ok_or_else(|| unsupported(joint, UnsupportedReason::Leader))?;
                    let (scale, shift) = own.mimic.map_or((1.0, 0.0), |mimic| (mimic.scale, mimic.offset));
                    let slides = matches!(kind, Kind::Slide { .. });
                    let direction = rest.rotation * *axis;
                    axes.push(Axis { point: rest.position, direction, slides, variable, scale, shift });
                    rest
                }
                Kind::Fixed => rest,
            };
        }
        if variables.is_empty() {
            return Err(unsupported(effector.joint, UnsupportedReason::Immovable));
        }
        let range = |&joint: &usize| match *skeleton.kind(joint) {
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => range,
            _ => None,
        };
        Ok(SerialArm {
            axes,
            ranges: variables.iter().map(range).collect(),
            slides: variables.iter().map(|&joint| matches!(skeleton.kind(joint), Kind::Slide { .. })).collect(),
            circles: variables.iter().map(|joint| skeleton.circles().binary_search(joint).is_ok()).collect(),
            variables,
            home: Isometry::new(frame.point(effector.tip), frame.rotation),
            size: effector.error_scale(skeleton, []),
        })
    }

    /// `pose` with other variables; followers go along.
    pub fn pose(&self, skeleton: &Skeleton, pose: &[Coordinates], coordinates: &[f64]) -> Pose {
        let mut pose = pose.to_vec();
        for (&joint, &value) in self.variables.iter().zip(coordinates) {
            pose[joint] = Coordinates::scalar(value);
        }
        skeleton.follow(&mut pose);
        pose
    }

    /// Position of the tip and orientation of the effector. Writes the axes as they are then: direction, and a point.
    pub fn forward(&self, coordinates: &[f64], lines: &mut Vec<(DVec3, DVec3)>) -> Isometry {
        lines.clear();
        let mut moved = Isometry::IDENTITY;
        for axis in &self.axes {
            let value = axis.scale * coordinates[axis.variable] + axis.shift;
            lines.push((moved.rotation * axis.direction, moved.point(axis.point)));
            moved = moved.frame(if axis.slides {
                Isometry::new(axis.direction * value, DQuat::IDENTITY)
            } else {
                turn_about(axis.point, axis.direction, value)
            });
        }
        moved.frame(self.home)
    }

    /// The largest move of a variable: radians, or distances as fractions of the arm's size. Hinges without limits take
    /// the shorter way around.
    pub fn largest_move(&self, from: &[f64], to: &[f64]) -> f64 {
        let moves = (0..self.variables.len()).map(|at| self.difference(at, from[at], to[at]).abs());
        moves.fold(0.0, f64::max)
    }

    /// The signed move of one variable, in the units of [`SerialArm::largest_move`].
    pub fn difference(&self, variable: usize, from: f64, to: f64) -> f64 {
        match self.ranges[variable] {
            None if !self.slides[variable] => wrap(to - from),
            _ => (to - from) / self.unit(variable),
        }
    }

    /// The change of a variable that counts as a move of 1: a radian, or the arm's size.
    pub fn unit(&self, variable: usize) -> f64 {
        if self.slides[variable] { self.size } else { 1.0 }
    }

    /// The nearest allowed value of a variable to `value`.
    pub fn clamp(&self, variable: usize, value: f64) -> f64 {
        self.ranges[variable].map_or(value, |range| range.clamp(value))
    }

    /// The value inside the range of a hinge that differs from `angle` by whole turns and lies next to `near`; `None` if
    /// there is none.
    pub fn unwound(&self, variable: usize, angle: f64, near: f64) -> Option<f64> {
        let widened = |range: Interval| Interval::new(range.low() - LIMIT_ROUNDING, range.high() + LIMIT_ROUNDING).ok();
        Some(self.clamp(variable, nearest_turn(self.ranges[variable].and_then(widened), angle, near)?))
    }
}

/// The rotation by `angle` about a line.
pub(crate) fn turn_about(point: DVec3, direction: DVec3, angle: f64) -> Isometry {
    let rotation = DQuat::from_axis_angle(direction, angle);
    Isometry::new(point - rotation * point, rotation)
}
