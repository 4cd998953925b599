//! A frame, and how to draw it.

use crate::view::frame::{Frame, Quality};

/// A frame, and how it is drawn.
pub struct Picture {
    /// What to draw.
    pub frame: Frame,
    /// Rendering effort.
    pub quality: Quality,
    /// Pixels per logical pixel for the widths of lines.
    pub line_scale: f32,
}
