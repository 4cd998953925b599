//! What a solve is asked for.

use super::obstacle::Obstacle;
use super::pose::Coordinates;
use super::skeleton::Skeleton;
use super::transform::Isometry;
use glam::{DQuat, DVec3};

/// A point fixed to a joint's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attachment {
    /// Index of the joint.
    pub joint: usize,
    /// The point, in the joint's frame.
    pub point: DVec3,
}

/// A point on a joint that can be sent to targets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Effector {
    /// Index of the joint that carries it.
    pub joint: usize,
    /// The point, in the joint's frame.
    pub tip: DVec3,
    /// How many joints, its own included and counted toward the root, may move for it; none: all.
    pub chain_length: Option<usize>,
}

impl Effector {
    /// An effector for which all joints above it may move.
    pub fn new(joint: usize, tip: DVec3) -> Self {
        Effector { joint, tip, chain_length: None }
    }
}

/// Where an effector should go, in the world. What is `None` does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Target {
    /// Position of the effector's tip.
    pub position: Option<DVec3>,
    /// Orientation of the effector's joint; unit length.
    pub rotation: Option<DQuat>,
}

impl From<DVec3> for Target {
    fn from(position: DVec3) -> Self {
        Target { position: Some(position), rotation: None }
    }
}

/// An orientation, wherever the tip is.
impl From<DQuat> for Target {
    fn from(rotation: DQuat) -> Self {
        Target { position: None, rotation: Some(rotation) }
    }
}

impl From<(DVec3, DQuat)> for Target {
    fn from((position, rotation): (DVec3, DQuat)) -> Self {
        Target { position: Some(position), rotation: Some(rotation) }
    }
}

/// An effector, its target, and how much each matters against the other goals.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Goal {
    /// What should move.
    pub effector: Effector,
    /// Where to.
    pub target: Target,
    /// Weight of the position; 0: it does not matter.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub weight: f64,
    /// Weight of the orientation; at 1 a radian counts as much as three tenths of the reach, at 0 it does not matter.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub rotation_weight: f64,
}

/// The ordinary weight.
#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

impl Goal {
    /// A goal of ordinary weight.
    pub fn new(effector: Effector, target: impl Into<Target>) -> Self {
        Goal { effector, target: target.into(), weight: 1.0, rotation_weight: 1.0 }
    }

    /// Whether it asks for anything: for a position or an orientation, with some weight.
    pub fn asks(&self) -> bool {
        self.asked_position().is_some() || self.asked_rotation().is_some()
    }

    /// The position that it asks for; none where that weighs nothing.
    #[inline]
    pub fn asked_position(&self) -> Option<DVec3> {
        self.target.position.filter(|_| self.weight > 0.0)
    }

    /// The orientation that it asks for; none where that weighs nothing.
    #[inline]
    pub fn asked_rotation(&self) -> Option<DQuat> {
        self.target.rotation.filter(|_| self.rotation_weight > 0.0)
    }
}

/// Point that the links next to a joint lean toward where the goals leave them a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pole {
    /// Index of the joint (an elbow, a knee).
    pub joint: usize,
    /// The pole; world.
    pub toward: DVec3,
}

/// Everything asked of a skeleton at once. Plain data.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Problem {
    /// Effectors and their targets.
    pub goals: Vec<Goal>,
    /// Pairs of points that must coincide: closed loops.
    pub loops: Vec<(Attachment, Attachment)>,
    /// Points that joints bend toward.
    #[cfg_attr(feature = "serde", serde(rename = "hints", alias = "poles"))]
    pub poles: Vec<Pole>,
    /// What the links must stay out of.
    pub obstacles: Vec<Obstacle>,
    /// Distance that links keep from obstacles.
    pub link_radius: f64,
    /// Parent frame of all roots: where a moving base stands.
    pub base: Isometry,
}

impl Default for Problem {
    fn default() -> Self {
        Problem {
            goals: Vec::new(),
            loops: Vec::new(),
            poles: Vec::new(),
            obstacles: Vec::new(),
            link_radius: 0.0,
            base: Isometry::IDENTITY,
        }
    }
}

impl Problem {
    /// Whether the problem can be put to `skeleton` in this pose: it fits, there is an entry a joint, and all are finite.
    pub(crate) fn fits_pose(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> bool {
        pose.len() == skeleton.len() && pose.iter().all(Coordinates::is_finite) && self.fits(skeleton)
    }

    /// Whether the problem can be put to `skeleton`: all joints exist, all numbers are finite, weights not negative,
    /// orientations and normals not zero. A solve refuses any other.
    pub fn fits(&self, skeleton: &Skeleton) -> bool {
        let exists = |joint: usize| joint < skeleton.len();
        let weighs = |weight: f64| weight.is_finite() && weight >= 0.0;
        self.base.is_finite()
            && self.link_radius.is_finite()
            && self.goals.iter().all(|goal| {
                exists(goal.effector.joint)
                    && goal.effector.tip.is_finite()
                    && goal.target.position.is_none_or(DVec3::is_finite)
                    && goal.target.rotation.is_none_or(|turn| turn.is_finite() && turn.length_squared() > 1e-12)
                    && weighs(goal.weight)
                    && weighs(goal.rotation_weight)
            })
            && self.loops.iter().flat_map(|(a, b)| [a, b]).all(|end| exists(end.joint) && end.point.is_finite())
            && self.poles.iter().all(|pole| exists(pole.joint) && pole.toward.is_finite())
            && self.obstacles.iter().all(Obstacle::is_sound)
    }
}
