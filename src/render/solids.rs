//! Spheres and links, ray-cast in their fragment shaders: no facets, exact depth, one draw call per kind.

use super::canvas::{Canvas, Stream, opaque, translucent};
use super::error::{DrawError, RenderError};
use super::program::{Styled, compile};
use super::scene_block::Block;
use super::shadow::Pass;
use fabrik3d_viewer::raster::{Camera, Caster, Solid, Sorted};
use glium::backend::Context;
use glium::uniforms::UniformBuffer;
use glium::{Program, uniform};
use std::rc::Rc;

/// All shapes of one kind.
pub(crate) struct Solids<T: Solid> {
    depth: Program,
    lit: Styled,
    /// Contains casters, other opaque shapes, then translucent shapes from far to near.
    stream: Stream<T::Instance>,
    pub(crate) casters: usize,
    /// Number of all opaque shapes.
    opaque: usize,
}

impl<T: Solid> Solids<T> {
    pub(crate) fn new(context: &Rc<Context>, files: [&'static str; 2]) -> Result<Self, RenderError> {
        let depth = compile(context, files, &["DEPTH_ONLY"])?;
        let lit = Styled::new(context, files, &[]);
        Ok(Solids { depth, lit, stream: Stream::new(context)?, casters: 0, opaque: 0 })
    }

    /// Sorts and uploads the shapes of a frame; adds those that cast shadows to `casters`.
    pub(crate) fn upload(
        &mut self,
        solids: &[T],
        camera: &Camera,
        casters: &mut Vec<Caster>,
    ) -> Result<(), RenderError> {
        let sorted = Sorted::new(solids, camera);
        casters.extend(sorted.casters());
        (self.casters, self.opaque) = (sorted.casters().len(), sorted.opaque());
        self.stream.upload(|staged| staged.extend(sorted.instances()))
    }

    /// Draws the casters into the shadow map.
    pub(crate) fn draw_depth(&self, canvas: &mut Canvas<'_>, scene: &UniformBuffer<Block>) -> Result<(), DrawError> {
        self.stream.draw(0..self.casters, canvas, &self.depth, &uniform! { Scene: scene }, &opaque())
    }

    /// Draws the translucent shapes, or the opaque ones.
    pub(crate) fn draw(
        &mut self,
        canvas: &mut Canvas<'_>,
        pass: Pass<'_>,
        is_translucent: bool,
    ) -> Result<(), DrawError> {
        let (range, parameters) = match is_translucent {
            false => (0..self.opaque, opaque()),
            true => (self.opaque..self.stream.len(), translucent()),
        };
        let uniforms = uniform! { Scene: pass.scene, shadow_map: pass.shadows.depth_sampler() };
        self.stream.draw(range, canvas, self.lit.program(pass.style)?, &uniforms, &parameters)
    }
}
