//! Surfaces of which only some parts are drawn.

use super::error::{DrawError, RenderError};
use glium::backend::Context;
use glium::framebuffer::{SimpleFrameBuffer, ToColorAttachment, ToDepthAttachment};
use glium::index::IndicesSource;
use glium::program::BlockLayout;
use glium::uniforms::Uniforms;
use glium::vertex::{MultiVerticesSource, VerticesSource};
use glium::{DrawParameters, Program, Rect, Surface};
use std::rc::Rc;

/// Where to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parts<'a> {
    /// Everywhere.
    Whole,
    /// Only in these rectangles, which do not overlap. All other pixels keep their colour and depth.
    Only(&'a [Rect]),
}

/// A surface that is drawn only in these parts.
pub(crate) struct Canvas<'a> {
    surface: SimpleFrameBuffer<'a>,
    parts: Parts<'a>,
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(surface: SimpleFrameBuffer<'a>, parts: Parts<'a>) -> Self {
        Canvas { surface, parts }
    }

    /// A surface with colours only.
    pub(crate) fn flat(
        context: &Rc<Context>,
        colors: impl ToColorAttachment<'a>,
        parts: Parts<'a>,
    ) -> Result<Self, RenderError> {
        let surface = SimpleFrameBuffer::new(context, colors).map_err(RenderError::resource("a picture"))?;
        Ok(Canvas { surface, parts })
    }

    /// A surface with colours and depth.
    pub(crate) fn deep(
        context: &Rc<Context>,
        colors: impl ToColorAttachment<'a>,
        depth: impl ToDepthAttachment<'a>,
        parts: Parts<'a>,
    ) -> Result<Self, RenderError> {
        let surface = SimpleFrameBuffer::with_depth_buffer(context, colors, depth);
        Ok(Canvas { surface: surface.map_err(RenderError::resource("the canvas"))?, parts })
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        self.surface.get_dimensions()
    }

    /// Whether only parts are drawn.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(self.parts, Parts::Only(_))
    }

    pub(crate) fn clear_depth(&mut self) {
        match self.parts {
            Parts::Whole => self.surface.clear_depth(1.0),
            Parts::Only(parts) => parts.iter().for_each(|part| {
                self.surface.clear(Some(part), None, false, Some(1.0), None);
            }),
        }
    }

    pub(crate) fn draw<'b, 'c>(
        &mut self,
        vertices: impl MultiVerticesSource<'b>,
        indices: impl Into<IndicesSource<'c>>,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        draw_parts((&mut self.surface, self.parts), vertices, indices, program, uniforms, parameters)
    }
}

/// Draws in some parts of a surface. Debug builds return an error if a uniform is missing, because glium would silently draw
/// nonsense.
pub(crate) fn draw_parts<'b, 'c>(
    (surface, parts): (&mut impl Surface, Parts<'_>),
    vertices: impl MultiVerticesSource<'b>,
    indices: impl Into<IndicesSource<'c>>,
    program: &Program,
    uniforms: &impl Uniforms,
    parameters: &DrawParameters<'_>,
) -> Result<(), DrawError> {
    if cfg!(debug_assertions)
        && let Some(missing) = missing_uniform(program, uniforms)
    {
        return Err(DrawError::MissingUniform(missing));
    }
    match parts {
        Parts::Whole => surface.draw(vertices, indices, program, uniforms, parameters)?,
        Parts::Only(parts) => {
            let (vertices, indices) = (Sources(vertices.iter().collect()), indices.into());
            let clips =
                parts.iter().filter_map(|part| parameters.scissor.map_or(Some(*part), |clip| common(clip, *part)));
            for clip in clips {
                let parameters = DrawParameters { scissor: Some(clip), ..parameters.clone() };
                surface.draw(vertices.clone(), indices.clone(), program, uniforms, &parameters)?;
            }
        }
    }
    Ok(())
}

/// A uniform or block that the program reads and `uniforms` lacks.
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

/// The vertices of a draw call that is repeated for each part.
#[derive(Clone)]
struct Sources<'a>(Vec<VerticesSource<'a>>);

impl<'a> MultiVerticesSource<'a> for Sources<'a> {
    type Iterator = std::vec::IntoIter<VerticesSource<'a>>;

    fn iter(self) -> Self::Iterator {
        self.0.into_iter()
    }
}

/// The pixels that two rectangles share; none if there are none.
pub(crate) fn common(a: Rect, b: Rect) -> Option<Rect> {
    let (left, bottom) = (a.left.max(b.left), a.bottom.max(b.bottom));
    let right = (a.left + a.width).min(b.left + b.width);
    let top = (a.bottom + a.height).min(b.bottom + b.height);
    (left < right && bottom < top).then(|| Rect { left, bottom, width: right - left, height: top - bottom })
}
