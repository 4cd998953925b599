//! A context on an EGL device.
#![expect(unsafe_code, reason = "EGL contexts have no safe constructors")]

use super::opening::{CurrentContext, Failure, at, attributes, glium_context};
use crate::render::error::RenderError;
use glium::backend::{Backend, Context};
use glium::debug::DebugCallback;
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::error::ErrorKind;
use glutin::prelude::*;
use std::rc::Rc;

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

fn current_context(device: &Device, debug: bool) -> Result<impl Backend + use<>, Failure> {
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
    Ok(CurrentContext { context, make_current: PossiblyCurrentContext::make_current_surfaceless, display, _window: () })
}
