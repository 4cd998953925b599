//! Colours as shaders compute with them.

use crate::view::frame::Color;

/// Linear light of an sRGB colour; alpha is unchanged.
pub fn linear(color: Color) -> [f32; 4] {
    let [r, g, b, a] = color.map(|byte| f32::from(byte) / 255.0);
    let decode = |c: f32| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    [decode(r), decode(g), decode(b), a]
}
