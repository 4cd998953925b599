//! What all systems have in common when a context is opened.
#![expect(unsafe_code, reason = "glium's contexts have no safe constructor")]

use glium::backend::{Backend, Context};
use glium::debug::{DebugCallback, DebugCallbackBehavior};
use glutin::context::{ContextApi, ContextAttributes, ContextAttributesBuilder, GlProfile, Version};
use glutin::display::GlDisplay;
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

/// The address of a function of OpenGL; null if there is none.
pub(super) fn address(display: &impl GlDisplay, symbol: &str) -> *const c_void {
    CString::new(symbol).map_or(std::ptr::null(), |symbol| display.get_proc_address(&symbol))
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
