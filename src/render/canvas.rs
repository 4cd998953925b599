//! How things are drawn: on which parts of a surface, from which buffers, with which parameters.

use super::error::{DrawError, RenderError};
use bytemuck::TransparentWrapper;
use fabrik3d_viewer::raster::{Numbers, Vertex};
use glam::UVec2;
use glium::backend::Context;
use glium::draw_parameters::{Depth, DepthTest};
use glium::framebuffer::{SimpleFrameBuffer, ToColorAttachment, ToDepthAttachment};
use glium::index::{IndicesSource, NoIndices, PrimitiveType};
use glium::program::BlockLayout;
use glium::uniforms::Uniforms;
use glium::vertex::{
    AttributeType, EmptyVertexAttributes, MultiVerticesSource, VertexBufferSlice, VertexFormat, VerticesSource,
};
use glium::{Blend, BlendingFunction, DrawParameters, LinearBlendingFactor, Program, Rect, Surface, VertexBuffer};
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// Where to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parts<'a> {
    /// Everywhere.
    Whole,
    /// Only in these rectangles, which do not overlap. All other pixels keep their colour and depth.
    Only(&'a [Rect]),
}

pub(crate) struct Canvas<'a> {
    surface: SimpleFrameBuffer<'a>,
    parts: Parts<'a>,
}

/// The corners of a quad, see `corner.glsl`.
const CORNERS: EmptyVertexAttributes = EmptyVertexAttributes { len: 4 };
const STRIP: NoIndices = NoIndices(PrimitiveType::TriangleStrip);

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
        Ok(Canvas { surface: surface(context, colors, "a picture")?, parts })
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

    pub(crate) fn has_parts(&self) -> bool {
        matches!(self.parts, Parts::Only(_))
    }

    /// Makes everything transparent.
    pub(crate) fn clear_color(&mut self) {
        const NOTHING: (f32, f32, f32, f32) = (0.0, 0.0, 0.0, 0.0);
        match self.parts {
            Parts::Whole => self.surface.clear_color(0.0, 0.0, 0.0, 0.0),
            Parts::Only(parts) => parts.iter().for_each(|part| {
                self.surface.clear(Some(part), Some(NOTHING), false, None, None);
            }),
        }
    }

    pub(crate) fn clear_depth(&mut self) {
        match self.parts {
            Parts::Whole => self.surface.clear_depth(1.0),
            Parts::Only(parts) => parts.iter().for_each(|part| {
                self.surface.clear(Some(part), None, false, Some(1.0), None);
            }),
        }
    }

    /// Debug builds return an error if a uniform is missing, because glium would silently draw nonsense.
    pub(crate) fn draw<'b, 'c>(
        &mut self,
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
        let Parts::Only(parts) = self.parts else {
            return Ok(self.surface.draw(vertices, indices, program, uniforms, parameters)?);
        };
        let (vertices, indices) = (Sources(vertices.iter().collect()), indices.into());
        let clip = |part: &Rect| parameters.scissor.map_or(Some(*part), |clip| common(clip, *part));
        for clip in parts.iter().filter_map(clip) {
            let parameters = DrawParameters { scissor: Some(clip), ..parameters.clone() };
            self.surface.draw(vertices.clone(), indices.clone(), program, uniforms, &parameters)?;
        }
        Ok(())
    }

    pub(crate) fn draw_quad(
        &mut self,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        self.draw(CORNERS, STRIP, program, uniforms, parameters)
    }
}

/// A surface for colours; `what` it is in errors.
pub(crate) fn surface<'a>(
    context: &Rc<Context>,
    colors: impl ToColorAttachment<'a>,
    what: &'static str,
) -> Result<SimpleFrameBuffer<'a>, RenderError> {
    SimpleFrameBuffer::new(context, colors).map_err(RenderError::resource(what))
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

/// The rectangle from a lower left corner to an upper right one.
pub(crate) fn rect(low: UVec2, high: UVec2) -> Rect {
    let size = high.saturating_sub(low);
    Rect { left: low.x, bottom: low.y, width: size.x, height: size.y }
}

/// The pixels that two rectangles share; none if there are none.
fn common(a: Rect, b: Rect) -> Option<Rect> {
    let low = |part: Rect| UVec2::new(part.left, part.bottom);
    let high = |part: Rect| low(part) + UVec2::new(part.width, part.height);
    let (low, high) = (low(a).max(low(b)), high(a).min(high(b)));
    low.cmplt(high).all().then(|| rect(low, high))
}

/// Most instances in one call. Software OpenGL keeps what it has not drawn yet, some hundred bytes per instance and pass, and
/// draws while it waits between the calls.
const MOST_INSTANCES: usize = 1 << 14;

/// Instances for which a buffer has room at first.
const FIRST_CAPACITY: usize = 64;

/// What shaders read, for glium.
#[derive(Clone, Copy, bytemuck::TransparentWrapper)]
#[repr(transparent)]
pub(crate) struct Laid<T>(pub(crate) T);

type Binding = (Cow<'static, str>, usize, i32, AttributeType, bool);

/// The attribute of a type at this place, as glium has it; beyond its last one, one without a name.
const fn binding<T: Vertex>(at: usize) -> Binding {
    if at >= T::ATTRIBUTES.len() {
        return (Cow::Borrowed(""), 0, -1, AttributeType::F32, false);
    }
    let (name, offset, numbers) = T::ATTRIBUTES[at];
    let (kind, is_share) = match numbers {
        Numbers::Floats(1) => (AttributeType::F32, false),
        Numbers::Floats(2) => (AttributeType::F32F32, false),
        Numbers::Floats(3) => (AttributeType::F32F32F32, false),
        Numbers::Floats(_) => (AttributeType::F32F32F32F32, false),
        Numbers::Bytes => (AttributeType::U8U8U8U8, true),
    };
    (Cow::Borrowed(name), offset, -1, kind, is_share)
}

/// The same for glium.
pub(crate) fn laid<T: Vertex>(vertices: &[T]) -> &[Laid<T>] {
    Laid::wrap_slice(vertices)
}

impl<T: Vertex> Laid<T> {
    /// As many as any type has, since the length of a list of constants does not depend on a type.
    const BINDINGS: &'static [Binding; 8] = &[
        binding::<T>(0),
        binding::<T>(1),
        binding::<T>(2),
        binding::<T>(3),
        binding::<T>(4),
        binding::<T>(5),
        binding::<T>(6),
        binding::<T>(7),
    ];
}

impl<T: Vertex> glium::Vertex for Laid<T> {
    fn build_bindings() -> VertexFormat {
        &Self::BINDINGS[..T::ATTRIBUTES.len()]
    }
}

/// Instances of one kind, uploaded once per frame.
pub(crate) struct Stream<T: Vertex> {
    context: Rc<Context>,
    buffer: VertexBuffer<Laid<T>>,
    staged: Vec<T>,
}

impl<T: Vertex> Stream<T> {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        Ok(Stream { context: context.clone(), buffer: allocate(context, FIRST_CAPACITY)?, staged: Vec::new() })
    }

    /// Replaces the content. Invalidates the old storage first, so that the driver does not wait for the last frame.
    pub(crate) fn upload(&mut self, fill: impl FnOnce(&mut Vec<T>)) -> Result<(), RenderError> {
        self.staged.clear();
        fill(&mut self.staged);
        let len = self.len();
        if len > self.buffer.len() {
            self.buffer = allocate(&self.context, len + len / 4)?;
        } else if len > 0 {
            self.buffer.invalidate();
        }
        if let Some(slice) = self.part(0..len) {
            slice.write(laid(&self.staged));
        }
        Ok(())
    }

    /// Draws a quad for each instance in `range`.
    pub(crate) fn draw(
        &self,
        range: Range<usize>,
        canvas: &mut Canvas<'_>,
        program: &Program,
        uniforms: &impl Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), DrawError> {
        let mut start = range.start;
        while let Some(part) = self.part(start..range.end.min(start + MOST_INSTANCES)) {
            if start > range.start {
                self.context.finish();
            }
            let instances = part.per_instance().map_err(|_| glium::DrawError::InstancesCountMismatch)?;
            canvas.draw((CORNERS, instances), STRIP, program, uniforms, parameters)?;
            start += MOST_INSTANCES;
        }
        Ok(())
    }

    /// The vertices in `range`; none if it is empty or out of bounds.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<VertexBufferSlice<'_, Laid<T>>> {
        if range.is_empty() || range.end > self.len() { None } else { self.buffer.slice(range) }
    }

    pub(crate) fn len(&self) -> usize {
        self.staged.len()
    }
}

fn allocate<T: Vertex>(context: &Rc<Context>, len: usize) -> Result<VertexBuffer<Laid<T>>, RenderError> {
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
    blend(BlendingFunction::Addition {
        source: LinearBlendingFactor::One,
        destination: LinearBlendingFactor::OneMinusSourceAlpha,
    })
}

fn blend(function: BlendingFunction) -> Blend {
    Blend { color: function, alpha: function, constant_value: (0.0, 0.0, 0.0, 0.0) }
}

/// Parameters that keep the larger value.
pub(crate) fn maximum<'a>() -> DrawParameters<'a> {
    DrawParameters { blend: blend(BlendingFunction::Max), ..DrawParameters::default() }
}
