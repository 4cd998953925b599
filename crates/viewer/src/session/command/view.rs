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

named! {
    /// The standard sides to look from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ViewPreset {
        /// From +z.
        Front = "front",
        /// From -z.
        Back = "back",
        /// From +x.
        Right = "right",
        /// From -x.
        Left = "left",
        /// From above.
        Top = "top",
        /// From below.
        Bottom = "bottom",
        /// From above a corner.
        Iso = "iso",
    }
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
    /// How large saved pictures are.
    PictureSize(PictureSize),
    /// Whether saved pictures have a transparent background.
    PictureTransparent(bool),
}

named! {
    /// What can be opened and closed in the side panel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Section {
        /// The selected effector and its target; of a character, its pose.
        Target = "target",
        /// What is rarely wanted of a target.
        MoreTarget = "more-target",
        /// Recorded motion.
        Motion = "motion",
        /// The joints with their values.
        Joints = "joints",
        /// The error by iteration.
        Error = "error",
        /// The error over time.
        MoreError = "more-error",
        /// The settings of the solver.
        Solver = "solver",
        /// What is drawn and how.
        View = "view",
        /// Files.
        File = "file",
        /// Warnings of the reader of the file.
        Warnings = "warnings",
    }
}

named! {
    /// How large a picture of the scene is that the window saves.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum PictureSize {
        /// As large as the window.
        #[default]
        #[serde(rename = "1x")]
        Once = "1x",
        /// Twice as wide and as high.
        #[serde(rename = "2x")]
        Twice = "2x",
        /// 3840 pixels at its longer side.
        #[serde(rename = "4k")]
        FourK = "4k",
    }
}

/// Pixels of the longer side of a picture in 4K.
const FOUR_K: f64 = 3840.0;

impl PictureSize {
    /// Pixels of the picture per pixel of a window of this size, in each direction.
    pub fn factor(self, (width, height): (u32, u32)) -> f64 {
        match self {
            PictureSize::Once => 1.0,
            PictureSize::Twice => 2.0,
            PictureSize::FourK => FOUR_K / f64::from(width.max(height).max(1)),
        }
    }
}

/// The sizes of the text; 1 is normal.
pub const FONT_SCALES: RangeInclusive<f32> = 0.25..=8.0;
/// The widths of the side panel's content, in points: logical pixels at the normal text size.
pub const PANEL_WIDTHS: RangeInclusive<f32> = 230.0..=520.0;

named! {
    /// The two colour themes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Theme {
        /// Light figures on a dark floor.
        #[default]
        Dark = "dark",
        /// For slides and daylight.
        Light = "light",
    }
}

named! {
    /// Things that can be shown or hidden.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Show {
        /// Lines on the floor.
        Grid = "grid",
        /// World axes.
        Axes = "axes",
        /// Names of joints and effectors.
        Names = "names",
        /// Meshes and skins.
        Meshes = "meshes",
        /// Limits of the selected joint.
        Limits = "limits",
        /// Shadows.
        Shadows = "shadows",
        /// Trails of the effectors.
        Trails = "trails",
        /// The reaching passes of each frame, while the selected figure moves.
        Passes = "passes",
        /// All poses that meet the target of the selected figure.
        Solutions = "solutions",
        /// Everything that is drawn about figures rather than of them: targets, rings, handles, trails, limits, reach.
        Marks = "marks",
        /// The region that the selected effector can reach.
        Reach = "reach",
        /// All panels.
        Hud = "hud",
        /// The side panel.
        Panel = "panel",
        /// The help overlay.
        Help = "help",
        /// Times of the parts of a frame.
        Profiler = "profiler",
    }
}

/// A change to the program around the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum AppCommand {
    /// Saves a picture. Without a file, it is numbered: `fabrik3d-0001.png`.
    Screenshot(Content, Option<PathBuf>),
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
    /// Shows the last messages again.
    Messages,
    /// Shows all commands, to find one by words.
    Palette,
    /// Gives the keys to the panels, or takes them back.
    Panels,
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
    /// Starts a film, or ends it.
    Record(Content, Option<PathBuf>),
}

/// What a picture or a film shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The scene alone.
    Scene,
    /// The window, with its panels.
    Window,
}
