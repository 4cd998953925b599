//! Why a command was not carried out.

use crate::solve::forward::JointError;
use fabrik3d_scene::EffectorError;

/// Why a command was not carried out. Nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// No effector bears this name.
    #[error("no effector is named `{name}`; there are: {known}")]
    UnknownEffector {
        /// Name as given.
        name: String,
        /// Names that exist.
        known: String,
    },
    /// A joint that there is not, or that cannot be told where to stand.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// An effector cannot be put on a joint.
    #[error(transparent)]
    Effector(#[from] EffectorError),
    /// No joint is selected for what is to be done with one.
    #[error("no joint is selected: `joint.select JOINT` selects one")]
    NoJoint,
    /// The scene has no effector at all.
    #[error("the scene has no effector to move")]
    NoEffector,
    /// The scene has no effector whose reach could be shown.
    #[error("the scene has no effector whose reach could be shown: select a joint and put one on it")]
    NoReach,
    /// The effector has fewer presets.
    #[error("`{effector}` has {count} presets; there is no number {number}")]
    NoPreset {
        /// Effector that is selected.
        effector: String,
        /// Number asked for, from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A base that other joints follow, or that follows one.
    #[error("the base `{0}` cannot be let go: it is tied to another joint's motion")]
    TiedBase(String),
    /// A coordinate is NaN or infinite.
    #[error("a target must be finite numbers")]
    NotFinite,
    /// The figure is none that can be stepped through.
    #[error("the selected effector has no target to step toward")]
    NoSteps,
    /// All methods do the same.
    #[error("there is nothing to race for: one pass lays a rope out, whatever the method")]
    NoRace,
    /// The method can do nothing for the figure.
    #[error("{method} is made for single chains without limits, and this is none")]
    ForChainsOnly {
        /// Its name.
        method: &'static str,
    },
    /// Nothing recorded is there to be played.
    #[error("there is no recorded motion here: `motion.open FILE` opens some")]
    NoMotion,
    /// A recording could not be read.
    #[error("{0}")]
    MotionFile(String),
    /// No clip bears this name or number.
    #[error("no clip is named `{name}`; there are: {known}")]
    UnknownClip {
        /// As given.
        name: String,
        /// Names that exist.
        known: String,
    },
    /// No recorded joint bears this name.
    #[error("no joint of the recording is named `{name}`")]
    UnknownTrack {
        /// Name as given.
        name: String,
    },
    /// The recording knows no pose of this figure.
    #[error(
        "no joint of the recording is named like one here, so it cannot be shown: \
         `motion.match RECORDED JOINT` says which is which, `motion.drive JOINT EFFECTOR` lets an effector follow it"
    )]
    NothingToShow,
    /// A setting that does not exist, or a value that it does not take.
    #[error("cannot set `{key}` to `{value}`: {reason}")]
    Setting {
        /// Dotted key.
        key: String,
        /// Value as given.
        value: String,
        /// What is wrong.
        reason: String,
    },
}
