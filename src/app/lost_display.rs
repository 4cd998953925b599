//! How the program ends when the window system goes away.
//!
//! Xlib then calls a handler which must not return. Its own one prints a message that few understand and ends with exit
//! code 1, after destructors of the graphics driver that use the lost connection and may crash.
#![cfg_attr(target_os = "linux", allow(unsafe_code, reason = "Xlib takes its handler as a C function"))]

use super::environment::EnvironmentError;
use crate::record::leave;
use std::io::{self, Write};

/// Exit code of a program that could not go on.
const FAILED: u8 = 2;

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

/// From now on, Xlib calls [`leave_without_display`] when its server goes away. Without Xlib there is nothing to do.
pub(super) fn handle() {
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
