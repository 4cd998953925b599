//! The background and the floor.

use super::canvas::{Canvas, opaque, translucent};
use super::error::{DrawError, RenderError};
use super::program::compile;
use super::shadow::Pass;
use super::targets::interpolated;
use fabrik3d_viewer::raster::FloorLook;
use fabrik3d_viewer::view::frame::Frame;
use glium::backend::Context;
use glium::{DrawParameters, Program, uniform};
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

    /// Draws both, after the opaque things, so that only visible pixels are shaded.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, pass: Pass<'_>, frame: &Frame) -> Result<(), DrawError> {
        let (opaque_floor, other_floor) = match FloorLook::of(frame) {
            Some(floor) if floor.opacity >= 1.0 => (Some(floor), None),
            floor => (None, floor),
        };
        if let Some(floor) = opaque_floor {
            self.draw_floor(canvas, pass, floor, &opaque())?;
        }
        canvas.draw_quad(&self.background, &uniform! { Scene: pass.scene }, &opaque())?;
        other_floor.map_or(Ok(()), |floor| self.draw_floor(canvas, pass, floor, &translucent()))
    }

    fn draw_floor(
        &self,
        canvas: &mut Canvas<'_>,
        pass: Pass<'_>,
        FloorLook { disc, tint, grid, axis_x, axis_z, pattern, .. }: FloorLook,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        let uniforms = uniform! {
            Scene: pass.scene, shade_map: interpolated(&pass.shadows.shade),
            disc: disc, tint: tint, grid: grid, axis_x: axis_x, axis_z: axis_z, pattern: pattern,
        };
        canvas.draw_quad(&self.floor, &uniforms, parameters)
    }
}
