//! The drawing command that everything goes through, and the settings that several kinds of things share.

use super::error::{DrawError, RenderError};
use super::stream::Stream;
use glium::backend::Context;
use glium::draw_parameters::{Depth, DepthTest};
use glium::index::{IndicesSource, NoIndices, PrimitiveType};
use glium::program::BlockLayout;
use glium::uniforms::Uniforms;
use glium::vertex::MultiVerticesSource;
use glium::{
    Blend, BlendingFunction, DrawParameters, LinearBlendingFactor, Program, Surface, Vertex, VertexBuffer,
    implement_vertex,
};
use std::ops::Range;
use std::rc::Rc;

/// Corner of a quad, 0..1.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    corner: [f32; 2],
}
implement_vertex!(Corner, corner);

/// The quad that every instanced thing is drawn on.
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
        surface: &mut impl Surface,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        draw(surface, &self.corners, NoIndices(PrimitiveType::TriangleStrip), program, uniforms, parameters)
    }

    /// Draws the quad once for each instance in `range`, all in one call.
    pub(crate) fn draw_each<T: Vertex>(
        &self,
        (stream, range): (&Stream<T>, Range<usize>),
        surface: &mut impl Surface,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        let Some(part) = stream.part(range) else { return Ok(()) };
        let instances = part.per_instance().map_err(|_| glium::DrawError::InstancesCountMismatch)?;
        let strip = NoIndices(PrimitiveType::TriangleStrip);
        draw(surface, (&self.corners, instances), strip, program, uniforms, parameters)
    }
}

/// Draws. glium silently draws nonsense where a program's uniform is not given, so debug builds refuse.
pub(crate) fn draw<'a, 'b>(
    surface: &mut impl Surface,
    vertices: impl MultiVerticesSource<'b>,
    indices: impl Into<IndicesSource<'a>>,
    program: &Program,
    uniforms: &impl Uniforms,
    parameters: &DrawParameters<'_>,
) -> Result<(), DrawError> {
    if cfg!(debug_assertions)
        && let Some(missing) = missing_uniform(program, uniforms)
    {
        return Err(DrawError::MissingUniform(missing));
    }
    surface.draw(vertices, indices, program, uniforms, parameters)?;
    Ok(())
}

/// A uniform or block that the program reads and nobody gives.
fn missing_uniform(program: &Program, uniforms: &impl Uniforms) -> Option<String> {
    let mut given = Vec::new();
    uniforms.visit_values(|name, _| given.push(name.to_owned()));
    let blocks = program.get_uniform_blocks();
    // OpenGL lists the members of blocks among the uniforms.
    let in_block = |name: &String| {
        blocks.values().any(|block| match &block.layout {
            BlockLayout::Struct { members } => members.iter().any(|(member, _)| member == name),
            _ => false,
        })
    };
    let loose = program.uniforms().map(|(name, _)| name).filter(|name| !in_block(name));
    loose.chain(blocks.keys()).find(|name| !given.contains(*name)).cloned()
}

/// For solid things.
pub(crate) fn solid<'a>() -> DrawParameters<'a> {
    DrawParameters {
        depth: Depth { test: DepthTest::IfLessOrEqual, write: true, ..Depth::default() },
        ..DrawParameters::default()
    }
}

/// For translucent things: behind what is solid, premultiplied, leaving no depth.
pub(crate) fn film<'a>() -> DrawParameters<'a> {
    DrawParameters {
        depth: Depth { test: DepthTest::IfLessOrEqual, write: false, ..Depth::default() },
        blend: premultiplied(),
        ..DrawParameters::default()
    }
}

/// For what shines through the things that stand before it, and only there.
pub(crate) fn through<'a>() -> DrawParameters<'a> {
    DrawParameters { depth: Depth { test: DepthTest::IfMore, write: false, ..Depth::default() }, ..film() }
}

/// For what only hides: depth, no colour.
pub(crate) fn unseen<'a>() -> DrawParameters<'a> {
    DrawParameters { color_mask: (false, false, false, false), ..solid() }
}

/// For things drawn over everything.
pub(crate) fn overlay<'a>() -> DrawParameters<'a> {
    DrawParameters { blend: premultiplied(), ..DrawParameters::default() }
}

/// Blending of colours that are already multiplied by their alpha.
pub(crate) fn premultiplied() -> Blend {
    let over = BlendingFunction::Addition {
        source: LinearBlendingFactor::One,
        destination: LinearBlendingFactor::OneMinusSourceAlpha,
    };
    Blend { color: over, alpha: over, constant_value: (0.0, 0.0, 0.0, 0.0) }
}

/// Keeps the larger value.
pub(crate) fn largest<'a>() -> DrawParameters<'a> {
    let max = BlendingFunction::Max;
    DrawParameters {
        blend: Blend { color: max, alpha: max, constant_value: (0.0, 0.0, 0.0, 0.0) },
        ..DrawParameters::default()
    }
}
