//! Points on joints, and what goals that ask something of them give way to.

use glam::DVec3;

/// A point fixed to a joint's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attachment {
    /// Index of the joint.
    pub joint: usize,
    /// The point, in the joint's frame.
    pub point: DVec3,
}

/// A point on a joint that can be moved to a target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Effector {
    /// Index of the joint that carries it. Methods panic if a skeleton that they are given has no such joint.
    pub joint: usize,
    /// The point, in the joint's frame.
    pub tip: DVec3,
    /// The number of joints that may move for it, counted from its own joint toward the root; `None`: all.
    pub chain_length: Option<usize>,
}

impl Effector {
    /// An effector that all its ancestors may move for.
    pub fn new(joint: usize, tip: DVec3) -> Self {
        Effector { joint, tip, chain_length: None }
    }
}

/// What a goal gives way to when not all goals can be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum GoalRank {
    /// It is met first, as a foot that stays where it stands: wanted goals miss instead. Gives way only to loops, obstacles
    /// and links that keep clear, and by the weights to other firm goals.
    Firm,
    /// It takes what firm goals leave, and gives way by the weights to other wanted goals.
    #[default]
    Wanted,
    /// It takes the freedom that all other goals leave. It never counts as missed, and nothing is searched for its sake: a solve
    /// goes from its solution, or from the pose that misses least, downhill to where all preferred goals and the
    /// [`Posture`](crate::goals::Posture) together are met best.
    Preferred,
}

impl GoalRank {
    /// Whether it is that of goals that do not say otherwise.
    #[cfg(feature = "serde")]
    pub(crate) fn is_default(&self) -> bool {
        *self == GoalRank::default()
    }
}
