//! WebGL 2, called by the names of its functions.
//!
//! The page (`page.js`) looks a function up by its name and calls it with the arguments. What WebGL returns as an object is a
//! number here; 0 is none.

pub use crate::gl_argument::{Argument, Object};

/// Calls a function of WebGL.
macro_rules! gl {
    ($name:ident $(, $argument:expr)* $(,)?) => {
        $crate::page::call_gl(stringify!($name), &[$($crate::gl::Argument::from($argument)),*])
    };
}
pub(crate) use gl;

/// Calls a function of WebGL that returns an object.
macro_rules! gl_object {
    ($($call:tt)*) => { $crate::gl::object($crate::gl::gl!($($call)*)) };
}
pub(crate) use gl_object;

/// The object that WebGL returned.
pub fn object(returned: f64) -> Object {
    Object(returned as u32)
}

/// Constants of WebGL that the painter needs.
macro_rules! constants {
    ($($name:ident = $value:literal)*) => { $(#[allow(missing_docs, reason = "as WebGL has it")] pub const $name: u32 = $value;)* };
}
constants! {
    TRIANGLES = 0x0004 TRIANGLE_STRIP = 0x0005
    LESS_OR_EQUAL = 0x0203 GREATER = 0x0204
    ONE = 1 ONE_MINUS_SRC_ALPHA = 0x0303 FUNC_ADD = 0x8006 MAX = 0x8008
    BLEND = 0x0BE2 DEPTH_TEST = 0x0B71 CULL_FACE = 0x0B44 SCISSOR_TEST = 0x0C11
    FRONT = 0x0404 BACK = 0x0405
    UNSIGNED_BYTE = 0x1401 UNSIGNED_INT = 0x1405 FLOAT = 0x1406
    RGBA = 0x1908 RGBA8 = 0x8058 RGBA16F = 0x881A RGBA32F = 0x8814 SRGB8_ALPHA8 = 0x8C43
    DEPTH_COMPONENT24 = 0x81A6 DEPTH_COMPONENT32F = 0x8CAC
    NEAREST = 0x2600 LINEAR = 0x2601 LINEAR_MIPMAP_LINEAR = 0x2703
    TEXTURE_MAG_FILTER = 0x2800 TEXTURE_MIN_FILTER = 0x2801 TEXTURE_WRAP_S = 0x2802 TEXTURE_WRAP_T = 0x2803
    TEXTURE_COMPARE_MODE = 0x884C COMPARE_REF_TO_TEXTURE = 0x884E
    REPEAT = 0x2901 CLAMP_TO_EDGE = 0x812F MIRRORED_REPEAT = 0x8370
    TEXTURE_2D = 0x0DE1 TEXTURE0 = 0x84C0 MAX_TEXTURE_SIZE = 0x0D33
    ARRAY_BUFFER = 0x8892 ELEMENT_ARRAY_BUFFER = 0x8893 UNIFORM_BUFFER = 0x8A11
    STATIC_DRAW = 0x88E4 STREAM_DRAW = 0x88E0
    FRAMEBUFFER = 0x8D40 RENDERBUFFER = 0x8D41 COLOR_ATTACHMENT0 = 0x8CE0 DEPTH_ATTACHMENT = 0x8D00
    FRAMEBUFFER_COMPLETE = 0x8CD5
    COLOR_BUFFER_BIT = 0x4000 DEPTH_BUFFER_BIT = 0x0100
    VERTEX_SHADER = 0x8B31 FRAGMENT_SHADER = 0x8B30 UNPACK_ALIGNMENT = 0x0CF5
}
