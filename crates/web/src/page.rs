//! What the page does for the viewer.

#![allow(unsafe_code, reason = "functions of the page are not checked by the compiler")]

use crate::gl_argument::Argument;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Calls a function of WebGL.
    fn gl(name: *const u8, len: usize, arguments: *const Argument, count: usize) -> f64;
    /// Passes a message on: what it is about, a text, and bytes.
    fn tell(kind: *const u8, kind_len: usize, text: *const u8, text_len: usize, bytes: *const u8, bytes_len: usize);
}

/// Calls a function of WebGL by its name.
pub fn call_gl(name: &'static str, arguments: &[Argument]) -> f64 {
    // SAFETY: the page reads what the arguments point to, all of which outlives the call, and keeps none of it.
    unsafe { gl(name.as_ptr(), name.len(), arguments.as_ptr(), arguments.len()) }
}

/// Tells the page something; it knows what to do by `kind`.
pub fn tell_page(kind: &'static str, text: &str, bytes: &[u8]) {
    // SAFETY: as above.
    unsafe { tell(kind.as_ptr(), kind.len(), text.as_ptr(), text.len(), bytes.as_ptr(), bytes.len()) }
}
