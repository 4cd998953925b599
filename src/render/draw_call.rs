//! The quad that everything flat is drawn on, vertex buffers that are rewritten every frame, and shared draw parameters.

use super::canvas::Canvas;
use super::error::{DrawError, RenderError};
use glium::backend::Context;
use glium::draw_parameters::{Depth, DepthTest};
use glium::index::{NoIndices, PrimitiveType};
use glium::uniforms::Uniforms;
use glium::vertex::VertexBufferSlice;
use glium::{
    Blend, BlendingFunction, DrawParameters, LinearBlendingFactor, Program, Vertex, VertexBuffer, implement_vertex,
};
use std::ops::Range;
use std::rc::Rc;

/// Corner of a quad, with coordinates 0 or 1.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    corner: [f32; 2],
}
implement_vertex!(Corner, corner);

/// Most instances in one call. Software OpenGL keeps what it has not drawn yet, some hundred bytes per instance and pass, and
/// draws while it waits between the calls.
const MOST_INSTANCES: usize = 1 << 14;

/// The quad on which all instances are drawn.
pub(crate) struct Quad {
    corners: VertexBuffer<Corner>,
}

impl Quad {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|corner| Corner { corner });
        let corners = VertexBuffer::new(context, &corners).map_err(RenderError::resource("a quad"))?;
        Ok(Quad { corners })
    }

    /// Draws the quad once.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        canvas.draw(&self.corners, NoIndices(PrimitiveType::TriangleStrip), program, uniforms, parameters)
    }

    /// Draws the quad once per instance in `range`.
    pub(crate) fn draw_instances<T: Vertex>(
        &self,
        (stream, range): (&Stream<T>, Range<usize>),
        canvas: &mut Canvas<'_>,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        let mut start = range.start;
        while let Some(part) = stream.part(start..range.end.min(start + MOST_INSTANCES)) {
            if start > range.start {
                stream.wait();
            }
            let instances = part.per_instance().map_err(|_| glium::DrawError::InstancesCountMismatch)?;
            let strip = NoIndices(PrimitiveType::TriangleStrip);
            canvas.draw((&self.corners, instances), strip, program, uniforms, parameters)?;
            start += MOST_INSTANCES;
        }
        Ok(())
    }
}

/// Instances for which a buffer has room at first.
const FIRST_CAPACITY: usize = 64;

/// Instances of one kind, uploaded once per frame.
pub(crate) struct Stream<T: Vertex> {
    context: Rc<Context>,
    buffer: VertexBuffer<T>,
    len: usize,
}

impl<T: Vertex> Stream<T> {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        Ok(Stream { context: context.clone(), buffer: allocate(context, FIRST_CAPACITY)?, len: 0 })
    }

    /// Replaces the content. Invalidates the old storage first, so that the driver does not wait for the last frame.
    pub(crate) fn upload(&mut self, data: &[T]) -> Result<(), RenderError> {
        self.len = data.len();
        if data.is_empty() {
            return Ok(());
        }
        if data.len() > self.buffer.len() {
            self.buffer = allocate(&self.context, data.len() + data.len() / 4)?;
        } else {
            self.buffer.invalidate();
        }
        if let Some(slice) = self.buffer.slice(0..data.len()) {
            slice.write(data);
        }
        Ok(())
    }

    /// The instances in `range`; none if it is empty or out of bounds.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<VertexBufferSlice<'_, T>> {
        if range.is_empty() || range.end > self.len { None } else { self.buffer.slice(range) }
    }

    /// Waits until everything that was ordered is drawn.
    pub(crate) fn wait(&self) {
        self.context.finish();
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

fn allocate<T: Vertex>(context: &Rc<Context>, len: usize) -> Result<VertexBuffer<T>, RenderError> {
    VertexBuffer::empty_dynamic(context, len).map_err(RenderError::resource("a vertex buffer"))
}

/// Parameters for opaque things.
pub(crate) fn opaque<'a>() -> DrawParameters<'a> {
    DrawParameters {
        depth: Depth { test: DepthTest::IfLessOrEqual, write: true, ..Depth::default() },
        ..DrawParameters::default()
    }
}

/// Parameters for translucent things: depth-tested, premultiplied, without writing depth.
pub(crate) fn translucent<'a>() -> DrawParameters<'a> {
    DrawParameters {
        depth: Depth { test: DepthTest::IfLessOrEqual, write: false, ..Depth::default() },
        blend: premultiplied(),
        ..DrawParameters::default()
    }
}

/// Parameters for the obstructed parts of translucent things only.
pub(crate) fn obstructed<'a>() -> DrawParameters<'a> {
    DrawParameters { depth: Depth { test: DepthTest::IfMore, write: false, ..Depth::default() }, ..translucent() }
}

/// Parameters that write depth without colour.
pub(crate) fn depth_only<'a>() -> DrawParameters<'a> {
    DrawParameters { color_mask: (false, false, false, false), ..opaque() }
}

/// Parameters for things in front of everything.
pub(crate) fn overlay<'a>() -> DrawParameters<'a> {
    DrawParameters { blend: premultiplied(), ..DrawParameters::default() }
}

/// Blending of premultiplied colours.
pub(crate) fn premultiplied() -> Blend {
    let over = BlendingFunction::Addition {
        source: LinearBlendingFactor::One,
        destination: LinearBlendingFactor::OneMinusSourceAlpha,
    };
    Blend { color: over, alpha: over, constant_value: (0.0, 0.0, 0.0, 0.0) }
}

/// Parameters that keep the larger value.
pub(crate) fn maximum<'a>() -> DrawParameters<'a> {
    let max = BlendingFunction::Max;
    DrawParameters {
        blend: Blend { color: max, alpha: max, constant_value: (0.0, 0.0, 0.0, 0.0) },
        ..DrawParameters::default()
    }
}
