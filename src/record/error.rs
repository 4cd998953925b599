//! Why nothing was recorded.

use super::png::SaveError;
use crate::render::{DrawError, RenderError};
use crate::session::CommandError;
use fabrik3d_scene::SceneError;
use std::path::PathBuf;

/// Why nothing was recorded. No file is left under the name asked for.
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
    /// The extension says nothing that can be written.
    #[error("{}: render writes .png, .gif and .mp4", .0.display())]
    Extension(PathBuf),
    /// ffmpeg is not there.
    #[error(
        "an .mp4 film needs the program ffmpeg, which cannot be started: {0}\n  help: on Debian or Ubuntu: apt-get install ffmpeg; a .gif needs nothing"
    )]
    NoFfmpeg(std::io::Error),
    /// ffmpeg gave up.
    #[error("ffmpeg could not write the film: {0}")]
    Ffmpeg(String),
    /// A command for the beginning could not be carried out.
    #[error(transparent)]
    Opening(#[from] CommandError),
    /// The trace could not be written.
    #[error("cannot write the trace: {0}")]
    Trace(std::io::Error),
    /// Interrupted by the user.
    #[error("interrupted; nothing was written")]
    Interrupted,
}
