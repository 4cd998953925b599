//! Lines, translucent surfaces and halos.

use super::canvas::{Canvas, Stream, obstructed, overlay, translucent};
use super::error::{DrawError, RenderError};
use super::program::compile;
use super::scene_block::Block;
use fabrik3d_viewer::raster::{Camera, HaloInstance, PatchVertex, Segment, patch_corners, segments};
use fabrik3d_viewer::view::frame::Frame;
use glium::backend::Context;
use glium::index::{NoIndices, PrimitiveType};
use glium::uniforms::UniformBuffer;
use glium::{Program, uniform};
use std::rc::Rc;

/// The part of the halos to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HaloPart {
    /// Where nothing is in front.
    Visible,
    /// Where something is in front.
    Obstructed,
}

/// All lines, patches and halos of a frame.
pub(crate) struct Translucent {
    /// Draws lines with constant width on the screen: one quad per segment, mitred with its neighbours and dashed by arc length.
    line_program: Program,
    segments: Stream<Segment>,
    /// Number of segments that other things can hide; the rest are drawn on top.
    in_scene: usize,
    patch_program: Program,
    patches: Stream<PatchVertex>,
    halo_program: Program,
    halos: Stream<HaloInstance>,
}

impl Translucent {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        Ok(Translucent {
            line_program: compile(context, ["line.vert", "line.frag"], &[])?,
            segments: Stream::new(context)?,
            in_scene: 0,
            patch_program: compile(context, ["patch.vert", "patch.frag"], &[])?,
            patches: Stream::new(context)?,
            halo_program: compile(context, ["halo.vert", "halo.frag"], &[])?,
            halos: Stream::new(context)?,
        })
    }

    pub(crate) fn upload(&mut self, frame: &Frame, camera: &Camera, pixels_per_point: f32) -> Result<(), RenderError> {
        let in_scene = &mut self.in_scene;
        self.segments.upload(|staged| {
            for on_top in [false, true] {
                *in_scene = if on_top { staged.len() } else { 0 };
                segments(frame, on_top, camera, pixels_per_point, staged);
            }
        })?;
        self.patches.upload(|staged| staged.extend(patch_corners(&frame.patches)))?;
        self.halos.upload(|staged| staged.extend(frame.halos.iter().map(HaloInstance::from)))
    }

    /// Draws the lines that other things can hide, or those in front of everything.
    pub(crate) fn draw_lines(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<Block>,
        on_top: bool,
    ) -> Result<(), DrawError> {
        let (range, parameters) = match on_top {
            false => (0..self.in_scene, translucent()),
            true => (self.in_scene..self.segments.len(), overlay()),
        };
        self.segments.draw(range, canvas, &self.line_program, &uniform! { Scene: scene }, &parameters)
    }

    pub(crate) fn draw_patches(&self, canvas: &mut Canvas<'_>, scene: &UniformBuffer<Block>) -> Result<(), DrawError> {
        let Some(vertices) = self.patches.part(0..self.patches.len()) else { return Ok(()) };
        let triangles = NoIndices(PrimitiveType::TrianglesList);
        canvas.draw(vertices, triangles, &self.patch_program, &uniform! { Scene: scene }, &translucent())
    }

    /// Draws one part of the halos. `glowing` halos add light, others are blended. The obstructed part includes the spheres
    /// inside the halos.
    pub(crate) fn draw_halos(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<Block>,
        (glowing, part): (bool, HaloPart),
    ) -> Result<(), DrawError> {
        let (hidden, parameters) = match part {
            HaloPart::Visible => (0.0f32, translucent()),
            HaloPart::Obstructed => (1.0, obstructed()),
        };
        let uniforms = uniform! { Scene: scene, painted: if glowing { 0.0f32 } else { 1.0 }, hidden: hidden };
        self.halos.draw(0..self.halos.len(), canvas, &self.halo_program, &uniforms, &parameters)
    }
}
