//! Commands to the view and the program around the scene, as types.

use glam::DVec3;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// A change to the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraCommand {
    /// Orbits by yaw and pitch, degrees.
    Orbit(f64, f64),
    /// Pans by fractions of the picture's height.
    Pan(f64, f64),
    /// Zooms in by a factor, toward a point of the picture if one is given (x right, y up, -1..1).
    Zoom(f64, Option<[f64; 2]>),
    /// Looks from one of the standard sides.
    View(ViewPreset),
    /// Frames the whole scene.
    Frame,
    /// Frames the selected figure.
    FrameSelected,
    /// Orbits around this point from now on.
    Focus(DVec3),
    /// Restores the opening view.
    Reset,
    /// Switches between perspective and orthographic projection.
    ToggleProjection,
    /// Goes along with a figure that a recording moves, or stands; none: whichever it does not do now.
    Follow(Option<bool>),
}

/// The standard sides to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPreset {
    /// From +z.
    Front,
    /// From -z.
    Back,
    /// From +x.
    Right,
    /// From -x.
    Left,
    /// From above.
    Top,
    /// From below.
    Bottom,
    /// From above a corner.
    Iso,
}

impl ViewPreset {
    /// All sides with their names.
    pub const NAMES: [(&'static str, ViewPreset); 7] = [
        ("front", ViewPreset::Front),
        ("back", ViewPreset::Back),
        ("right", ViewPreset::Right),
        ("left", ViewPreset::Left),
        ("top", ViewPreset::Top),
        ("bottom", ViewPreset::Bottom),
        ("iso", ViewPreset::Iso),
    ];
}

/// A change to what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DisplayCommand {
    /// Shows or hides something.
    Show(Show, bool),
    /// Draws meshes transparent, with the bones inside.
    XRay,
    /// Shows what is hidden and hides what is shown. Meshes go from solid to transparent to hidden.
    Toggle(Show),
    /// Chooses the colours.
    Theme(Theme),
    /// The next style of links.
    NextLinkStyle,
    /// The next axes along which keys move the target.
    NextMotionAxes,
    /// Sets the size of the text, one of [`FONT_SCALES`].
    FontScale(f32),
    /// Sets the width of the side panel's content, one of [`PANEL_WIDTHS`].
    PanelWidth(f32),
    /// Opens or closes a section of the side panel.
    Section(Section, bool),
}

/// What can be opened and closed in the side panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The selected effector and its target; of a character, its pose.
    Target,
    /// What is rarely wanted of a target.
    MoreTarget,
    /// Recorded motion.
    Motion,
    /// The joints with their values.
    Joints,
    /// The error by iteration.
    Error,
    /// The error over time.
    MoreError,
    /// The settings of the solver.
    Solver,
    /// What is drawn and how.
    View,
    /// Files.
    File,
    /// Warnings of the reader of the file.
    Warnings,
}

impl Section {
    /// All of them with their names.
    pub const NAMES: [(&'static str, Section); 10] = [
        ("target", Section::Target),
        ("more-target", Section::MoreTarget),
        ("motion", Section::Motion),
        ("joints", Section::Joints),
        ("error", Section::Error),
        ("more-error", Section::MoreError),
        ("solver", Section::Solver),
        ("view", Section::View),
        ("file", Section::File),
        ("warnings", Section::Warnings),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The sizes of the text; 1 is normal.
pub const FONT_SCALES: RangeInclusive<f32> = 0.25..=8.0;
/// The widths of the side panel's content, in points: logical pixels at the normal text size.
pub const PANEL_WIDTHS: RangeInclusive<f32> = 230.0..=520.0;

/// The two colour themes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Light figures on a dark floor.
    #[default]
    Dark,
    /// For slides and daylight.
    Light,
}

impl Theme {
    /// Both themes with their names.
    pub const NAMES: [(&'static str, Theme); 2] = [("dark", Theme::Dark), ("light", Theme::Light)];
}

/// Things that can be shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Show {
    /// Lines on the floor.
    Grid,
    /// World axes.
    Axes,
    /// Names of joints and effectors.
    Names,
    /// Meshes and skins.
    Meshes,
    /// Limits of the selected joint.
    Limits,
    /// Shadows.
    Shadows,
    /// Trails of the effectors.
    Trails,
    /// Everything that is drawn about figures rather than of them: targets, rings, handles, trails, limits, reach.
    Marks,
    /// The region that the selected effector can reach.
    Reach,
    /// All panels.
    Hud,
    /// The side panel.
    Panel,
    /// The help overlay.
    Help,
    /// Times of the parts of a frame.
    Profiler,
}

impl Show {
    /// All of them with their names.
    pub const NAMES: [(&'static str, Show); 13] = [
        ("grid", Show::Grid),
        ("axes", Show::Axes),
        ("names", Show::Names),
        ("meshes", Show::Meshes),
        ("limits", Show::Limits),
        ("shadows", Show::Shadows),
        ("trails", Show::Trails),
        ("marks", Show::Marks),
        ("reach", Show::Reach),
        ("hud", Show::Hud),
        ("panel", Show::Panel),
        ("help", Show::Help),
        ("profiler", Show::Profiler),
    ];
}

/// A change to the program around the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum AppCommand {
    /// Saves a picture. Without a file, it is numbered: `fabrik3d-0001.png`.
    Screenshot(Option<PathBuf>),
    /// Opens, saves or records a file.
    File(FileCommand),
    /// Reads the scene file again and keeps the pose.
    Reload,
    /// Switches to full screen or back.
    Fullscreen,
    /// What Esc does.
    Cancel,
    /// Dismisses the message with this number, or all messages and the card of the first start.
    Dismiss(Option<u64>),
    /// Ends the program.
    Quit,
}

/// What to do with which file. Without a file, a dialog asks for one or an unused name is chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum FileCommand {
    /// Opens another scene.
    Open(Option<PathBuf>),
    /// Saves the scene with its present targets.
    Save(Option<PathBuf>),
    /// Asks for a recording; with a file, `motion.open` is a [`MotionCommand`](super::MotionCommand).
    AskForMotion,
    /// Starts a film of the window, or ends it.
    Record(Option<PathBuf>),
}
