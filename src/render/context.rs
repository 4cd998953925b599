//! OpenGL without a window: a context on an EGL device. Needs neither X nor Wayland.
#![cfg_attr(
    not(target_vendor = "apple"),
    expect(unsafe_code, reason = "EGL contexts and glium's Backend have no safe constructors")
)]

use super::error::RenderError;
use glium::backend::Context;
use glium::debug::DebugCallback;
use std::rc::Rc;

/// An OpenGL 3.3 core context without a window.
pub struct Headless {
    context: Rc<Context>,
    device: String,
}

impl Headless {
    /// Opens the first EGL device that offers a context. Graphics cards come before software rendering.
    ///
    /// # Errors
    /// If there is none; the message names what is missing and the packages that contain it.
    pub fn new() -> Result<Self, RenderError> {
        egl::open(None)
    }

    /// Like [`Headless::new`], with a callback for the driver's messages, for tests and debugging.
    ///
    /// # Errors
    /// As [`Headless::new`].
    pub fn with_debug_callback(callback: DebugCallback) -> Result<Self, RenderError> {
        egl::open(Some(callback))
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
mod egl {
    use super::{DebugCallback, Headless, RenderError};

    pub(super) fn open(_: Option<DebugCallback>) -> Result<Headless, RenderError> {
        Err(RenderError::Unsupported)
    }
}

#[cfg(not(target_vendor = "apple"))]
mod egl {
    use super::{Context, DebugCallback, Headless, Rc, RenderError};
    use glium::SwapBuffersError;
    use glium::backend::Backend;
    use glium::debug::DebugCallbackBehavior;
    use glutin::api::egl::context::PossiblyCurrentContext;
    use glutin::api::egl::device::Device;
    use glutin::api::egl::display::Display;
    use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
    use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};
    use glutin::error::ErrorKind;
    use glutin::prelude::*;
    use std::ffi::{CString, c_void};

    const VERSION: Version = Version::new(3, 3);

    /// A current context with everything that must outlive it. Fields drop in this order.
    struct EglBackend {
        context: PossiblyCurrentContext,
        display: Display,
    }

    // SAFETY: `get_proc_address` returns functions of this context's display, and `make_current` and `is_current` refer to
    // the context that the backend owns for its whole life.
    unsafe impl Backend for EglBackend {
        fn swap_buffers(&self) -> Result<(), SwapBuffersError> {
            Ok(())
        }

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
            let _ = self.context.make_current_surfaceless();
        }
    }

    pub(super) fn open(mut callback: Option<DebugCallback>) -> Result<Headless, RenderError> {
        let devices = match Device::query_devices() {
            Ok(devices) => devices,
            // glutin's error for a library that cannot be loaded.
            Err(error) if matches!(error.error_kind(), ErrorKind::NotFound) => return Err(RenderError::NoEgl),
            Err(error) => return Err(RenderError::NoDevice { tried: vec![error.to_string()] }),
        };
        let mut tried = Vec::new();
        for (number, device) in devices.enumerate() {
            let name = format!("device {number}, {}", device.name().unwrap_or("unnamed"));
            match current_context(&device, callback.is_some()) {
                Ok(backend) => match glium_context(backend, callback.take()) {
                    Ok(context) => return Ok(Headless { context, device: name }),
                    Err(reason) => tried.push(format!("{name}: {reason}")),
                },
                Err((step, error)) => tried.push(format!("{name}: {step}: {error}")),
            }
        }
        Err(RenderError::NoDevice { tried })
    }

    fn glium_context(backend: EglBackend, callback: Option<DebugCallback>) -> Result<Rc<Context>, String> {
        let behavior = match callback {
            Some(callback) => DebugCallbackBehavior::Custom { callback, synchronous: true },
            None => DebugCallbackBehavior::Ignore,
        };
        // SAFETY: the context is new, current and used by nothing else; glium checks that it stays current.
        unsafe { Context::new(backend, true, behavior) }.map_err(|error| error.to_string())
    }

    type Failure = (&'static str, String);

    fn current_context(device: &Device, debug: bool) -> Result<EglBackend, Failure> {
        fn at<E: std::fmt::Display>(step: &'static str) -> impl FnOnce(E) -> Failure {
            move |error| (step, error.to_string())
        }
        // SAFETY: the device comes from EGL's own list, which stays valid while the library is loaded.
        let display = unsafe { Display::with_device(device, None) }.map_err(at("open"))?;
        let template = ConfigTemplateBuilder::new()
            .with_api(Api::OPENGL)
            .with_surface_type(ConfigSurfaceTypes::empty())
            .prefer_hardware_accelerated(None)
            .build();
        // SAFETY: the template contains no native window.
        let config = unsafe { display.find_configs(template) }.map_err(at("list configurations"))?.next();
        let config = config.ok_or(("list configurations", "none for OpenGL".to_owned()))?;
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(VERSION)))
            .with_profile(GlProfile::Core)
            .with_debug(debug)
            .build(None);
        // SAFETY: the attributes contain no native window and no shared context.
        let context =
            unsafe { display.create_context(&config, &attributes) }.map_err(at("create an OpenGL 3.3 context"))?;
        let context = context.make_current_surfaceless().map_err(at("make the context current"))?;
        Ok(EglBackend { context, display })
    }
}
