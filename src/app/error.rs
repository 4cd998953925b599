//! Why the viewer cannot start or go on.

use super::environment::EnvironmentError;
use crate::render::{DrawError, RenderError};
use crate::session::CommandError;

/// Why there is no window to draw in.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot open a window with OpenGL 3.3: {step}: {reason}\n  \
     help: on Debian or Ubuntu: apt-get install libgl1 libegl1 libgl1-mesa-dri\n  \
     help: `fabrik3d render FILE -o picture.png` draws without a window"
)]
pub struct WindowError {
    step: &'static str,
    reason: String,
}

impl WindowError {
    pub(super) fn at<E: std::fmt::Display>(step: &'static str) -> impl FnOnce(E) -> Self {
        move |reason| WindowError { step, reason: reason.to_string() }
    }
}

/// Why the viewer ended otherwise than by being closed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// No window system, or not a usable one.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// OpenGL is missing or too old.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The renderer cannot be set up.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// A command for the beginning could not be carried out.
    #[error(transparent)]
    Opening(#[from] CommandError),
    /// The trace could not be written.
    #[error("cannot write the trace: {0}")]
    Trace(std::io::Error),
}
