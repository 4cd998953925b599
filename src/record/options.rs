//! Options of a recording.

use crate::session::Command;
use crate::session::script::Script;
use crate::view::Display;
use crate::view::trace::Trace;
use fabrik3d_scene::Scene;
use std::path::PathBuf;

/// Options of a recording.
pub struct Options {
    /// The scene.
    pub scene: Scene,
    /// Theme, font scale and visible things.
    pub display: Display,
    /// Size of the picture in pixels.
    pub size: (u32, u32),
    /// Commands executed before the first picture.
    pub opening: Vec<Command>,
    /// The script to play.
    pub script: Script,
    /// The trace.
    pub trace: Option<Trace>,
    /// The output file; its extension selects the format: png, gif or mp4.
    pub out: PathBuf,
    /// Duration in seconds. `None`: until the script has ended and nothing moves.
    pub seconds: Option<f64>,
    /// Frames per second. `None`: 25 for GIF, 30 for MP4.
    pub fps: Option<f64>,
}
