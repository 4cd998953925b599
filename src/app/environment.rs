//! Connecting to the window system, with messages about missing parts, and how the program ends when it goes away.

use super::wake::Wake;
use crate::record::leave;
use std::io::{self, Write};
use std::panic::AssertUnwindSafe;
use winit::error::EventLoopError;
use winit::event_loop::EventLoop;

/// Exit code of a program that could not go on.
pub(super) const FAILED: u8 = 2;

/// Why there is no usable window system.
#[derive(Debug, thiserror::Error)]
pub(super) enum EnvironmentError {
    /// Neither X11 nor Wayland is available.
    #[cfg(target_os = "linux")]
    #[error(
        "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n  \
         help: `fabrik3d render FILE -o picture.png` renders without a display"
    )]
    NoDisplay,
    /// A library of the window system is missing.
    #[error(
        "the window system cannot be used: {0}\n  \
         help: on Debian or Ubuntu: apt-get install libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0\n  \
         help: `fabrik3d render FILE -o picture.png` renders without a window"
    )]
    Library(String),
    /// The X server lacks an extension.
    #[error(
        "the X server lacks the extension {0}, without which no window can be opened\n  \
         help: start the X server without `-extension {0}`, or use another one\n  \
         help: `fabrik3d render FILE -o picture.png` renders without a window"
    )]
    Extension(&'static str),
    /// The window system refused the connection.
    #[error(
        "the window system cannot be used: {reason}\n  \
         help: check DISPLAY or WAYLAND_DISPLAY; `fabrik3d render FILE -o picture.png` renders without a window",
        reason = reason(.0)
    )]
    EventLoop(#[from] EventLoopError),
    /// The window system went away while the program ran.
    #[error("the connection to the display was lost")]
    Lost,
}

/// The message without winit's place in its own source.
fn reason(error: &EventLoopError) -> String {
    let text = error.to_string();
    match error {
        EventLoopError::Os(_) => text.rsplit(": ").next().unwrap_or_default().to_owned(),
        _ => text,
    }
}

pub(super) fn event_loop() -> Result<EventLoop<Wake>, EnvironmentError> {
    let mut builder = EventLoop::with_user_event();
    #[cfg(target_os = "linux")]
    linux::choose(&mut builder)?;
    // winit panics if one of its libraries or an extension is missing: turn the panic into an error.
    let built = catch_panic(|| builder.build()).map_err(|message| match missing_extension(&message) {
        Some(name) => EnvironmentError::Extension(name),
        None => EnvironmentError::Library(message),
    });
    Ok(built??)
}

/// The extension of X that winit misses, as the X server names it.
fn missing_extension(panic: &str) -> Option<&'static str> {
    // XInput is reported without a reason, RandR with the reason of every extension.
    let names = [("XRandR", "RANDR"), ("XInput", "XInputExtension"), ("XKB", "XKEYBOARD")];
    let is_missing = panic.contains("UnsupportedExtension") || panic.contains("X server missing");
    names.into_iter().find(|(word, _)| is_missing && panic.contains(word)).map(|(_, name)| name)
}

/// Runs code that panics if a library is missing. Returns the first line of the panic message as the error.
pub(super) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    // What a panic leaves half done is dropped by the callers.
    let result = std::panic::catch_unwind(AssertUnwindSafe(work));
    std::panic::set_hook(hook);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a library is missing");
        text.lines().next().unwrap_or_default().to_owned()
    })
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{EnvironmentError, Wake};
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use winit::event_loop::EventLoopBuilder;
    use winit::platform::wayland::EventLoopBuilderExtWayland;
    use winit::platform::x11::EventLoopBuilderExtX11;

    /// Chooses Wayland or X11. Falls back to X11 if the Wayland socket is dead, which winit does not.
    pub fn choose(builder: &mut EventLoopBuilder<Wake>) -> Result<(), EnvironmentError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(name) = set("WAYLAND_DISPLAY") {
            let folder = set("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
            if UnixStream::connect(folder.join(name)).is_ok() {
                builder.with_wayland();
                return Ok(());
            }
        }
        builder.with_x11();
        set("DISPLAY").map(drop).ok_or(EnvironmentError::NoDisplay)
    }
}

/// Says that the display was lost and ends the program at once, without any destructor.
pub fn leave_without_display() -> ! {
    let _ = writeln!(io::stderr(), "error: {}", EnvironmentError::Lost);
    leave(FAILED)
}

/// Whether there was an X server and no longer is.
pub fn is_display_lost() -> bool {
    #[cfg(target_os = "linux")]
    return std::env::var_os("DISPLAY").is_some() && x11rb::connect(None).is_err();
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// From now on, Xlib calls [`leave_without_display`] when its server goes away, a handler which must not return. Its own
/// one prints a message that few understand and ends with exit code 1, after destructors of the graphics driver that use
/// the lost connection and may crash. Without Xlib there is nothing to do.
#[cfg_attr(target_os = "linux", allow(unsafe_code, reason = "Xlib takes its handler as a C function"))]
pub(super) fn handle_loss() {
    #[cfg(target_os = "linux")]
    {
        use std::ffi::c_int;
        use x11_dl::xlib::{Display, Xlib};

        unsafe extern "C" fn lost(_: *mut Display) -> c_int {
            leave_without_display()
        }
        let Ok(xlib) = Xlib::open() else { return };
        // SAFETY: the handler has the type that Xlib expects, never returns, and uses nothing of the display. `x11_dl` never
        // unloads the library.
        unsafe { (xlib.XSetIOErrorHandler)(Some(lost)) };
    }
}

/// What to do where OpenGL is missing.
const DRIVER_REMEDY: &str = if cfg!(target_os = "linux") {
    "on Debian or Ubuntu: apt-get install libgl1 libegl1 libgl1-mesa-dri"
} else {
    "install the current driver of the graphics card"
};

/// Why no window with OpenGL can be opened.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot open a window with OpenGL 3.3: {step}: {reason}\n  \
     help: {}\n  \
     help: `fabrik3d render FILE -o picture.png` renders without a window",
    DRIVER_REMEDY
)]
pub(super) struct WindowError {
    step: &'static str,
    reason: String,
}

impl WindowError {
    pub(super) fn at<E: std::fmt::Display>(step: &'static str) -> impl FnOnce(E) -> Self {
        move |reason| WindowError { step, reason: reason.to_string() }
    }
}

/// Why the viewer cannot start or continue, with what helps.
pub type AppError = Box<dyn std::error::Error>;
