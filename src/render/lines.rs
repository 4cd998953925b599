//! Lines of constant width on the screen: one quad per segment, mitred with its neighbours and dashed by arc length.

use super::camera::Camera;
use super::canvas::Canvas;
use super::draw_call::{Quad, Stream, overlay, translucent};
use super::error::{DrawError, RenderError};
use super::program::{ShaderSource, compile};
use crate::view::frame::Line;
use glium::backend::Context;
use glium::uniforms::Uniforms;
use glium::{Program, implement_vertex};
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

/// All lines of a frame.
pub(crate) struct Lines {
    program: Program,
    stream: Stream<Segment>,
    staged: Vec<Segment>,
    /// Number of segments that other things can hide; the rest are drawn on top.
    in_scene: usize,
}

impl Lines {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let program = compile(
            context,
            &ShaderSource::new(
                "line",
                include_str!("../../shaders/line.vert"),
                include_str!("../../shaders/line.frag"),
            ),
        )?;
        Ok(Lines { program, stream: Stream::new(context)?, staged: Vec::new(), in_scene: 0 })
    }

    pub(crate) fn upload(&mut self, lines: &[Line], camera: &Camera, pixels_per_point: f32) -> Result<(), RenderError> {
        self.staged.clear();
        self.staged.reserve(lines.iter().map(|line| line.points.len().saturating_sub(1)).sum());
        for line in lines.iter().filter(|line| !line.on_top) {
            segments(line, camera, pixels_per_point, &mut self.staged);
        }
        self.in_scene = self.staged.len();
        for line in lines.iter().filter(|line| line.on_top) {
            segments(line, camera, pixels_per_point, &mut self.staged);
        }
        self.stream.upload(&self.staged)
    }

    /// Draws the lines that other things can hide.
    pub(crate) fn draw_in_scene(
        &self,
        quad: &Quad,
        canvas: &mut Canvas<'_>,
        uniforms: &impl Uniforms,
    ) -> Result<(), DrawError> {
        quad.draw_instances((&self.stream, 0..self.in_scene), canvas, &self.program, uniforms, &translucent())
    }

    /// Draws the lines in front of everything.
    pub(crate) fn draw_on_top(
        &self,
        quad: &Quad,
        canvas: &mut Canvas<'_>,
        uniforms: &impl Uniforms,
    ) -> Result<(), DrawError> {
        let rest = self.in_scene..self.stream.len();
        quad.draw_instances((&self.stream, rest), canvas, &self.program, uniforms, &overlay())
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
