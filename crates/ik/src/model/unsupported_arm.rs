//! Why an effector is not carried by a serial arm: a line of hinges, slides and fixed joints.

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
