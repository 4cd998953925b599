//! Translucent surfaces and halos.

use super::canvas::Canvas;
use super::draw_call::{Quad, Stream, obstructed, translucent};
use super::error::{DrawError, RenderError};
use super::program::{ShaderSource, compile};
use crate::view::frame::{Halo, Patch};
use glium::backend::Context;
use glium::index::{NoIndices, PrimitiveType};
use glium::uniforms::{UniformBuffer, Uniforms};
use glium::{Program, implement_vertex, uniform};
use std::rc::Rc;

use super::scene_block::SceneBlock;

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

/// All patches of a frame.
pub(crate) struct Patches {
    program: Program,
    stream: Stream<PatchVertex>,
    staged: Vec<PatchVertex>,
}

impl Patches {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let program = compile(
            context,
            &ShaderSource::new(
                "patch",
                include_str!("../../shaders/patch.vert"),
                include_str!("../../shaders/patch.frag"),
            ),
        )?;
        Ok(Patches { program, stream: Stream::new(context)?, staged: Vec::new() })
    }

    pub(crate) fn upload(&mut self, patches: &[Patch]) -> Result<(), RenderError> {
        self.staged.clear();
        for patch in patches {
            let whole = patch.triangles.len() / 3 * 3;
            self.staged.extend(patch.triangles[..whole].iter().map(|&(position, normal, rim)| PatchVertex {
                position: position.to_array(),
                normal: normal.to_array(),
                rim,
                color: patch.color,
            }));
        }
        self.stream.upload(&self.staged)
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, uniforms: &impl Uniforms) -> Result<(), DrawError> {
        let Some(vertices) = self.stream.part(0..self.stream.len()) else { return Ok(()) };
        canvas.draw(vertices, NoIndices(PrimitiveType::TrianglesList), &self.program, uniforms, &translucent())
    }
}

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

/// All halos of a frame.
pub(crate) struct Halos {
    program: Program,
    stream: Stream<HaloInstance>,
    staged: Vec<HaloInstance>,
}

impl Halos {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let program = compile(
            context,
            &ShaderSource::new(
                "halo",
                include_str!("../../shaders/halo.vert"),
                include_str!("../../shaders/halo.frag"),
            ),
        )?;
        Ok(Halos { program, stream: Stream::new(context)?, staged: Vec::new() })
    }

    pub(crate) fn upload(&mut self, halos: &[Halo]) -> Result<(), RenderError> {
        self.staged.clear();
        let instance = |halo: &Halo| {
            let Halo { center, radius, core, color } = *halo;
            HaloInstance { center: center.to_array(), radius, core, color }
        };
        self.staged.extend(halos.iter().map(instance));
        self.stream.upload(&self.staged)
    }

    /// Draws one part of the halos. `glowing` halos add light, others are blended. The obstructed part includes the spheres
    /// inside the halos.
    pub(crate) fn draw(
        &self,
        quad: &Quad,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<SceneBlock>,
        (glowing, part): (bool, HaloPart),
    ) -> Result<(), DrawError> {
        let (hidden, parameters) = match part {
            HaloPart::Visible => (0.0f32, translucent()),
            HaloPart::Obstructed => (1.0, obstructed()),
        };
        let uniforms = uniform! { Scene: scene, painted: if glowing { 0.0f32 } else { 1.0 }, hidden: hidden };
        quad.draw_instances((&self.stream, 0..self.stream.len()), canvas, &self.program, &uniforms, &parameters)
    }
}
