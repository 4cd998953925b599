//! Finding a window system, and saying in words what is missing.

use winit::error::EventLoopError;
use winit::event_loop::EventLoop;

/// Why no window can be opened here.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// Neither X11 nor Wayland is announced.
    #[error(
        "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n  \
         help: `fabrik3d render FILE -o picture.png` draws without one"
    )]
    NoDisplay,
    /// A library that the window system needs is not installed.
    #[error(
        "the window system cannot be used: {0}\n  \
         help: on Debian or Ubuntu: apt-get install libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0\n  \
         help: `fabrik3d render FILE -o picture.png` draws without a window"
    )]
    Library(String),
    /// The window system refused.
    #[error(
        "the window system cannot be used: {0}\n  \
         help: check DISPLAY or WAYLAND_DISPLAY; `fabrik3d render FILE -o picture.png` draws without a window"
    )]
    EventLoop(#[from] EventLoopError),
}

/// Connects to the window system.
pub fn event_loop() -> Result<EventLoop<()>, EnvironmentError> {
    #[cfg(target_os = "linux")]
    let wayland = linux::choose()?;
    let build = move || {
        let mut builder = EventLoop::builder();
        #[cfg(target_os = "linux")]
        linux::prefer(&mut builder, wayland);
        builder.build()
    };
    // winit panics where one of its libraries is missing; its words then go into our own sentence.
    Ok(quietly(build).map_err(EnvironmentError::Library)??)
}

/// Runs what may panic for want of a library, silently; the first line of the panic's words.
pub(super) fn quietly<T>(work: impl FnOnce() -> T + std::panic::UnwindSafe) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(work);
    std::panic::set_hook(hook);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a library is missing");
        text.lines().next().unwrap_or_default().to_owned()
    })
}

#[cfg(target_os = "linux")]
mod linux {
    use super::EnvironmentError;
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use winit::event_loop::EventLoopBuilder;
    use winit::platform::wayland::EventLoopBuilderExtWayland;
    use winit::platform::x11::EventLoopBuilderExtX11;

    /// Whether Wayland answers; else X11 must be announced. winit itself would not fall back from a dead Wayland.
    pub fn choose() -> Result<bool, EnvironmentError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(name) = set("WAYLAND_DISPLAY") {
            let folder = set("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
            if UnixStream::connect(folder.join(name)).is_ok() {
                return Ok(true);
            }
        }
        if set("DISPLAY").is_some() { Ok(false) } else { Err(EnvironmentError::NoDisplay) }
    }

    pub fn prefer(builder: &mut EventLoopBuilder<()>, wayland: bool) {
        if wayland {
            builder.with_wayland();
        } else {
            builder.with_x11();
        }
    }
}
