//! A context on an EGL device.
#![expect(unsafe_code, reason = "EGL contexts and glium's Backend have no safe constructors")]

use super::opening::{Failure, address, at, attributes, glium_context};
use crate::render::error::RenderError;
use glium::SwapBuffersError;
use glium::backend::{Backend, Context};
use glium::debug::DebugCallback;
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::error::ErrorKind;
use glutin::prelude::*;
use std::ffi::c_void;
use std::rc::Rc;

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
        address(&self.display, symbol)
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

/// A context and the name of its device.
pub(super) fn open(mut callback: Option<DebugCallback>) -> Result<(Rc<Context>, String), RenderError> {
    let devices = match Device::query_devices() {
        Ok(devices) => devices,
        // glutin's error for a library that cannot be loaded.
        Err(error) if matches!(error.error_kind(), ErrorKind::NotFound) => return Err(RenderError::NoEgl),
        Err(error) => return Err(RenderError::NoDevice { tried: vec![error.to_string()] }),
    };
    let mut tried = Vec::new();
    for (number, device) in devices.enumerate() {
        let name = format!("device {number}, {}", device.name().unwrap_or("unnamed"));
        let opened =
            current_context(&device, callback.is_some()).and_then(|backend| glium_context(backend, callback.take()));
        match opened {
            Ok(context) => return Ok((context, name)),
            Err((step, reason)) => tried.push(format!("{name}: {step}: {reason}")),
        }
    }
    Err(RenderError::NoDevice { tried })
}

fn current_context(device: &Device, debug: bool) -> Result<EglBackend, Failure> {
    // SAFETY: the device comes from EGL's own list, which stays valid while the library is loaded.
    let display = unsafe { Display::with_device(device, None) }.map_err(at("open"))?;
    let template = ConfigTemplateBuilder::new()
        .with_api(Api::OPENGL)
        .with_surface_type(ConfigSurfaceTypes::empty())
        .prefer_hardware_accelerated(None)
        .build();
    // SAFETY: the template contains no native window.
    let config = unsafe { display.find_configs(template) }.map_err(at("list configurations"))?.next();
    let config = config.ok_or("none for OpenGL").map_err(at("list configurations"))?;
    // SAFETY: the attributes contain no native window and no shared context.
    let context = unsafe { display.create_context(&config, &attributes(debug, None)) };
    let context = context.map_err(at("create an OpenGL 3.3 context"))?;
    let context = context.make_current_surfaceless().map_err(at("make the context current"))?;
    Ok(EglBackend { context, display })
}
