//! What stands in the way of a window.

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
