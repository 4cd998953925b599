//! Options of the viewer.

use super::live_commands::LiveCommands;
use super::settings::{Settings, SettingsFile};
use crate::session::Command;
use crate::session::script::Script;
use crate::view::Display;
use crate::view::trace::Trace;
use fabrik3d_scene::Scene;
use std::path::{Path, PathBuf};

/// Reads a scene file, or returns an error message.
pub type Reader = Box<dyn Fn(&Path) -> Result<Scene, String>>;

/// Options of the viewer.
pub struct Options {
    /// The initial scene.
    pub scene: Scene,
    /// The file of the scene, if it has one.
    pub file: Option<PathBuf>,
    /// Reads the scene file again, and other files.
    pub reader: Reader,
    /// Whether to reload the file when it changes.
    pub watch: bool,
    /// The stored settings, and their file.
    pub settings: (Settings, SettingsFile),
    /// Warnings about the settings.
    pub warnings: Vec<String>,
    /// Theme, font scale and visible things.
    pub display: Display,
    /// Size of the window in logical pixels.
    pub size: (u32, u32),
    /// Whether the user requested this size. Otherwise it is limited to the screen.
    pub size_is_requested: bool,
    /// Commands executed before the first picture.
    pub opening: Vec<Command>,
    /// The script to play.
    pub script: Script,
    /// Whether to show the introduction of the first start.
    pub introduces: bool,
    /// The trace.
    pub trace: Option<Trace>,
    /// Commands that another program writes while the window is open.
    pub commands: Option<LiveCommands>,
    /// Seconds after which the viewer closes itself.
    pub exit_after: Option<f64>,
}
