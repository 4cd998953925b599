//! What a command reports although it is carried out.

use crate::solve::ClampedJoint;
use std::fmt;

/// What a command reports although it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// A joint stopped short of its requested value.
    Clamped(ClampedJoint),
    /// A base floats now.
    Freed(String),
    /// A base is fixed now.
    Fixed(String),
    /// Links keep clear now, with this margin.
    KeepsClear(f64),
    /// Links may touch now.
    KeepsClearNoMore,
    /// The reach of an effector is shown for the present place of a joint that could go anywhere.
    ReachFrom {
        /// Name of the effector.
        effector: String,
        /// Name of the joint.
        joint: String,
    },
    /// The reach of an effector surrounds the camera, so that its surface cannot be seen from outside.
    InsideReach(String),
    /// The reach of an effector is unlimited and cannot be shown.
    Anywhere {
        /// Name of the effector.
        effector: String,
        /// Name of the joint that can go anywhere.
        joint: String,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Clamped(clamped) => write!(f, "{clamped}"),
            Remark::Freed(base) => {
                write!(f, "The base `{base}` floats now. Everything that is not pinned moves with it.")
            }
            Remark::ReachFrom { effector, joint } => {
                write!(
                    f,
                    "`{joint}` can go anywhere. The region shows what `{effector}` reaches while `{joint}` stays here."
                )
            }
            Remark::InsideReach(effector) => {
                write!(f, "The camera is inside the reach of `{effector}`: zoom out to see the reach as a whole.")
            }
            Remark::Anywhere { effector, joint } => {
                write!(f, "`{effector}` can reach any point, because `{joint}` can go anywhere.")
            }
            Remark::KeepsClear(margin) => {
                write!(f, "Links keep clear of each other and of obstacles, by {margin:.3} where the targets allow it.")
            }
            Remark::KeepsClearNoMore => write!(f, "Links may touch each other and obstacles now."),
            Remark::Fixed(base) => write!(f, "The base `{base}` is fixed where it is now."),
        }
    }
}
