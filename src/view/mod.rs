//! The mathematics of looking and pointing, without a window and without OpenGL; and [`Frame`], all there is to draw.

pub mod frame;
pub mod look;

pub use frame::Frame;
pub use look::{Palette, Theme};
