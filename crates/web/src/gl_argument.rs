//! Arguments of functions of WebGL, as the page reads them.

use std::ffi::c_void;

/// An object of WebGL: a buffer, a texture, a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Object(pub u32);

impl Object {
    /// No object.
    pub const NONE: Object = Object(0);
}

/// How the page reads an argument.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Kind {
    Number,
    Truth,
    Object,
    Text,
    Bytes,
    Floats,
}

/// An argument. For texts and lists, `value` is where they start in memory, and `len` their length.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Argument {
    kind: Kind,
    len: u32,
    value: f64,
}

fn list<T>(kind: Kind, items: &[T]) -> Argument {
    Argument { kind, len: items.len() as u32, value: items.as_ptr().cast::<c_void>() as usize as f64 }
}

impl From<f64> for Argument {
    fn from(value: f64) -> Self {
        Argument { kind: Kind::Number, len: 0, value }
    }
}
impl From<f32> for Argument {
    fn from(value: f32) -> Self {
        f64::from(value).into()
    }
}
impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        f64::from(value).into()
    }
}
impl From<i32> for Argument {
    fn from(value: i32) -> Self {
        f64::from(value).into()
    }
}
impl From<usize> for Argument {
    fn from(value: usize) -> Self {
        (value as f64).into()
    }
}
impl From<bool> for Argument {
    fn from(value: bool) -> Self {
        Argument { kind: Kind::Truth, len: 0, value: f64::from(u8::from(value)) }
    }
}
impl From<Object> for Argument {
    fn from(object: Object) -> Self {
        Argument { kind: Kind::Object, len: 0, value: f64::from(object.0) }
    }
}
impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        list(Kind::Text, text.as_bytes())
    }
}
impl From<&[u8]> for Argument {
    fn from(bytes: &[u8]) -> Self {
        list(Kind::Bytes, bytes)
    }
}
impl From<&[f32]> for Argument {
    fn from(numbers: &[f32]) -> Self {
        list(Kind::Floats, numbers)
    }
}
