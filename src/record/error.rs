//! Errors of a recording.

use crate::render::{DrawError, RenderError};
use fabrik3d_scene::SceneError;
use fabrik3d_viewer::session::CommandError;
use std::path::{Path, PathBuf};

/// Why a recording failed. The output file then does not exist.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// OpenGL is missing or too old.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The file cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A scene cannot be saved.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Unknown extension of the output file.
    #[error("{}: render writes .png, {films}", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
        /// The extensions of films.
        films: String,
    },
    /// ffmpeg cannot be started.
    #[error(
        "an .mp4 film needs the program ffmpeg, which cannot be started: {0}\n  help: on Debian or Ubuntu: apt-get install ffmpeg; or write a .gif, which needs no other program"
    )]
    NoFfmpeg(std::io::Error),
    /// ffmpeg failed.
    #[error("ffmpeg could not write the film: {0}")]
    Ffmpeg(String),
    /// An initial command failed.
    #[error(transparent)]
    Opening(#[from] CommandError),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}")]
    Trace(std::io::Error),
    /// The user interrupted the program.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct SaveError {
    /// The file.
    pub path: PathBuf,
    /// The message of the system.
    pub reason: String,
}

impl SaveError {
    /// For `map_err`: with the message of the root cause.
    pub(super) fn at<E: std::error::Error + 'static>(path: &Path) -> impl Fn(E) -> SaveError {
        move |error| {
            let mut root: &dyn std::error::Error = &error;
            while let Some(source) = root.source() {
                root = source;
            }
            SaveError { path: path.to_owned(), reason: root.to_string() }
        }
    }
}
