//! The mathematics of looking and pointing, without a window and without OpenGL; and [`Frame`], all there is to draw.

pub mod frame;

pub use frame::Frame;
