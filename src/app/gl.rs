//! The two unsafe calls of glutin: creating a surface and a context for a window.
#![allow(unsafe_code, reason = "glutin's constructors require a valid window handle")]

use super::error::WindowError;
use glutin::config::Config;
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, NotCurrentContext, Version};
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::surface::{Surface, SurfaceAttributesBuilder, WindowSurface};
use raw_window_handle::HasWindowHandle;
use std::num::NonZeroU32;
use winit::window::Window;

/// Creates an OpenGL 3.3 core context and a surface for `window`, not yet current. The window must outlive both.
pub(super) fn create(
    window: &Window,
    config: &Config,
    (width, height): (u32, u32),
) -> Result<(NotCurrentContext, Surface<WindowSurface>), WindowError> {
    let handle = window.window_handle().map_err(WindowError::at("get the window handle"))?.as_raw();
    let at_least_one = |pixels: u32| NonZeroU32::new(pixels).unwrap_or(NonZeroU32::MIN);
    let surface = SurfaceAttributesBuilder::<WindowSurface>::new().with_srgb(Some(false)).build(
        handle,
        at_least_one(width),
        at_least_one(height),
    );
    let context = ContextAttributesBuilder::new()
        .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
        .with_profile(GlProfile::Core)
        .build(Some(handle));
    let display = config.display();
    // SAFETY: the handle comes from a window that is alive; `OpenWindow` drops the surface before it.
    let surface =
        unsafe { display.create_window_surface(config, &surface) }.map_err(WindowError::at("create a surface"))?;
    // SAFETY: as above.
    let context =
        unsafe { display.create_context(config, &context) }.map_err(WindowError::at("create an OpenGL 3.3 context"))?;
    Ok((context, surface))
}
