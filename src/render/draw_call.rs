//! The quad that everything flat is drawn on, and shared draw parameters.

use super::canvas::Canvas;
use super::error::{DrawError, RenderError};
use super::stream::Stream;
use glium::backend::Context;
use glium::draw_parameters::{Depth, DepthTest};
use glium::index::{NoIndices, PrimitiveType};
use glium::uniforms::Uniforms;
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
