//! What a solver refuses, before anything moves, and why.

use glam::{DQuat, DVec3};

/// The largest length, weight or factor that the solver computes with: the square of the product of two such numbers is finite.
pub(crate) const LARGEST: f64 = 1e75;

/// Why a solve refuses its input: [`Stop::Refused`](crate::Stop::Refused). [`Solver::check`](crate::Solver::check) returns it.
///
/// ```
/// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver, Stop};
/// # use glam::DVec3;
/// let arm = Skeleton::new(vec![Joint::new("arm", None, DVec3::ZERO, Kind::UNLIMITED_BALL)])?;
/// let mut pose = arm.rest_pose();
/// let mut solver = Solver::new(arm).goal(Effector::new(7, DVec3::X), DVec3::Y);
/// assert_eq!(solver.solve(&mut pose).stop, Stop::Refused);
/// assert_eq!(solver.check(&pose).unwrap_err().to_string(), "goal 0: there is no joint 7");
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {reason}")]
pub struct Refusal {
    /// What is refused.
    pub part: Part,
    /// Why.
    pub reason: Reason,
}

/// A part of the input of a solve; with its index, if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Part {
    /// The list of coordinates.
    #[error("the pose")]
    Pose,
    /// The coordinates of a joint.
    #[error("the pose of joint {0}")]
    Joint(usize),
    /// [`Problem::base`](crate::Problem::base).
    #[error("the base")]
    Base,
    /// [`Problem::goals`](crate::Problem::goals).
    #[error("goal {0}")]
    Goal(usize),
    /// [`Problem::loops`](crate::Problem::loops).
    #[error("loop {0}")]
    Loop(usize),
    /// [`Problem::poles`](crate::Problem::poles).
    #[error("pole {0}")]
    Pole(usize),
    /// [`Problem::centers_of_mass`](crate::Problem::centers_of_mass).
    #[error("center of mass {0}")]
    CenterOfMass(usize),
    /// [`Problem::custom_goals`](crate::Problem::custom_goals).
    #[error("custom goal {0}")]
    CustomGoal(usize),
    /// [`Problem::obstacles`](crate::Problem::obstacles).
    #[error("obstacle {0}")]
    Obstacle(usize),
    /// [`Problem::link_radius`](crate::Problem::link_radius).
    #[error("the link radius")]
    LinkRadius,
    /// [`KeepClear::capsules`](crate::collision::KeepClear::capsules).
    #[error("capsule {0}")]
    Capsule(usize),
    /// [`KeepClear::pairs`](crate::collision::KeepClear::pairs).
    #[error("pair {0} of capsules")]
    Pair(usize),
    /// [`KeepClear::margin`](crate::collision::KeepClear::margin).
    #[error("the margin")]
    Margin,
    /// [`Problem::home`](crate::Problem::home).
    #[error("the home")]
    Home,
    /// [`Problem::posture`](crate::Problem::posture).
    #[error("the posture")]
    Posture,
    /// [`Settings::tolerance`](crate::Settings::tolerance).
    #[error("the tolerance")]
    Tolerance,
    /// [`Settings::rotation_tolerance`](crate::Settings::rotation_tolerance).
    #[error("the rotation tolerance")]
    RotationTolerance,
    /// [`Settings::max_step`](crate::Settings::max_step).
    #[error("the largest step")]
    MaxStep,
}

/// Why a part is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// There is not one entry per joint.
    #[error("it needs one entry per joint, {joints} in all, and has {entries}")]
    Entries {
        /// Number of joints.
        joints: usize,
        /// Number of entries.
        entries: usize,
    },
    /// The skeleton has no such joint.
    #[error("there is no joint {0}")]
    NoJoint(usize),
    /// A pair of one capsule with itself, or with one that does not exist.
    #[error("these are not two capsules")]
    NoPair,
    /// A number is NaN, infinite, or too large to compute with: beyond 1e75.
    #[error("a number is not finite, or larger than 1e75")]
    Number,
    /// A number is negative where that makes no sense.
    #[error("a number is negative")]
    Negative,
    /// All masses are zero, or there is none.
    #[error("there is no mass above 0")]
    NoMass,
    /// A hull has no point.
    #[error("there is no point")]
    NoPoint,
    /// A step is zero: nothing could move.
    #[error("a step is zero")]
    NoStep,
    /// A rotation or an axis is zero.
    #[error("a rotation or an axis is zero")]
    Zero,
    /// A rotation or a normal has another length than 1.
    #[error("a rotation or a normal does not have the length 1")]
    NotUnit,
}

impl Reason {
    /// Puts the blame on a part.
    pub(crate) fn of(self, part: Part) -> Refusal {
        Refusal { part, reason: self }
    }
}

/// Checks the entries of a list; the first one that is refused is this `part`, with its place in the list.
pub(crate) fn check_all<T>(
    list: impl IntoIterator<Item = T>,
    part: impl Fn(usize) -> Part,
    check: impl Fn(T) -> Result<(), Reason>,
) -> Result<(), Refusal> {
    let mut list = list.into_iter().enumerate();
    list.try_for_each(|(at, entry)| check(entry).map_err(|reason| reason.of(part(at))))
}

/// Checks a number of any sign.
pub(crate) fn check_number(number: f64) -> Result<(), Reason> {
    if number.abs() <= LARGEST { Ok(()) } else { Err(Reason::Number) }
}

/// Checks a number that must not be negative.
pub(crate) fn check_size(size: f64) -> Result<(), Reason> {
    check_number(size)?;
    if size >= 0.0 { Ok(()) } else { Err(Reason::Negative) }
}

/// Checks the numbers of a point.
pub(crate) fn check_point(point: DVec3) -> Result<(), Reason> {
    point.to_array().into_iter().try_for_each(check_number)
}

/// Checks the numbers of a rotation of any length but zero.
pub(crate) fn check_rotation(rotation: DQuat) -> Result<(), Reason> {
    rotation.to_array().into_iter().try_for_each(check_number)?;
    if rotation.length_squared() > 1e-12 { Ok(()) } else { Err(Reason::Zero) }
}

/// Checks a length that must be 1, up to rounding.
pub(crate) fn check_unit(length_squared: f64) -> Result<(), Reason> {
    if (length_squared - 1.0).abs() < 1e-6 { Ok(()) } else { Err(Reason::NotUnit) }
}
