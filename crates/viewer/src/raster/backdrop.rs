//! The floor as the shaders read it.

use super::color::linear;
use crate::view::frame::{Floor, Frame, View};

/// The uniforms of `floor.frag`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorLook {
    /// Centre and radius.
    pub disc: [f32; 4],
    /// Linear colour, and brightness in full shadow.
    pub tint: [f32; 4],
    /// Linear colour and opacity of the grid.
    pub grid: [f32; 4],
    /// Linear colour and opacity of the line along x.
    pub axis_x: [f32; 4],
    /// The same along z.
    pub axis_z: [f32; 4],
    /// Size of a cell, radius of the lit part, opacity.
    pub pattern: [f32; 4],
    /// Opacity. An opaque floor is drawn before the background, which it hides; any other one after it.
    pub opacity: f32,
}

/// Opacity of the floor seen from below.
const UNDERSIDE: f32 = 0.35;

impl FloorLook {
    /// The floor of a frame. Seen from above, it fades into the background and hides what is below it, unless it is
    /// translucent; seen from below, it always is.
    pub fn of(frame: &Frame) -> Option<Self> {
        let floor: Floor = frame.floor?;
        let opacity = if sees_underside(&frame.view, floor.height) { UNDERSIDE } else { floor.opacity.min(1.0) };
        let environment = &frame.environment;
        let [r, g, b] = environment.floor;
        let [axis_x, axis_z] =
            environment.axes.map(linear).map(|[r, g, b, a]| [r, g, b, if floor.axes { a } else { 0.0 }]);
        let cell = if floor.grid { floor.cell } else { 0.0 };
        Some(FloorLook {
            disc: [floor.center.x, floor.height, floor.center.z, floor.radius],
            tint: [r, g, b, environment.shadow_floor],
            grid: linear(environment.grid),
            axis_x,
            axis_z,
            pattern: [cell, 0.3 * floor.radius, opacity, 0.0],
            opacity,
        })
    }
}

fn sees_underside(view: &View, height: f32) -> bool {
    if view.orthographic { view.forward.y > 0.0 } else { view.eye.y < height }
}
