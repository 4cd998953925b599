//! What a command reports although it is carried out.

use crate::forward::ClampedJoint;
use fabrik3d_scene::TurnedLimb;
use std::fmt;
use std::path::Path;

/// Most joints that are named of those without a counterpart, and of those that are turned.
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
    /// The figure goes to another pose that meets its targets: to this one of so many.
    TookPose {
        /// From 1.
        number: usize,
        /// Of all.
        count: usize,
    },
    /// What of a recorded figure does not match that of the scene.
    OfMatch {
        /// Name of the recording's file.
        recording: String,
        /// Names of its joints that have no counterpart in the figure.
        unmatched: Vec<String>,
        /// Limbs of the figure that rest in another direction.
        turned: Vec<TurnedLimb>,
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
    /// That these joints of a recording have no counterpart in the figure, and that these limbs of the figure rest in another
    /// direction; none if there are no such joints and limbs.
    pub fn of_match(recording: &Path, unmatched: Vec<String>, turned: Vec<TurnedLimb>) -> Option<Self> {
        let recording = recording.file_name().unwrap_or(recording.as_os_str()).to_string_lossy().into_owned();
        let fits = unmatched.is_empty() && turned.is_empty();
        (!fits).then_some(Remark::OfMatch { recording, unmatched, turned })
    }

    /// Whether something may be missing that the user expects.
    pub fn is_warning(&self) -> bool {
        use Remark::{Anywhere, Clamped, NothingFollows, OfMatch, OfTable, ReachFrom};
        match self {
            Clamped(_) | ReachFrom { .. } | Anywhere { .. } | NothingFollows | OfTable(_) => true,
            OfMatch { turned, .. } => !turned.is_empty(),
            _ => false,
        }
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
            Remark::TookPose { number, count } => write!(f, "Pose {number} of {count} that meet the target."),
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
            Remark::OfMatch { recording, unmatched, turned } => {
                let sentences = [unmatched_sentence(recording, unmatched), turned_sentence(recording, turned)];
                write!(f, "{}", sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
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

/// Names joined by commas, the first ones of many.
fn named(names: &[String]) -> String {
    let shown = names[..names.len().min(MAX_NAMED)].join(", ");
    match names.len().saturating_sub(MAX_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// That joints of a recording have no counterpart; none if all have one.
fn unmatched_sentence(recording: &str, joints: &[String]) -> Option<String> {
    let names = named(joints);
    match joints.len() {
        0 => None,
        1 => Some(format!("One joint of {recording} has no match here and is not used: {names}.")),
        count => Some(format!("{count} joints of {recording} have no match here and are not used: {names}.")),
    }
}

/// That limbs rest in other directions than in a recording; none if none does.
fn turned_sentence(recording: &str, limbs: &[TurnedLimb]) -> Option<String> {
    let limb = |limb: &TurnedLimb| format!("{} by {:.0} degrees", limb.joint, limb.degrees);
    let names = named(&limbs.iter().map(limb).collect::<Vec<_>>());
    let verb = if limbs.len() == 1 { "One limb rests in another direction" } else { "Limbs rest in other directions" };
    (!limbs.is_empty()).then(|| format!("{verb} than in {recording}, and will turn as far: {names}."))
}
