//! OpenGL without a window on the screen: a context on an EGL device, which needs neither X nor Wayland; on Windows, the
//! context of a window that is never shown.

use super::error::RenderError;
use glium::backend::Context;
use glium::debug::DebugCallback;
use std::rc::Rc;

#[cfg(not(any(windows, target_vendor = "apple")))]
mod egl;
#[cfg(not(target_vendor = "apple"))]
mod opening;
#[cfg(windows)]
mod wgl;

#[cfg(not(any(windows, target_vendor = "apple")))]
use egl::open;
#[cfg(windows)]
use wgl::open;

/// An OpenGL 3.3 core context without a window on the screen.
pub struct Headless {
    context: Rc<Context>,
    device: String,
}

impl Headless {
    /// Opens the first device that offers a context. Graphics cards come before software rendering.
    ///
    /// # Errors
    /// If there is none; the message names what is missing and what to do.
    pub fn new() -> Result<Self, RenderError> {
        Self::opened(None)
    }

    /// Like [`Headless::new`], with a callback for the driver's messages, for tests and debugging.
    ///
    /// # Errors
    /// As [`Headless::new`].
    pub fn with_debug_callback(callback: DebugCallback) -> Result<Self, RenderError> {
        Self::opened(Some(callback))
    }

    fn opened(callback: Option<DebugCallback>) -> Result<Self, RenderError> {
        let (context, device) = open(callback)?;
        Ok(Headless { context, device })
    }

    /// The context, for [`Renderer::new`](super::Renderer::new) and [`Targets::new`](super::Targets::new).
    pub fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// Name of the device, for reports.
    pub fn device(&self) -> &str {
        &self.device
    }
}

/// Whether a context renders in software, where the quality should be [`Quality::Fast`](fabrik3d_viewer::view::frame::Quality).
pub fn is_software(context: &Context) -> bool {
    let name = context.get_opengl_renderer_string().to_lowercase();
    ["llvmpipe", "softpipe", "swrast", "software", "swiftshader"].iter().any(|word| name.contains(word))
}

#[cfg(target_vendor = "apple")]
fn open(_: Option<DebugCallback>) -> Result<(Rc<Context>, String), RenderError> {
    Err(RenderError::Unsupported)
}
