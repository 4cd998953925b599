//! Errors of the viewer.

use super::environment::EnvironmentError;
use crate::render::{DrawError, RenderError};
use crate::session::CommandError;

/// Why no window with OpenGL can be opened.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot open a window with OpenGL 3.3: {step}: {reason}\n  \
     help: on Debian or Ubuntu: apt-get install libgl1 libegl1 libgl1-mesa-dri\n  \
     help: `fabrik3d render FILE -o picture.png` renders without a window"
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

/// Why the viewer cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no usable window system.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// OpenGL is missing or too old.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The renderer cannot be created.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// An initial command failed.
    #[error(transparent)]
    Opening(#[from] CommandError),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}")]
    Trace(std::io::Error),
}
