//! What to record.

use crate::session::Command;
use crate::session::script::Script;
use crate::view::Display;
use fabrik3d_scene::Scene;
use std::io::Write;
use std::path::PathBuf;

/// What to record.
pub struct Options {
    /// The scene.
    pub scene: Scene,
    /// Theme, font scale and what is shown.
    pub display: Display,
    /// Size of the picture, pixels.
    pub size: (u32, u32),
    /// Commands carried out before the first picture.
    pub opening: Vec<Command>,
    /// Commands to play.
    pub script: Script,
    /// Where each frame's trace line goes.
    pub trace: Option<Box<dyn Write>>,
    /// The file to write; its extension says what: png, gif or mp4.
    pub out: PathBuf,
    /// Length; none: as long as the script and until everything has come to rest.
    pub seconds: Option<f64>,
    /// Frames a second; none: 25 for a GIF, 30 else.
    pub fps: Option<f64>,
}
