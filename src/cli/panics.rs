//! What the user reads if the program panics.

use crate::app::leave_without_display;
use std::io::{self, Write};
use std::panic::PanicHookInfo;

/// Prints every panic as one error.
///
/// winit panics if the X server goes away between two of its requests. That is no fault of the program, and the windows can
/// no longer be dropped in order, so the program ends at once.
pub(super) fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        if is_lost_display(info) {
            leave_without_display();
        }
        let _ = writeln!(io::stderr(), "error: internal error, please report it: {info}");
    }));
}

fn is_lost_display(info: &PanicHookInfo) -> bool {
    let file = info.location().map_or("", |location| location.file());
    let message = info.to_string();
    file.contains("winit") && file.contains("x11") && (message.contains("Connection(") || message.contains("IoError("))
}
