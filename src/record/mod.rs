//! Pictures and films without a window: a fixed clock, the same stage, panels and renderer as the viewer's.

mod film;
mod gif;
mod live;
mod still;
mod studio;

pub use live::{Footage, LiveFilm};
pub use still::{SaveError, save_png};

use crate::render::{DrawError, RenderError};
use crate::session::script::Script;
use crate::session::{Command, CommandError};
use crate::view::Display;
use fabrik3d_scene::{Scene, SceneError, extension};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

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

/// Records a picture or a film. `progress` hears how many frames are done, and of how many; `stop` ends it early.
pub fn run(options: Options, progress: &mut dyn FnMut(u64, u64), stop: &AtomicBool) -> Result<(), RecordError> {
    match extension(&options.out).as_str() {
        "png" => still::record(options, stop),
        "gif" | "mp4" => film::record(options, progress, stop),
        _ => Err(RecordError::Extension(options.out)),
    }
}
