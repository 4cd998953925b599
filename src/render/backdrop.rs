//! The background and the floor.

use super::canvas::{Canvas, opaque, translucent};
use super::error::{DrawError, RenderError};
use super::program::{compile, linear};
use super::shadow::Pass;
use super::targets::interpolated;
use fabrik3d_viewer::view::frame::{Frame, View};
use glium::backend::Context;
use glium::{Program, uniform};
use std::rc::Rc;

pub(crate) struct Backdrop {
    background: Program,
    floor: Program,
}

impl Backdrop {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        Ok(Backdrop {
            background: compile(context, ["screen.vert", "background.frag"], &[])?,
            floor: compile(context, ["floor.vert", "floor.frag"], &[])?,
        })
    }

    /// Draws both, after the opaque things, so that only visible pixels are shaded. Seen from above, the floor fades into the
    /// background and hides what is below it, unless it is translucent; seen from below, it always is.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, pass: Pass<'_>, frame: &Frame) -> Result<(), DrawError> {
        let opacity = frame.floor.map_or(1.0, |floor| match sees_underside(&frame.view, floor.height) {
            true => UNDERSIDE,
            false => floor.opacity,
        });
        if opacity >= 1.0 {
            self.draw_floor(canvas, pass, frame, 1.0)?;
        }
        canvas.draw_quad(&self.background, &uniform! { Scene: pass.scene }, &opaque())?;
        if opacity < 1.0 { self.draw_floor(canvas, pass, frame, opacity) } else { Ok(()) }
    }

    fn draw_floor(
        &self,
        canvas: &mut Canvas<'_>,
        pass: Pass<'_>,
        frame: &Frame,
        opacity: f32,
    ) -> Result<(), DrawError> {
        let Some(floor) = frame.floor else { return Ok(()) };
        let environment = &frame.environment;
        let [r, g, b] = environment.floor;
        let [axis_x, axis_z] =
            environment.axes.map(linear).map(|[r, g, b, a]| [r, g, b, if floor.axes { a } else { 0.0 }]);
        let cell = if floor.grid { floor.cell } else { 0.0 };
        let uniforms = uniform! {
            Scene: pass.scene,
            shade_map: interpolated(&pass.shadows.shade),
            disc: [floor.center.x, floor.height, floor.center.z, floor.radius],
            tint: [r, g, b, environment.shadow_floor],
            grid: linear(environment.grid),
            axis_x: axis_x,
            axis_z: axis_z,
            pattern: [cell, 0.3 * floor.radius, opacity, 0.0],
        };
        canvas.draw_quad(&self.floor, &uniforms, &if opacity < 1.0 { translucent() } else { opaque() })
    }
}

/// Opacity of the floor seen from below.
const UNDERSIDE: f32 = 0.35;

fn sees_underside(view: &View, height: f32) -> bool {
    if view.orthographic { view.forward.y > 0.0 } else { view.eye.y < height }
}
