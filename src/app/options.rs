//! What the viewer is started with.

use super::settings::{Settings, SettingsFile};
use crate::session::Command;
use crate::session::script::Script;
use crate::view::Display;
use fabrik3d_scene::Scene;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads the scene of a file; the message says what is wrong with it.
pub type Reader = Box<dyn Fn(&Path) -> Result<Scene, String>>;

/// What the viewer is started with.
pub struct Options {
    /// The scene to show.
    pub scene: Scene,
    /// The scene's file; none: there is no file.
    pub file: Option<PathBuf>,
    /// Reads scenes: the file again, or others.
    pub reader: Reader,
    /// Whether to reload the file whenever it changes.
    pub watch: bool,
    /// What was remembered from the last time, and where it is kept.
    pub settings: (Settings, SettingsFile),
    /// What could not be understood of it.
    pub warnings: Vec<String>,
    /// Theme, font scale and what is shown.
    pub display: Display,
    /// Size of the window, logical pixels.
    pub size: (u32, u32),
    /// Whether somebody asked for this size: any other is no larger than the screen.
    pub size_is_requested: bool,
    /// Commands carried out before the first picture.
    pub opening: Vec<Command>,
    /// Commands to play.
    pub script: Script,
    /// Where each frame's trace line goes.
    pub trace: Option<Box<dyn Write>>,
    /// Seconds after which the viewer closes by itself.
    pub exit_after: Option<f64>,
}
