//! Vertices on the graphics card, surfaces to draw on, and how things are drawn.

use super::program::Program;
use crate::gl::{self, Object, gl, gl_object};
use bytemuck::{bytes_of, cast_slice};
use fabrik3d_viewer::raster::{Numbers, SceneBlock, Vertex};
use std::marker::PhantomData;
use std::ops::Range;

/// Vertices or instances of one type.
pub struct Buffer<T> {
    object: Object,
    /// How many there are.
    pub len: usize,
    kind: PhantomData<T>,
}

/// Whether attributes go on from vertex to vertex, or from instance to instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Vertex,
    Instance,
}

impl<T: Vertex> Buffer<T> {
    pub fn new() -> Self {
        Buffer { object: gl_object!(createBuffer), len: 0, kind: PhantomData }
    }

    /// Replaces the content.
    pub fn upload(&mut self, vertices: &[T], usage: u32) {
        self.len = vertices.len();
        gl!(bindBuffer, gl::ARRAY_BUFFER, self.object);
        gl!(bufferData, gl::ARRAY_BUFFER, cast_slice::<T, u8>(vertices), usage);
    }

    fn bind(&self, program: &Program, first: usize, step: Step) {
        gl!(bindBuffer, gl::ARRAY_BUFFER, self.object);
        for &(name, offset, numbers) in T::ATTRIBUTES {
            let at = program.attribute(name);
            if at < 0 {
                continue;
            }
            let (count, kind, is_share) = match numbers {
                Numbers::Floats(count) => (count, gl::FLOAT, false),
                Numbers::Bytes => (4, gl::UNSIGNED_BYTE, true),
            };
            let size = size_of::<T>();
            gl!(enableVertexAttribArray, at);
            gl!(vertexAttribPointer, at, count, kind, is_share, size, first * size + offset);
            gl!(vertexAttribDivisor, at, u32::from(step == Step::Instance));
        }
    }

    /// Draws a quad for each instance in `range`.
    pub fn draw_quads(&self, program: &Program, range: Range<usize>) {
        if !range.is_empty() {
            self.bind(program, range.start, Step::Instance);
            gl!(drawArraysInstanced, gl::TRIANGLE_STRIP, 0u32, 4u32, range.len());
        }
    }

    /// Draws all vertices, three for a triangle.
    pub fn draw_triangles(&self, program: &Program) {
        if self.len > 0 {
            self.bind(program, 0, Step::Vertex);
            gl!(drawArrays, gl::TRIANGLES, 0u32, self.len);
        }
    }

    /// Draws a part of triangles with these corners.
    pub fn draw_indexed(&self, program: &Program, indices: &Indices, range: Range<usize>) {
        if !range.is_empty() {
            self.bind(program, 0, Step::Vertex);
            gl!(bindBuffer, gl::ELEMENT_ARRAY_BUFFER, indices.object);
            gl!(drawElements, gl::TRIANGLES, range.len(), gl::UNSIGNED_INT, 4 * range.start);
        }
    }

    pub fn delete(&self) {
        gl!(deleteBuffer, self.object);
    }
}

/// Corners of triangles.
pub struct Indices {
    object: Object,
    /// How many there are.
    pub len: usize,
}

impl Indices {
    pub fn new() -> Self {
        Indices { object: gl_object!(createBuffer), len: 0 }
    }

    /// Replaces the content.
    pub fn upload(&mut self, indices: &[u32], usage: u32) {
        self.len = indices.len();
        gl!(bindBuffer, gl::ELEMENT_ARRAY_BUFFER, self.object);
        gl!(bufferData, gl::ELEMENT_ARRAY_BUFFER, cast_slice::<u32, u8>(indices), usage);
    }

    pub fn delete(&self) {
        gl!(deleteBuffer, self.object);
    }
}

/// A uniform block.
pub struct Block(Object);

impl Block {
    pub fn new() -> Self {
        Block(gl_object!(createBuffer))
    }

    pub fn write(&self, block: &SceneBlock) {
        gl!(bindBuffer, gl::UNIFORM_BUFFER, self.0);
        gl!(bufferData, gl::UNIFORM_BUFFER, bytes_of(block), gl::STREAM_DRAW);
    }

    /// Programs read it from now on.
    pub fn bind(&self) {
        gl!(bindBufferBase, gl::UNIFORM_BUFFER, 0u32, self.0);
    }
}

/// Draws the quad of `screen.vert`, or another one without attributes.
pub fn draw_quad() {
    gl!(drawArrays, gl::TRIANGLE_STRIP, 0u32, 4u32);
}

/// How a texture is sampled: between texels, and beyond its sides.
#[derive(Clone, Copy)]
pub struct Sampling {
    pub enlarged: u32,
    pub reduced: u32,
    pub wrap: [u32; 2],
}

impl Sampling {
    /// Interpolates between four texels.
    pub const SMOOTH: Sampling =
        Sampling { enlarged: gl::LINEAR, reduced: gl::LINEAR, wrap: [gl::CLAMP_TO_EDGE, gl::CLAMP_TO_EDGE] };
    pub const NEAREST: Sampling = Sampling { enlarged: gl::NEAREST, reduced: gl::NEAREST, ..Sampling::SMOOTH };
}

/// A texture, bound to the unit that is active.
pub fn texture(sampling: Sampling) -> Object {
    let object = gl_object!(createTexture);
    gl!(bindTexture, gl::TEXTURE_2D, object);
    let parameters = [
        (gl::TEXTURE_MAG_FILTER, sampling.enlarged),
        (gl::TEXTURE_MIN_FILTER, sampling.reduced),
        (gl::TEXTURE_WRAP_S, sampling.wrap[0]),
        (gl::TEXTURE_WRAP_T, sampling.wrap[1]),
    ];
    for (parameter, value) in parameters {
        gl!(texParameteri, gl::TEXTURE_2D, parameter, value);
    }
    object
}

/// Something to draw on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surface {
    framebuffer: Object,
    /// The colours as a texture; for a shadow map the depths.
    pub texture: Object,
    depth: Object,
    pub size: (u32, u32),
}

impl Surface {
    /// The canvas of the page.
    pub fn canvas(size: (u32, u32)) -> Self {
        Surface { size, ..Surface::default() }
    }

    /// Colours in this format, which may be sampled, and depths if they are wanted.
    pub fn new(format: u32, size: (u32, u32), has_depth: bool) -> Self {
        let (width, height) = size;
        let texture = texture(Sampling::SMOOTH);
        gl!(texStorage2D, gl::TEXTURE_2D, 1u32, format, width, height);
        let framebuffer = gl_object!(createFramebuffer);
        gl!(bindFramebuffer, gl::FRAMEBUFFER, framebuffer);
        gl!(framebufferTexture2D, gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, texture, 0u32);
        let mut depth = Object::NONE;
        if has_depth {
            depth = gl_object!(createRenderbuffer);
            gl!(bindRenderbuffer, gl::RENDERBUFFER, depth);
            gl!(renderbufferStorage, gl::RENDERBUFFER, gl::DEPTH_COMPONENT24, width, height);
            gl!(framebufferRenderbuffer, gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, depth);
        }
        Surface { framebuffer, texture, depth, size }
    }

    /// Depths alone, which are compared where they are sampled.
    pub fn depths(side: u32) -> Self {
        let texture = texture(Sampling::SMOOTH);
        gl!(texParameteri, gl::TEXTURE_2D, gl::TEXTURE_COMPARE_MODE, gl::COMPARE_REF_TO_TEXTURE);
        gl!(texStorage2D, gl::TEXTURE_2D, 1u32, gl::DEPTH_COMPONENT32F, side, side);
        let framebuffer = gl_object!(createFramebuffer);
        gl!(bindFramebuffer, gl::FRAMEBUFFER, framebuffer);
        gl!(framebufferTexture2D, gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::TEXTURE_2D, texture, 0u32);
        Surface { framebuffer, texture, depth: Object::NONE, size: (side, side) }
    }

    /// Draws on it from now on.
    pub fn begin(&self) {
        gl!(bindFramebuffer, gl::FRAMEBUFFER, self.framebuffer);
        gl!(viewport, 0u32, 0u32, self.size.0, self.size.1);
    }

    /// Whether the driver can draw on it; after [`Surface::begin`].
    pub fn is_complete(&self) -> bool {
        gl!(checkFramebufferStatus, gl::FRAMEBUFFER) == f64::from(gl::FRAMEBUFFER_COMPLETE)
    }

    pub fn delete(&self) {
        gl!(deleteFramebuffer, self.framebuffer);
        gl!(deleteTexture, self.texture);
        gl!(deleteRenderbuffer, self.depth);
    }
}

/// How what is drawn meets what is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Replaces what is behind it, and writes its depth.
    Opaque,
    /// Blended where nothing is in front of it.
    Translucent,
    /// Blended where something is in front of it.
    Obstructed,
    /// Writes its depth and no colour.
    DepthOnly,
    /// Blended in front of everything.
    Overlay,
    /// Replaces everything.
    Flat,
    /// Keeps the larger value.
    Maximum,
}

impl Mode {
    /// Draws this way from now on.
    pub fn begin(self) {
        let enable = |what: u32, on: bool| if on { gl!(enable, what) } else { gl!(disable, what) };
        let has_depth = matches!(self, Mode::Opaque | Mode::Translucent | Mode::Obstructed | Mode::DepthOnly);
        enable(gl::DEPTH_TEST, has_depth);
        gl!(depthFunc, if self == Mode::Obstructed { gl::GREATER } else { gl::LESS_OR_EQUAL });
        gl!(depthMask, matches!(self, Mode::Opaque | Mode::DepthOnly));
        enable(gl::BLEND, !matches!(self, Mode::Opaque | Mode::DepthOnly | Mode::Flat));
        gl!(blendEquation, if self == Mode::Maximum { gl::MAX } else { gl::FUNC_ADD });
        gl!(blendFunc, gl::ONE, gl::ONE_MINUS_SRC_ALPHA);
        let colors = self != Mode::DepthOnly;
        gl!(colorMask, colors, colors, colors, colors);
    }
}
