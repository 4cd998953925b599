//! Joint kinds: the meaning of their coordinates, forward kinematics of one joint, and projection onto the limits.

use super::{
    Coordinates, Interval, Isometry, LimitError, Reason, Swing, check_number, check_rotation, smallest_rotation, wrap,
};
use crate::maths;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// The axes in which the rest frame of a joint is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Axes {
    /// Those of the parent: the rest frame turns with it.
    #[default]
    Parent,
    /// Those of the world: the joint keeps its orientation however its parent turns (a global hinge).
    World,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Kind {
    /// Turns about all axes; the link axis is local +z. Without any limit it is stored as a quaternion.
    Ball {
        /// Largest tilt of the link axis; `None`: unlimited.
        swing: Option<Swing>,
        /// Twist about the link axis, radians; `None`: unlimited.
        twist: Option<Interval>,
    },
    /// Turns about one axis.
    Hinge {
        /// Axis, in the rest frame; unit length. A [`Skeleton`](crate::Skeleton) scales it to that.
        axis: DVec3,
        /// Allowed angles, radians; `None`: unlimited.
        range: Option<Interval>,
    },
    /// Moves along one axis.
    Slide {
        /// Axis, in the rest frame; unit length. A [`Skeleton`](crate::Skeleton) scales it to that.
        axis: DVec3,
        /// Allowed distances; `None`: unlimited.
        range: Option<Interval>,
    },
    /// Does not move.
    Fixed,
    /// Moves and turns freely: a floating root or the end of a rope.
    Free,
}

/// Largest angle to either side of a hinge without limits, radians: ten thousand turns.
pub(crate) const MAX_ANGLE: f64 = 1e4 * TAU;

/// Largest tilt of a ball without a swing limit, radians: just short of the antipode, where the tilt has no direction.
const MAX_UNLIMITED_TILT: f64 = PI - 1e-3;

impl Kind {
    /// A ball without limits.
    pub const UNLIMITED_BALL: Kind = Kind::Ball { swing: None, twist: None };

    /// A ball whose link tilts by at most `tilt` toward any side and twists by at most `twist` either way, radians.
    ///
    /// ```
    /// # use fabrik3d_ik::{Joint, Kind, Skeleton};
    /// # use glam::DVec3;
    /// let leg = Skeleton::new(vec![
    ///     Joint::new("hip", None, DVec3::Y, Kind::limited_ball(1.2, 0.6)?).along(DVec3::NEG_Y),
    ///     Joint::new("knee", Some(0), DVec3::Z * 0.5, Kind::limited_hinge(DVec3::X, 0.0, 2.4)?),
    ///     Joint::new("ankle", Some(1), DVec3::Z * 0.4, Kind::limited_ball(0.8, 0.3)?),
    /// ])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Swing::cone`] and [`Interval::new`].
    pub fn limited_ball(tilt: f64, twist: f64) -> Result<Kind, LimitError> {
        Ok(Kind::Ball { swing: Some(Swing::cone(tilt)?), twist: Some(Interval::new(-twist, twist)?) })
    }

    /// A hinge with angles from `low` to `high`, radians.
    ///
    /// # Errors
    ///
    /// Those of [`Interval::new`].
    pub fn limited_hinge(axis: DVec3, low: f64, high: f64) -> Result<Kind, LimitError> {
        Ok(Kind::Hinge { axis, range: Some(Interval::new(low, high)?) })
    }

    /// A slide with distances from `low` to `high`.
    ///
    /// # Errors
    ///
    /// Those of [`Interval::new`].
    pub fn limited_slide(axis: DVec3, low: f64, high: f64) -> Result<Kind, LimitError> {
        Ok(Kind::Slide { axis, range: Some(Interval::new(low, high)?) })
    }

    /// Whether the joint is a ball without any limit, which is stored as a quaternion.
    #[inline]
    pub fn is_unlimited_ball(&self) -> bool {
        matches!(self, Kind::Ball { swing: None, twist: None })
    }

    /// Number of values that a joint of this kind stores.
    pub fn coordinate_count(&self) -> usize {
        match self {
            Kind::Ball { swing: None, twist: None } => 4,
            Kind::Ball { .. } => 3,
            Kind::Hinge { .. } | Kind::Slide { .. } => 1,
            Kind::Fixed => 0,
            Kind::Free => 7,
        }
    }

    /// The directions in which a joint of this kind moves, limits aside, and so its columns in a Jacobian: three of a ball,
    /// six of a free joint.
    pub fn degrees_of_freedom(&self) -> usize {
        match self {
            Kind::Ball { .. } => 3,
            Kind::Hinge { .. } | Kind::Slide { .. } => 1,
            Kind::Fixed => 0,
            Kind::Free => 6,
        }
    }

    /// Whether the joint can move: it is not fixed, and its range holds more than one value.
    pub fn can_move(&self) -> bool {
        *self != Kind::Fixed && self.range().is_none_or(|range| range.width() > 0.0)
    }

    /// Whether it moves arbitrarily far: a free joint or a slide without limits.
    pub(crate) fn is_unbounded(&self) -> bool {
        matches!(self, Kind::Free | Kind::Slide { range: None, .. })
    }

    /// Whether it is a hinge or a slide, which has one coordinate.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Kind::Hinge { .. } | Kind::Slide { .. })
    }

    /// The range of a hinge or a slide, if it has one.
    pub(crate) fn range(&self) -> Option<Interval> {
        match self {
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => *range,
            _ => None,
        }
    }

    /// Coordinates of the rest pose: zero, or the nearest allowed value if the limits exclude zero.
    pub fn rest(&self) -> Coordinates {
        self.project(Coordinates::default())
    }

    /// The nearest coordinates inside the limits; quaternions are normalized. A hinge without limits counts whole turns, up
    /// to ten thousand to either side; beyond, it starts over from less than a turn. An angle beyond a limit goes to that limit,
    /// even if the other one is nearer on the circle: a joint at its end must not jump to the far end. For angles that
    /// are computed from a rotation there is [`project_rotation`](Self::project_rotation).
    pub fn project(&self, coordinates: Coordinates) -> Coordinates {
        let c = coordinates;
        match self {
            Kind::Ball { swing: None, twist: None } => Coordinates::rotation(unit(c.ball_rotation())),
            Kind::Ball { swing, twist } => {
                let swing = swing.or_else(|| Swing::cone(MAX_UNLIMITED_TILT).ok());
                let tilt = swing.map_or(c.tilt(), |swing| swing.clamp(c.tilt()));
                Coordinates::ball(tilt, twist.map_or_else(|| wrap(c.twist()), |range| range.clamp(c.twist())))
            }
            // Whole turns count, but an angle without bounds would lose its decimals.
            Kind::Hinge { range: None, .. } if c.value().abs() > MAX_ANGLE => Coordinates::scalar(wrap(c.value())),
            Kind::Hinge { range, .. } | Kind::Slide { range, .. } => {
                Coordinates::scalar(range.map_or(c.value(), |range| range.clamp(c.value())))
            }
            Kind::Fixed => Coordinates::default(),
            Kind::Free => Coordinates::free(c.free_position(), unit(c.free_rotation())),
        }
    }

    /// As [`project`](Self::project), for coordinates that are computed from a rotation. Their angles are known up to
    /// whole turns, so an angle outside goes to the limit that is nearer on the circle.
    pub fn project_rotation(&self, coordinates: Coordinates) -> Coordinates {
        let c = coordinates;
        match self {
            Kind::Ball { twist: Some(range), .. } => {
                self.project(Coordinates::ball(c.tilt(), range.clamp_angle(c.twist())))
            }
            Kind::Hinge { range: Some(range), .. } => Coordinates::scalar(range.clamp_angle(c.value())),
            _ => self.project(c),
        }
    }

    /// The rotation from the rest frame to the joint's own frame.
    #[inline]
    pub fn rotation(&self, coordinates: &Coordinates) -> DQuat {
        match self {
            Kind::Ball { swing: None, twist: None } => coordinates.ball_rotation(),
            Kind::Ball { .. } => swing_rotation(coordinates.tilt()) * maths::turn(DVec3::Z, coordinates.twist()),
            Kind::Hinge { axis, .. } => maths::turn(*axis, coordinates.value()),
            Kind::Slide { .. } | Kind::Fixed => DQuat::IDENTITY,
            Kind::Free => coordinates.free_rotation(),
        }
    }

    /// The joint's frame, given its rest frame: forward kinematics of one joint.
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

    /// Checks that a solve can begin with these coordinates of such a joint.
    pub(crate) fn check(&self, coordinates: &Coordinates) -> Result<(), Reason> {
        coordinates.0.into_iter().try_for_each(check_number)?;
        match self {
            Kind::Ball { swing: None, twist: None } => check_rotation(coordinates.ball_rotation()),
            Kind::Free => check_rotation(coordinates.free_rotation()),
            _ => Ok(()),
        }
    }

    /// The coordinates inside the limits that come nearest to a rotation (unit length) from the rest frame to the joint's own:
    /// the inverse of [`Kind::rotation`]. A hinge takes the part about its axis. A free joint gets its rest position.
    ///
    /// ```
    /// # use fabrik3d_ik::{Interval, Kind};
    /// # use glam::{DQuat, DVec3};
    /// let elbow = Kind::Hinge { axis: DVec3::Y, range: Some(Interval::new(0.0, 2.5)?) };
    /// assert!((elbow.coordinates_of(DQuat::from_rotation_y(1.2)).value() - 1.2).abs() < 1e-12);
    /// assert_eq!(elbow.coordinates_of(DQuat::from_rotation_y(-1.2)).value(), 0.0);
    /// # Ok::<(), fabrik3d_ik::errors::LimitError>(())
    /// ```
    pub fn coordinates_of(&self, rotation: DQuat) -> Coordinates {
        match self {
            Kind::Ball { swing: None, twist: None } => self.project(Coordinates::rotation(rotation)),
            Kind::Ball { .. } => self.project_rotation(Kind::ball_coordinates(rotation)),
            Kind::Hinge { axis, .. } => {
                // The twist of the swing-twist decomposition leaves the smallest remaining rotation.
                let angle = 2.0 * maths::atan2(rotation.xyz().dot(*axis), rotation.w);
                self.project_rotation(Coordinates::scalar(wrap(angle)))
            }
            Kind::Slide { .. } | Kind::Fixed => self.rest(),
            Kind::Free => self.project(Coordinates::free(DVec3::ZERO, rotation)),
        }
    }

    /// Coordinates of a limited ball from its rotation relative to the rest frame: twist first, then swing.
    pub fn ball_coordinates(rotation: DQuat) -> Coordinates {
        let q = rotation;
        let twist = if q.w.abs() + q.z.abs() < 1e-12 { 0.0 } else { wrap(2.0 * maths::atan2(q.z, q.w)) };
        let swing = maths::rotation_vector(q * maths::turn(DVec3::Z, -twist));
        Coordinates::ball([swing.y, -swing.x], twist)
    }
}

/// The rotation that tilts +z by `|tilt|` toward `(a, b)`: `exp(-b, a, 0)`.
pub(crate) fn swing_rotation([a, b]: [f64; 2]) -> DQuat {
    maths::turn_by(DVec3::new(-b, a, 0.0))
}

/// The unit quaternion nearest to `q`; the identity if `q` is (nearly) zero. A quaternion that is unit up to rounding
/// is returned unchanged, so that normalizing twice gives the same bits as normalizing once.
pub(crate) fn unit(q: DQuat) -> DQuat {
    let squared = q.length_squared();
    if (squared - 1.0).abs() < UNIT_ROUNDING {
        q
    } else if squared > 1e-24 {
        q.normalize()
    } else {
        DQuat::IDENTITY
    }
}

/// The unit vector along `v`, if it has a direction. A vector that is unit up to rounding is returned unchanged.
pub(crate) fn unit_axis(v: DVec3) -> Option<DVec3> {
    if (v.length_squared() - 1.0).abs() < UNIT_ROUNDING { Some(v) } else { v.try_normalize() }
}

/// Largest distance from 1 that rounding leaves in the squared length of a normalized vector or quaternion.
const UNIT_ROUNDING: f64 = 1e-14;

/// Makes a joint follow another one (a mimic joint): its coordinate is `scale * other + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mimic {
    /// Index of the joint to follow.
    pub joint: usize,
    /// Factor.
    pub scale: f64,
    /// Constant, radians for a hinge, length for a slide.
    pub offset: f64,
}

impl Mimic {
    /// The coordinate of the mimic joint for that of the joint that it follows.
    pub(crate) fn follow(&self, leader: Coordinates) -> Coordinates {
        Coordinates::scalar(self.scale * leader.value() + self.offset)
    }
}

/// How far a joint of stiffness 1 turns where one without stiffness turns by 1: it moves only if no other can.
const MIN_SHARE: f64 = 0.02;

/// One joint of a skeleton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Name, unique in the skeleton.
    pub name: String,
    /// Index of the parent, smaller than the joint's own; `None` for a root.
    pub parent: Option<usize>,
    /// Position in the parent's frame (for a root: in the world).
    pub offset: DVec3,
    /// Rotation of the rest frame, relative to `axes`; unit length.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest: DQuat,
    /// The axes that `rest` refers to.
    #[cfg_attr(feature = "serde", serde(default))]
    pub axes: Axes,
    /// How the joint moves.
    pub kind: Kind,
    /// The joint that this one follows, if any; hinges and slides only.
    pub mimic: Option<Mimic>,
    /// How much the joint resists, 0 (not at all, the default) to 1: of two joints that can do the same, the less stiff
    /// one turns more. A stiff joint still turns if the goals cannot be met without it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub stiffness: f64,
    /// How much a ball with limits resists turning about its link, where that is more than `stiffness`: 0 (the default) to 1. A
    /// thigh that does swings aside rather than turn the shin out.
    #[cfg_attr(feature = "serde", serde(default))]
    pub twist_stiffness: f64,
}

impl Joint {
    /// A joint at `offset` from its parent, with the identity as rest rotation, no mimic and no stiffness.
    pub fn new(name: impl Into<String>, parent: Option<usize>, offset: DVec3, kind: Kind) -> Self {
        let (rest, axes) = (DQuat::IDENTITY, Axes::Parent);
        let (mimic, stiffness, twist_stiffness) = (None, 0.0, 0.0);
        Joint { name: name.into(), parent, offset, rest, axes, kind, mimic, stiffness, twist_stiffness }
    }

    /// The same joint, with the local +z of its rest frame along a direction in its parent's frame (in the world, for a root),
    /// which need not have unit length: balls have their links there. The offsets of its children are then along +z.
    ///
    /// The rest frame is the parent's frame after the smallest rotation that takes +z there. An axis across both directions
    /// stays as it is: along -y or +y, x is still x. Along -z, y is still y; zero counts as +z. For another rest frame, set
    /// [`Joint::rest`].
    ///
    /// ```
    /// # use fabrik3d_ik::{Joint, Kind, Skeleton, Swing};
    /// # use glam::DVec3;
    /// let cone = Kind::Ball { swing: Some(Swing::cone(1.0)?), twist: None };
    /// let arm = Skeleton::new(vec![
    ///     Joint::new("shoulder", None, DVec3::Y * 1.4, cone).along(DVec3::X),
    ///     Joint::new("elbow", Some(0), DVec3::Z * 0.3, cone),
    /// ])?;
    /// let rest = arm.frames(&arm.rest_pose());
    /// assert!(rest[1].position.distance(DVec3::new(0.3, 1.4, 0.0)) < 1e-12);
    /// assert!((rest[0].rotation * DVec3::Y).distance(DVec3::Y) < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn along(self, direction: DVec3) -> Self {
        Joint { rest: smallest_rotation(DVec3::Z, direction.normalize_or(DVec3::Z)), ..self }
    }

    /// How far the joint turns where one without stiffness turns by 1, squared; about the link of a limited ball if
    /// `is_twist`. The refiner divides squared turns by this.
    pub(crate) fn compliance(&self, is_twist: bool) -> f64 {
        let stiffness = if is_twist { self.stiffness.max(self.twist_stiffness) } else { self.stiffness };
        (1.0 - stiffness).max(MIN_SHARE).powi(2)
    }
}

impl Coordinates {
    /// The values that a joint of this kind stores, in the order of the table in [`Coordinates`].
    pub fn values(&self, kind: &Kind) -> &[f64] {
        &self.0[..kind.coordinate_count()]
    }

    /// Coordinates of a joint of this kind from its values; `None` if their number is wrong.
    pub fn from_values(kind: &Kind, values: &[f64]) -> Option<Self> {
        let mut coordinates = [0.0; 7];
        let used = &mut coordinates[..kind.coordinate_count()];
        (used.len() == values.len()).then(|| used.copy_from_slice(values))?;
        Some(Coordinates(coordinates))
    }
}
