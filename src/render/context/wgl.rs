//! The context of a window that is never shown: Windows has no other one.
#![expect(unsafe_code, reason = "windows, WGL contexts have no safe constructors")]

use super::opening::{CurrentContext, Failure, at, attributes, glium_context};
use crate::render::error::RenderError;
use glium::backend::{Backend, Context};
use glium::debug::DebugCallback;
use glutin::api::wgl::context::PossiblyCurrentContext;
use glutin::api::wgl::display::Display;
use glutin::api::wgl::surface::Surface;
use glutin::config::ConfigTemplateBuilder;
use glutin::prelude::*;
use glutin::surface::{SurfaceAttributesBuilder, WindowSurface};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle, Win32WindowHandle, WindowsDisplayHandle};
use std::io;
use std::num::{NonZeroIsize, NonZeroU32};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use windows_sys::Win32::Foundation::HWND;
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CS_OWNDC, CreateWindowExW, DefWindowProcW, DestroyWindow, RegisterClassW, WNDCLASSW, WS_POPUP,
};
use windows_sys::w;

/// A window that is never shown.
struct HiddenWindow(Win32WindowHandle);

impl HiddenWindow {
    fn new() -> Result<Self, io::Error> {
        let name = w!("fabrik3d without a window");
        // SAFETY: the strings end with zero, the class has the function of windows that do nothing of their own, and
        // the module is that of this program. A class that is registered already stays as it is.
        let (module, window) = unsafe {
            let module = GetModuleHandleW(null());
            let class = WNDCLASSW {
                style: CS_OWNDC,
                lpfnWndProc: Some(DefWindowProcW),
                hInstance: module,
                lpszClassName: name,
                ..std::mem::zeroed()
            };
            RegisterClassW(&class);
            (module, CreateWindowExW(0, name, name, WS_POPUP, 0, 0, 1, 1, null_mut(), null_mut(), module, null()))
        };
        let window = NonZeroIsize::new(window as isize).ok_or_else(io::Error::last_os_error)?;
        let mut handle = Win32WindowHandle::new(window);
        handle.hinstance = NonZeroIsize::new(module as isize);
        Ok(HiddenWindow(handle))
    }
}

impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: nobody else has destroyed this window.
        unsafe { DestroyWindow(self.0.hwnd.get() as HWND) };
    }
}

/// A context and the name of its device.
pub(super) fn open(callback: Option<DebugCallback>) -> Result<(Rc<Context>, String), RenderError> {
    let opened = current_context(callback.is_some()).and_then(|backend| glium_context(backend, callback));
    match opened {
        Ok(context) => {
            let device = context.get_opengl_renderer_string().to_owned();
            Ok((context, device))
        }
        Err((step, reason)) => Err(RenderError::NoDevice { tried: vec![format!("{step}: {reason}")] }),
    }
}

fn current_context(debug: bool) -> Result<impl Backend + use<>, Failure> {
    let window = HiddenWindow::new().map_err(at("create a window"))?;
    let handle = RawWindowHandle::Win32(window.0);
    // SAFETY: here and below, the window is alive; the backend drops it last.
    let display = unsafe { Display::new(RawDisplayHandle::Windows(WindowsDisplayHandle::new()), Some(handle)) };
    let display = display.map_err(at("open"))?;
    let template = ConfigTemplateBuilder::new().compatible_with_native_window(handle).build();
    // SAFETY: as above.
    let config = unsafe { display.find_configs(template) }.map_err(at("list configurations"))?.next();
    let config = config.ok_or("none for OpenGL").map_err(at("list configurations"))?;
    // SAFETY: as above.
    let context = unsafe { display.create_context(&config, &attributes(debug, Some(handle))) };
    let context = context.map_err(at("create an OpenGL 3.3 context"))?;
    let size = SurfaceAttributesBuilder::<WindowSurface>::new().build(handle, NonZeroU32::MIN, NonZeroU32::MIN);
    // SAFETY: as above.
    let surface = unsafe { display.create_window_surface(&config, &size) }.map_err(at("create a surface"))?;
    let context = context.make_current(&surface).map_err(at("make the context current"))?;
    let make_current = move |context: &PossiblyCurrentContext| context.make_current(&surface);
    Ok(CurrentContext { context, make_current, display, _window: window })
}
