//! All commands as types.

use super::view::{AppCommand, CameraCommand, DisplayCommand};
use crate::session::numbers::FRAME;
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::{EffectorMode, Up};
use glam::{DQuat, DVec3};
use std::path::PathBuf;

/// One change, as a key triggers it or a line of a script writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Changes targets, solver or clock.
    Session(SessionCommand),
    /// Changes the camera.
    Camera(CameraCommand),
    /// Changes what is drawn.
    Display(DisplayCommand),
    /// Changes the program around the scene.
    App(AppCommand),
}

/// A change to targets, solver or clock.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionCommand {
    /// Moves the selected target continuously, along the world axes.
    TargetMove(DVec3),
    /// Sets the target of an effector, or of the selected one.
    TargetSet(Option<String>, DVec3),
    /// Sets the target of an effector that moves continuously, with its orientation if one is given.
    TargetGlide(String, DVec3, Option<DQuat>),
    /// Sets the selected target to one of its presets, from 1.
    TargetPreset(usize),
    /// Sets the selected target to a random position within reach.
    TargetRandom,
    /// Moves the selected target along a path, or stops it.
    TargetPath(Option<PathShape>),
    /// Starts a new drag: what follows is undone separately from what came before.
    TargetGrab,
    /// Changes the target orientation.
    Rotation(RotationCommand),
    /// Adds, removes, pins or weights effectors.
    Effector(EffectorCommand),
    /// Selects the next effector (1) or the previous one (-1).
    EffectorNext(i32),
    /// Selects the effector with this name.
    EffectorSelect(String),
    /// Selects or sets joints.
    Joint(JointCommand),
    /// Sets the whole pose from outside, or lets the solver find it again.
    Pose(PoseCommand),
    /// Pauses the clock (true) or lets it run (false).
    Pause(bool),
    /// Pauses the clock or lets it run, whichever it does not do now.
    TogglePause,
    /// Multiplies the speed of the clock.
    Speed(f64),
    /// Restores the pose and the targets of the scene.
    Reset,
    /// Chooses the solver's method. In an open lesson it chooses only the method that is taught.
    Method(Method),
    /// Chooses the next method.
    NextMethod,
    /// Changes a number of the solver or the smoothing: key and value.
    Set(String, String),
    /// Lets links keep clear of each other and of obstacles, or not; none: whichever they do not do now.
    KeepClear(Option<bool>),
    /// Fixes or frees the base of the selected tree.
    ToggleBase,
    /// Opens a lesson or moves in it.
    Lesson(LessonCommand),
    /// Starts, arranges or ends a race.
    Race(RaceCommand),
    /// Changes which reaching passes are shown while the figure moves, and how fast the solver takes them.
    Passes(PassesCommand),
    /// Plays recorded motion.
    Motion(MotionCommand),
    /// Undoes the last change.
    Undo,
    /// Repeats the change that was undone last.
    Redo,
}

/// A change to the target orientation of the selected effector, or to the point that it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RotationCommand {
    /// Turns it, or else the present orientation of the effector, by a rotation vector in degrees, world axes.
    Turn(DVec3),
    /// Sets it to a quaternion of any length.
    Set(DQuat),
    /// Any orientation is accepted.
    Clear,
    /// Keeps the present orientation of the effector, or accepts any.
    Toggle,
    /// The effector looks at this point from anywhere, or, with `None`, no longer.
    LookAt(Option<DVec3>),
}

named! {
    /// Shape of a path.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PathShape {
        /// A horizontal circle around the base.
        Circle = "circle",
        /// A figure eight through the target.
        Figure8 = "figure8",
        /// Straight back and forth.
        Line = "line",
    }
}

/// A change to which effectors there are, or to what they require.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectorCommand {
    /// Adds a free effector to a joint, or to the selected one, and selects it. The second word is its name.
    Add(Option<String>, Option<String>),
    /// Removes an effector, or the selected one.
    Remove(Option<String>),
    /// Pins an effector or frees it. Without arguments, toggles the selected one.
    Pin(Option<(String, EffectorMode)>),
    /// Sets the weight of its position relative to other effectors; 0 disables it.
    Weight(String, f64),
    /// Sets the rank of its target; none: the rank follows from whether it is pinned.
    Rank(String, Option<GoalRank>),
    /// Sets the axis in the frame of its joint about which it may turn; none fixes the turn.
    Spin(String, Option<DVec3>),
    /// Sets how far it may be from its target along each axis, scene units.
    Slack(String, DVec3),
    /// Moves all targets together until an effector is selected.
    All,
}

/// Which joint to select, or what to set one to.
#[derive(Clone, Debug, PartialEq)]
pub enum JointCommand {
    /// Selects the next joint in file order (1), or the previous one (-1).
    Step(i32),
    /// Selects the joint with this name.
    Select(String),
    /// Selects no joint.
    Clear,
    /// Sets the values of a joint ([`fabrik3d_scene::JointValue`]: degrees and scene lengths). The display eases to them.
    Set(String, Vec<f64>),
    /// Sets the values of a joint that is being turned: shown at once, and all such commands are undone together.
    Glide(String, Vec<f64>),
    /// Sets how much a joint resists, 0 to 1. Such commands to one joint in a row are undone together.
    Stiffness(String, f64),
}

/// Who determines the pose.
#[derive(Clone, Debug, PartialEq)]
pub enum PoseCommand {
    /// Sets the values of all joints that can be set, in the order of the file ([`fabrik3d_scene::JointValue`]: degrees and
    /// scene lengths). The pose is shown at once, and the solver is suspended.
    Glide(Vec<f64>),
    /// The solver finds the pose again.
    Release,
    /// The next of the poses that meet the targets of the selected figure.
    Next,
}

/// A change of the position in a lesson. All but `Close` and `Unit` open a lesson if none is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonCommand {
    /// Goes one step forward.
    Next,
    /// Goes one step back.
    Back,
    /// Goes to the end of the next backward reaching pass.
    Backward,
    /// Goes to the end of the next forward reaching pass.
    Forward,
    /// Goes to a step, counted from 0.
    To(usize),
    /// Sets how far a step goes, or switches to the other unit.
    Unit(Option<StepUnit>),
    /// Moves the target to a place where the passes come closer so slowly that they can be seen, and goes to the start.
    Far,
    /// Plays the lesson, or pauses it.
    Play,
    /// Closes the lesson.
    Close,
}

named! {
    /// How far one step of a lesson goes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum StepUnit {
        /// One joint.
        #[default]
        Joint = "joint",
        /// One reaching pass.
        Pass = "pass",
    }
}

impl StepUnit {
    /// The other unit.
    pub fn other(self) -> Self {
        if self == StepUnit::Joint { StepUnit::Pass } else { StepUnit::Joint }
    }
}

/// A change to races.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RaceCommand {
    /// Starts a race of two to four methods.
    Start(Vec<Method>),
    /// Ends the race.
    Off,
}

/// A change to the passes that are shown while the figure moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassesCommand {
    /// Sets how fast the solver takes its passes, or chooses the next slower pace.
    Pace(Option<Pace>),
    /// Shows the passes of this number of iterations, 1 to 4.
    Iterations(u8),
}

named! {
    /// How fast the solver takes its passes while they are shown.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Pace {
        /// All passes in every frame.
        #[default]
        Full = "full",
        /// A quarter of a pass in a frame.
        Quarter = "1/4",
        /// A tenth of a pass in a frame.
        Tenth = "1/10",
        /// One pass a second.
        Pass = "pass",
    }
}

impl Pace {
    /// The next slower one, and after the slowest the full one.
    #[must_use]
    pub fn next(self) -> Self {
        Self::NAMES[(self as usize + 1) % Self::NAMES.len()].1
    }

    /// Seconds from pass to pass; none if a frame takes as many as it needs.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Pace::Full => None,
            Pace::Quarter => Some(4.0 * FRAME),
            Pace::Tenth => Some(10.0 * FRAME),
            Pace::Pass => Some(1.0),
        }
    }
}

/// A change to what is played, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionCommand {
    /// Opens and plays a recording, and matches these recorded joints (or `none`) with joints of the scene. The axis is the one that
    /// points up in it, if that is said.
    Open(PathBuf, Vec<(String, String)>, Option<Up>),
    /// Returns to the clips of the scene itself.
    Close,
    /// Plays (true) or pauses (false).
    Play(bool),
    /// Plays or pauses, whichever it does not do now.
    TogglePlay,
    /// Jumps to a time in seconds. The display eases to the new pose.
    Seek(f64),
    /// Moves continuously to a time in seconds.
    Scrub(f64),
    /// Moves by a number of recorded frames, back if it is negative.
    Step(i64),
    /// Sets the speed relative to the recording.
    Speed(f64),
    /// Whether playback starts again at the end.
    Loop(bool),
    /// Sets the mode, or switches to the other one.
    Mode(Option<MotionMode>),
    /// Chooses a clip by its name or else by its number from 1, `next` or `previous`.
    Clip(String),
    /// Lets the target of an effector (second) follow a recorded joint (first); `none` detaches it.
    Drive(String, String),
    /// Matches a joint of the figure (second) with a recorded joint (first) whatever their names; `none`: it rests.
    Match(String, String),
    /// Whether targets take the recorded orientations too, for matched joints.
    Turns(bool),
    /// Adds effectors to matched hips, head, hands and feet that have none.
    Effectors,
}

impl MotionCommand {
    /// Whether somebody wants to see a recording.
    pub fn plays(&self) -> bool {
        use MotionCommand::{Clip, Open, Play, TogglePlay};
        matches!(self, Open(..) | Clip(_) | Play(true) | TogglePlay)
    }
}

named! {
    /// How a recording moves the figure.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum MotionMode {
        /// The pose is the recorded one.
        #[default]
        Show = "show",
        /// Targets follow recorded joints, and the solver finds the pose.
        Follow = "follow",
    }
}

impl MotionMode {
    /// The other mode.
    pub fn other(self) -> Self {
        if self == MotionMode::Show { MotionMode::Follow } else { MotionMode::Show }
    }
}
