//! Serial arms: lines of hinges, slides and fixed joints; and why an effector is not carried by one.

use super::{Axes, Effector, Kind, Skeleton};

/// Why the joints before an effector are no serial arm, and which one of them is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("joint `{joint}` {reason}")]
pub struct UnsupportedArm {
    /// Name of the joint.
    pub joint: String,
    /// What a serial arm cannot have.
    pub reason: UnsupportedReason,
}

/// What a serial arm cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UnsupportedReason {
    /// A ball or a free joint.
    #[error("is neither a hinge nor a slide nor fixed")]
    Kind,
    /// A joint that keeps the world's axes.
    #[error("keeps the axes of the world")]
    WorldAxes,
    /// A mimic joint whose leader does not lie between the base and the effector.
    #[error("follows a joint that does not move the effector")]
    Leader,
    /// No hinge or slide moves the effector.
    #[error("carries the effector, but no hinge or slide moves it")]
    Immovable,
    /// There is no joint with this index.
    #[error("does not exist")]
    Missing,
}

/// The joints of a serial arm, from the base to the effector; `moves` says which of them can move.
///
/// # Errors
/// The effector is not carried by one.
pub(crate) fn serial_arm(
    skeleton: &Skeleton,
    effector: &Effector,
    moves: impl Fn(usize) -> bool,
) -> Result<Vec<usize>, UnsupportedArm> {
    let unsupported = |joint: usize, reason| {
        let joint = skeleton.joints().get(joint).map_or_else(|| joint.to_string(), |own| own.name.clone());
        Err(UnsupportedArm { joint, reason })
    };
    if effector.joint >= skeleton.len() {
        return unsupported(effector.joint, UnsupportedReason::Missing);
    }
    let mut chain: Vec<usize> = effector.chain_joints(skeleton).collect();
    chain.reverse();
    let mut is_movable = false;
    for &joint in &chain {
        let own = &skeleton.joints()[joint];
        match own.kind {
            _ if own.axes == Axes::World => return unsupported(joint, UnsupportedReason::WorldAxes),
            Kind::Ball { .. } | Kind::Free => return unsupported(joint, UnsupportedReason::Kind),
            Kind::Hinge { .. } | Kind::Slide { .. } if moves(joint) => {
                if own.mimic.is_some_and(|mimic| !chain.contains(&mimic.joint)) {
                    return unsupported(joint, UnsupportedReason::Leader);
                }
                is_movable = true;
            }
            _ => {}
        }
    }
    if is_movable { Ok(chain) } else { unsupported(effector.joint, UnsupportedReason::Immovable) }
}
