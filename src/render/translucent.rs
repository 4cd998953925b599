//! Lines, translucent surfaces and halos.

use super::camera::Camera;
use super::canvas::{Canvas, Stream, obstructed, overlay, translucent};
use super::error::{DrawError, RenderError};
use super::program::compile;
use super::scene_block::SceneBlock;
use fabrik3d_viewer::view::frame::{Frame, Halo, Line, Patch};
use glium::backend::Context;
use glium::index::{NoIndices, PrimitiveType};
use glium::uniforms::UniformBuffer;
use glium::{Program, implement_vertex, uniform};
use std::rc::Rc;

/// One segment of a polyline.
#[derive(Clone, Copy)]
#[repr(C)]
struct Segment {
    before: [f32; 3],
    start: [f32; 3],
    end: [f32; 3],
    after: [f32; 3],
    color_start: [u8; 4],
    color_end: [u8; 4],
    stroke: [f32; 4],
}
implement_vertex!(
    Segment, before normalize(false), start normalize(false), end normalize(false), after normalize(false),
    color_start normalize(true), color_end normalize(true), stroke normalize(false)
);

/// Shader input for a corner of a patch.
#[derive(Clone, Copy)]
#[repr(C)]
struct PatchVertex {
    position: [f32; 3],
    normal: [f32; 3],
    rim: f32,
    color: [u8; 4],
}
implement_vertex!(
    PatchVertex, position normalize(false), normal normalize(false), rim normalize(false), color normalize(true)
);

/// Shader input for a halo.
#[derive(Clone, Copy)]
#[repr(C)]
struct HaloInstance {
    center: [f32; 3],
    radius: f32,
    core: f32,
    color: [u8; 4],
}
implement_vertex!(
    HaloInstance, center normalize(false), radius normalize(false), core normalize(false), color normalize(true)
);

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
                for line in frame.lines.iter().filter(|line| line.on_top == on_top) {
                    segments(line, camera, pixels_per_point, staged);
                }
            }
        })?;
        self.patches.upload(|staged| staged.extend(frame.patches.iter().flat_map(corners)))?;
        let halo = |halo: &Halo| {
            let Halo { center, radius, core, color } = *halo;
            HaloInstance { center: center.to_array(), radius, core, color }
        };
        self.halos.upload(|staged| staged.extend(frame.halos.iter().map(halo)))
    }

    /// Draws the lines that other things can hide, or those in front of everything.
    pub(crate) fn draw_lines(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
        on_top: bool,
    ) -> Result<(), DrawError> {
        let (range, parameters) = match on_top {
            false => (0..self.in_scene, translucent()),
            true => (self.in_scene..self.segments.len(), overlay()),
        };
        self.segments.draw(range, canvas, &self.line_program, &uniform! { Scene: scene }, &parameters)
    }

    pub(crate) fn draw_patches(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
    ) -> Result<(), DrawError> {
        let Some(vertices) = self.patches.part(0..self.patches.len()) else { return Ok(()) };
        let triangles = NoIndices(PrimitiveType::TrianglesList);
        canvas.draw(vertices, triangles, &self.patch_program, &uniform! { Scene: scene }, &translucent())
    }

    /// Draws one part of the halos. `glowing` halos add light, others are blended. The obstructed part includes the spheres
    /// inside the halos.
    pub(crate) fn draw_halos(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
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

fn segments(line: &Line, camera: &Camera, pixels_per_point: f32, out: &mut Vec<Segment>) {
    let points = &line.points;
    let last = points.len().saturating_sub(1);
    if last == 0 {
        return;
    }
    let closed = last > 1 && points[0].0 == points[last].0;
    let (dash, gap) = line.dash.unwrap_or((0.0, 0.0));
    let mut distance = 0.0;
    for i in 0..last {
        let ((start, color_start), (end, color_end)) = (points[i], points[i + 1]);
        let before = match (i, closed) {
            (0, true) => points[last - 1].0,
            (0, false) => start,
            _ => points[i - 1].0,
        };
        let after = match (i + 1 == last, closed) {
            (true, true) => points[1].0,
            (true, false) => end,
            _ => points[i + 2].0,
        };
        out.push(Segment {
            before: before.to_array(),
            start: start.to_array(),
            end: end.to_array(),
            after: after.to_array(),
            color_start,
            color_end,
            stroke: [line.width, dash, gap, distance],
        });
        if line.dash.is_some() {
            // Segments that cross the plane of the eye have no finite image; the dash pattern does not advance there.
            let run = camera.pixel(start).zip(camera.pixel(end)).map_or(0.0, |(a, b)| a.distance(b));
            distance = (distance + run / pixels_per_point) % (dash + gap).max(1e-3);
        }
    }
}

/// The corners of the whole triangles of a patch.
fn corners(patch: &Patch) -> impl Iterator<Item = PatchVertex> {
    let whole = patch.triangles.len() / 3 * 3;
    patch.triangles[..whole].iter().map(|&(position, normal, rim)| PatchVertex {
        position: position.to_array(),
        normal: normal.to_array(),
        rim,
        color: patch.color,
    })
}
