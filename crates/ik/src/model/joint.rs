//! Joint kinds: what their coordinates mean, and the nearest coordinates inside their limits.

use super::limits::wrap;
use super::limits::{Interval, Swing};
use super::pose::Coordinates;
use super::transform::{Isometry, ShortLog};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Which axes a joint's rest frame is given in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Axes {
    /// The parent's: the rest frame turns with it.
    #[default]
    Parent,
    /// The world's: the joint keeps its attitude whatever its parent does (a global hinge).
    World,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Kind {
    /// Turns about all axes; the link axis is local +z. Without both limits it turns freely and holds a quaternion.
    Ball {
        /// Largest tilt of the link axis; none: any.
        swing: Option<Swing>,
        /// Twist about the link axis, radians; none: any.
        twist: Option<Interval>,
    },
    /// Turns about one axis (unit length, in the rest frame).
    Hinge {
        /// Axis, unit length.
        axis: DVec3,
        /// Angles allowed, radians; none: any.
        range: Option<Interval>,
    },
    /// Moves along one axis (unit length, in the rest frame).
    Slide {
        /// Axis, unit length.
        axis: DVec3,
        /// Distances allowed; none: any.
        range: Option<Interval>,
    },
    /// Does not move.
    Fixed,
    /// Moves and turns freely: a free root, a rope's end.
    Free,
}

/// Largest tilt of a ball whose swing is not limited: just short of the antipode, where the tilt's direction is lost.
const ANY_SWING: f64 = PI - 1e-3;

impl Kind {
    /// A ball without limits.
    pub const UNLIMITED_BALL: Kind = Kind::Ball { swing: None, twist: None };

    /// Whether the joint is a ball without any limit (and so holds a quaternion).
    #[inline]
    pub fn is_unlimited_ball(&self) -> bool {
        matches!(self, Kind::Ball { swing: None, twist: None })
    }

    /// Number of coordinates that the kind uses.
    pub fn coordinate_count(&self) -> usize {
        match self {
            Kind::Ball { swing: None, twist: None } => 4,
            Kind::Ball { .. } => 3,
            Kind::Hinge { .. } | Kind::Slide { .. } => 1,
            Kind::Fixed => 0,
            Kind::Free => 7,
        }
    }

    /// Coordinates of the rest pose, moved into the limits where those exclude it.
    pub fn rest(&self) -> Coordinates {
        match self {
            Kind::Ball { swing: None, twist: None } => Coordinates::rotation(DQuat::IDENTITY),
            Kind::Free => Coordinates::free(DVec3::ZERO, DQuat::IDENTITY),
            _ => self.project(Coordinates::default()),
        }
    }

    /// Nearest coordinates inside the limits; quaternions are made unit length.
    pub fn project(&self, coordinates: Coordinates) -> Coordinates {
        let c = coordinates;
        match self {
            Kind::Ball { swing: None, twist: None } => Coordinates::rotation(unit(c.ball_rotation())),
            Kind::Ball { swing, twist } => {
                let tilt = match swing {
                    Some(swing) => swing.clamp(c.tilt()),
                    None => Swing::cone(ANY_SWING).map_or(c.tilt(), |any| any.clamp(c.tilt())),
                };
                Coordinates::ball(tilt, twist.map_or_else(|| wrap(c.twist()), |range| range.clamp_angle(c.twist())))
            }
            Kind::Hinge { range, .. } => {
                Coordinates::scalar(range.map_or_else(|| wrap(c.value()), |range| range.clamp_angle(c.value())))
            }
            Kind::Slide { range, .. } => Coordinates::scalar(range.map_or(c.value(), |range| range.clamp(c.value()))),
            Kind::Fixed => Coordinates::default(),
            Kind::Free => Coordinates::free(c.free_position(), unit(c.free_rotation())),
        }
    }

    /// Rotation from the rest frame to the joint's own frame.
    #[inline]
    pub fn rotation(&self, coordinates: &Coordinates) -> DQuat {
        match self {
            Kind::Ball { swing: None, twist: None } => coordinates.ball_rotation(),
            Kind::Ball { .. } => swing_rotation(coordinates.tilt()) * DQuat::from_rotation_z(coordinates.twist()),
            Kind::Hinge { axis, .. } => DQuat::from_axis_angle(*axis, coordinates.value()),
            Kind::Slide { .. } | Kind::Fixed => DQuat::IDENTITY,
            Kind::Free => coordinates.free_rotation(),
        }
    }

    /// The joint's frame, from its rest frame: forward kinematics of one joint.
    #[inline]
    pub fn frame(&self, rest: Isometry, coordinates: &Coordinates) -> Isometry {
        match self {
            Kind::Slide { axis, .. } => Isometry::new(rest.point(*axis * coordinates.value()), rest.rotation),
            Kind::Fixed => rest,
            Kind::Free => {
                Isometry::new(rest.point(coordinates.free_position()), rest.rotation * coordinates.free_rotation())
            }
            _ => Isometry::new(rest.position, rest.rotation * self.rotation(coordinates)),
        }
    }

    /// Coordinates of a limited ball whose rotation from the rest frame is `rotation`: swing after twist.
    pub fn ball_coordinates(rotation: DQuat) -> Coordinates {
        let q = rotation;
        let twist = if q.w.abs() + q.z.abs() < 1e-12 { 0.0 } else { wrap(2.0 * q.z.atan2(q.w)) };
        let swing = (q * DQuat::from_rotation_z(-twist)).to_scaled_axis_short();
        Coordinates::ball([swing.y, -swing.x], twist)
    }
}

/// The rotation that tilts +z by `|tilt|` toward `(a, b)`: `exp(-b, a, 0)`.
pub(crate) fn swing_rotation([a, b]: [f64; 2]) -> DQuat {
    DQuat::from_scaled_axis(DVec3::new(-b, a, 0.0))
}

/// Unit quaternion nearest to `q`; identity where `q` is (nearly) zero. One that is unit up to rounding is kept to the
/// bit, so that making it unit twice is making it unit once.
pub(crate) fn unit(q: DQuat) -> DQuat {
    let squared = q.length_squared();
    if (squared - 1.0).abs() < UNIT {
        q
    } else if squared > 1e-24 {
        q.normalize()
    } else {
        DQuat::IDENTITY
    }
}

/// Unit vector along `v`, if it has a direction; one that is unit up to rounding is kept to the bit.
pub(crate) fn unit_axis(v: DVec3) -> Option<DVec3> {
    if (v.length_squared() - 1.0).abs() < UNIT { Some(v) } else { v.try_normalize() }
}

/// How far from 1 rounding leaves the squared length of what was made unit.
const UNIT: f64 = 1e-14;

/// A joint that follows another one: its coordinate is `scale * other + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mimic {
    /// Index of the joint that leads.
    pub joint: usize,
    /// Factor.
    pub scale: f64,
    /// Constant, radians or length.
    pub offset: f64,
}

impl Mimic {
    /// The coordinate that the follower takes in `pose`.
    pub(crate) fn coordinate(&self, pose: &[Coordinates]) -> Coordinates {
        Coordinates::scalar(self.scale * pose[self.joint].value() + self.offset)
    }
}

/// One joint of a skeleton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Name, unique in the skeleton.
    pub name: String,
    /// Index of the parent, smaller than the joint's own; none: a root.
    pub parent: Option<usize>,
    /// The joint's place in the parent's frame (a root's: in the world).
    pub offset: DVec3,
    /// Rotation of the rest frame, in the axes that `axes` names; unit length.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest: DQuat,
    /// Axes of `rest`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub axes: Axes,
    /// How it moves.
    pub kind: Kind,
    /// The joint that this one follows, if any (hinges and slides only).
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint at `offset` from its parent, not turned, following none.
    pub fn new(name: impl Into<String>, parent: Option<usize>, offset: DVec3, kind: Kind) -> Self {
        Joint { name: name.into(), parent, offset, rest: DQuat::IDENTITY, axes: Axes::Parent, kind, mimic: None }
    }
}

impl Coordinates {
    /// The values that a joint of this kind uses, in the order of the table above.
    pub fn values(&self, kind: &Kind) -> &[f64] {
        &self.0[..kind.coordinate_count()]
    }

    /// Coordinates of a joint of this kind from its values; none when there are too few or too many.
    pub fn from_values(kind: &Kind, values: &[f64]) -> Option<Self> {
        let mut coordinates = [0.0; 7];
        let used = &mut coordinates[..kind.coordinate_count()];
        (used.len() == values.len()).then(|| used.copy_from_slice(values))?;
        Some(Coordinates(coordinates))
    }
}
