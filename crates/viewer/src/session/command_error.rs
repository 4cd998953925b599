//! Why a command is not carried out.

use crate::forward::JointError;
use fabrik3d_scene::{EffectorError, Misfit};

/// What helps if a recorded figure does not fit.
pub const MISFIT_REMEDY: &str = "--match none=JOINT leaves a joint out, --match RECORDED=JOINT gives it another one, and [names] in \
                                 a limits file says which joint is which part";

/// Why a command is not carried out. The session is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// No effector has this name; all names.
    #[error("no effector is named `{0}`; the effectors are: {1}")]
    UnknownEffector(String, String),
    /// A joint is unknown or cannot be set.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// An effector cannot be added to a joint.
    #[error(transparent)]
    Effector(#[from] EffectorError),
    /// The command needs a selected joint.
    #[error("no joint is selected: `joint.select JOINT` selects one")]
    NoJoint,
    /// The scene has no effector.
    #[error("the scene has no effector to move")]
    NoEffector,
    /// There is no pose to go to, and why.
    #[error("{0}")]
    NoOtherPose(String),
    /// The scene has no effector whose reach could be shown.
    #[error("the scene has no effector whose reach could be shown: select a joint and add an effector to it")]
    NoReach,
    /// The effector with this name has so many presets, fewer than the given number.
    #[error("`{0}` has {presets}", presets = presets(*.1, *.2))]
    NoPreset(String, usize, usize),
    /// The base follows another joint, or another joint follows it.
    #[error("the base `{0}` cannot be freed: its motion is coupled to another joint")]
    CoupledBase(String),
    /// No random position is known to be in reach of the effector with this name.
    #[error("no point was found that `{0}` can reach inside the limits while what is pinned stays")]
    NothingInReach(String),
    /// A coordinate is NaN or infinite.
    #[error("a target takes finite numbers")]
    NotFinite,
    /// There is no target to step toward.
    #[error("the selected effector has no target to step toward")]
    NoSteps,
    /// All methods do the same.
    #[error("there is nothing to compare: every method lays out a rope in one pass")]
    NoRace,
    /// The method with this full name does not apply to this figure.
    #[error("{0} solves single chains without limits only, and this figure is not one")]
    ForChainsOnly(&'static str),
    /// There is no recording to play.
    #[error("there is no recorded motion: `motion.open FILE` opens a recording")]
    NoMotion,
    /// A recording cannot be read.
    #[error("{0}")]
    MotionFile(String),
    /// The recorded figure and that of the scene are too different.
    #[error("{0}: {1}\n  help: {MISFIT_REMEDY}")]
    Misfit(String, Misfit),
    /// No clip has this name or number; all names.
    #[error("no clip has the name or number `{0}`; numbers start at 1, and the clips are: {1}")]
    UnknownClip(String, String),
    /// No recorded joint has this name.
    #[error("no joint of the recording is named `{0}`")]
    UnknownTrack(String),
    /// The recording has no joint in common with the figure.
    #[error(
        "no joint of the recording has the name of a joint here, so the recorded pose cannot be shown: \
         `motion.match RECORDED JOINT` matches two joints, `motion.drive JOINT EFFECTOR` lets an effector follow a joint"
    )]
    NothingToShow,
    /// The setting with this key does not exist or does not take this value, and why.
    #[error("cannot set `{0}` to `{1}`: {2}")]
    Setting(String, String, String),
}

/// `2 presets, not 3`
fn presets(count: usize, number: usize) -> String {
    match count {
        0 => "no presets".to_owned(),
        1 => format!("1 preset, not {number}"),
        count => format!("{count} presets, not {number}"),
    }
}
