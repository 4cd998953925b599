//! What a session needs of the program around it.

use fabrik3d_scene::{Files, OpenOptions, Scene, SceneError};
use std::path::Path;

/// The files and the clock of the program that shows a session. By default, files are those of the system, and times are
/// not measured.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Opens a scene, or a recording with its figure.
    pub open: fn(&Path, &OpenOptions) -> Result<Scene, SceneError>,
    /// Where tables are read from.
    pub files: fn() -> Files,
    /// Seconds of a clock that never goes back.
    pub now: fn() -> f64,
}

impl Default for Host {
    fn default() -> Self {
        Host { open: |path, options| Scene::open_with(path, options), files: Files::default, now: || 0.0 }
    }
}
