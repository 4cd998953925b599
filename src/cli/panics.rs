//! What the user reads if the program panics.

use crate::app::{is_display_lost, leave_without_display};
use std::io::{self, Write};

/// Parts of the paths of libraries that talk to the window system.
const WINDOW_LIBRARIES: [&str; 4] = ["winit", "glutin", "glium", "x11rb"];

/// Prints every panic as one error.
///
/// The libraries of the window panic if the X server goes away between two of their requests. That is no fault of the
/// program, and the windows can no longer be dropped in order, so the program ends at once.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let file = info.location().map_or("", |location| location.file());
        if WINDOW_LIBRARIES.iter().any(|library| file.contains(library)) && is_display_lost() {
            leave_without_display();
        }
        let _ = writeln!(io::stderr(), "error: internal error, please report it: {info}");
    }));
}
