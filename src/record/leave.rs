//! How the program ends in the middle of its work.
#![cfg_attr(unix, allow(unsafe_code, reason = "`_exit` is a C function"))]

use super::ffmpeg;
use fabrik3d_scene::remove_drafts;

/// Ends the program at once and leaves no temporary file behind. Destructors do not run: those of the graphics driver would
/// free what threads that still draw use.
pub fn leave(code: u8) -> ! {
    ffmpeg::end_all();
    remove_drafts();
    end(code.into())
}

#[cfg(unix)]
fn end(code: i32) -> ! {
    // SAFETY: `_exit` has no preconditions.
    unsafe { libc::_exit(code) }
}

#[cfg(not(unix))]
fn end(code: i32) -> ! {
    std::process::exit(code)
}
