//! What a command reports although it is carried out.

use crate::forward::ClampedJoint;
use std::fmt;
use std::path::Path;

/// Most recorded joints without a counterpart that are named.
const MAX_NAMED: usize = 5;

/// What a command reports although it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// A joint stopped short of its requested value.
    Clamped(ClampedJoint),
    /// A base floats now.
    Freed(String),
    /// A base is fixed now.
    Fixed(String),
    /// Links keep clear now, with this margin: a length with its unit.
    KeepsClear(String),
    /// Links may touch now.
    KeepsClearNoMore,
    /// The reach of an effector is shown for the present place of a joint that could go anywhere.
    ReachFrom {
        /// Name of the effector.
        effector: String,
        /// Name of the joint.
        joint: String,
    },
    /// Joints of a recording have no counterpart in the figure.
    Unmatched {
        /// Name of the recording's file.
        recording: String,
        /// Names of its joints; at least one.
        joints: Vec<String>,
    },
    /// A table is not used as it stands, such as values beyond the limits of the joints: a sentence.
    OfTable(String),
    /// No joint and no effector follows the recording.
    NothingFollows,
    /// The effector with this name, which was moved, no longer follows the recording.
    FollowsNoMore(String),
    /// The reach of an effector is unlimited and cannot be shown.
    Anywhere {
        /// Name of the joint that can go anywhere.
        joint: String,
    },
}

impl Remark {
    /// That these joints of a recording have no counterpart in the figure; none if there is no such joint.
    pub fn unmatched(recording: &Path, joints: Vec<String>) -> Option<Self> {
        let recording = recording.file_name().unwrap_or(recording.as_os_str()).to_string_lossy().into_owned();
        (!joints.is_empty()).then_some(Remark::Unmatched { recording, joints })
    }

    /// Whether something may be missing that the user expects.
    pub fn is_warning(&self) -> bool {
        use Remark::{Anywhere, Clamped, NothingFollows, OfTable, ReachFrom};
        matches!(self, Clamped(_) | ReachFrom { .. } | Anywhere { .. } | NothingFollows | OfTable(_))
    }
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
            Remark::Anywhere { joint } => {
                write!(f, "If nothing were pinned, `{joint}` could go anywhere: there is no region to show.")
            }
            Remark::KeepsClear(margin) => {
                write!(
                    f,
                    "Links keep clear of each other and of obstacles: at least {margin} apart, unless a target needs them closer."
                )
            }
            Remark::KeepsClearNoMore => write!(f, "Links may touch each other and obstacles now."),
            Remark::Unmatched { recording, joints } => {
                let names = joints[..joints.len().min(MAX_NAMED)].join(", ");
                match joints.len() {
                    1 => write!(f, "One joint of {recording} has no match here and is not used: {names}."),
                    count => {
                        write!(f, "{count} joints of {recording} have no match here and are not used: {names}")?;
                        if count > MAX_NAMED { write!(f, " and {} more.", count - MAX_NAMED) } else { write!(f, ".") }
                    }
                }
            }
            Remark::OfTable(sentence) => write!(f, "{sentence}"),
            Remark::NothingFollows => write!(
                f,
                "None of the recording's joint names match this figure. Choose under Motion in the side panel what each effector \
                 follows."
            ),
            Remark::FollowsNoMore(effector) => write!(
                f,
                "`{effector}` stays where you move it and no longer follows the motion. The list under Motion lets it follow \
                 again."
            ),
            Remark::Fixed(base) => write!(f, "The base `{base}` is fixed where it is now."),
        }
    }
}
