//! What all systems have in common when a context is opened.
#![expect(unsafe_code, reason = "glium's contexts and Backend have no safe constructors")]

use glium::SwapBuffersError;
use glium::backend::{Backend, Context};
use glium::debug::{DebugCallback, DebugCallbackBehavior};
use glutin::context::{ContextApi, ContextAttributes, ContextAttributesBuilder, GlProfile, Version};
use glutin::prelude::*;
use raw_window_handle::RawWindowHandle;
use std::ffi::{CString, c_void};
use std::fmt::Display;
use std::rc::Rc;

/// The step that failed, and the reason.
pub(super) type Failure = (&'static str, String);

/// For `map_err` at a step.
pub(super) fn at<E: Display>(step: &'static str) -> impl FnOnce(E) -> Failure {
    move |error| (step, error.to_string())
}

/// What the program needs of a context.
pub(super) fn attributes(debug: bool, window: Option<RawWindowHandle>) -> ContextAttributes {
    ContextAttributesBuilder::new()
        .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
        .with_profile(GlProfile::Core)
        .with_debug(debug)
        .build(window)
}

/// A current context with everything that must outlive it. Fields drop in this order.
pub(super) struct CurrentContext<C, M, D, W> {
    pub context: C,
    /// Makes the context current again, where it was made current.
    pub make_current: M,
    pub display: D,
    /// The window that it draws into, if there must be one.
    pub _window: W,
}

// SAFETY: `get_proc_address` returns functions of this context's display, and `make_current` and `is_current` refer to
// the context that the backend owns for its whole life.
unsafe impl<C, M, D, W> Backend for CurrentContext<C, M, D, W>
where
    C: PossiblyCurrentGlContext,
    M: Fn(&C) -> Result<(), glutin::error::Error>,
    D: GlDisplay,
{
    fn swap_buffers(&self) -> Result<(), SwapBuffersError> {
        Ok(())
    }

    /// Null if there is no such function.
    unsafe fn get_proc_address(&self, symbol: &str) -> *const c_void {
        CString::new(symbol).map_or(std::ptr::null(), |symbol| self.display.get_proc_address(&symbol))
    }

    fn get_framebuffer_dimensions(&self) -> (u32, u32) {
        (1, 1)
    }

    fn resize(&self, _: (u32, u32)) {}

    fn is_current(&self) -> bool {
        self.context.is_current()
    }

    unsafe fn make_current(&self) {
        // glium cannot report a failure here; the next command fails and is reported.
        let _ = (self.make_current)(&self.context);
    }
}

/// The context of a backend that is new, current and used by nothing else.
pub(super) fn glium_context(
    backend: impl Backend + 'static,
    callback: Option<DebugCallback>,
) -> Result<Rc<Context>, Failure> {
    let behavior = match callback {
        Some(callback) => DebugCallbackBehavior::Custom { callback, synchronous: true },
        None => DebugCallbackBehavior::Ignore,
    };
    // SAFETY: glium checks that the context stays current.
    unsafe { Context::new(backend, true, behavior) }.map_err(at("start glium"))
}
