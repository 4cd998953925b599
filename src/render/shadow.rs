//! Shadows: a depth map along the lamp's rays for things that shade each other, and the floor's shade, where every
//! round cone is evaluated exactly: no blur pass, crisp at contact and soft from high above.

use super::error::{DrawError, RenderError};
use super::pen::{Quad, largest};
use super::program::{Recipe, compile};
use super::scene_block::SceneBlock;
use super::solids::Caster;
use super::stream::Stream;
use crate::view::frame::Quality;
use glium::backend::Context;
use glium::framebuffer::SimpleFrameBuffer;
use glium::texture::{DepthFormat, DepthTexture2d, MipmapsOption, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{
    DepthTextureComparison, MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerWrapFunction, UniformBuffer,
};
use glium::{Program, Surface, uniform};
use std::rc::Rc;

/// The two maps.
pub(crate) struct ShadowMaps {
    depth: DepthTexture2d,
    shade: Texture2d,
    /// Texels along a side of the depth map.
    pub(crate) side: u32,
}

impl ShadowMaps {
    pub(crate) fn new(context: &Rc<Context>, quality: Quality) -> Result<Self, RenderError> {
        let (side, shade_side) = match quality {
            Quality::Fast => (512, 384),
            Quality::Fine => (2048, 1024),
        };
        let flat = MipmapsOption::NoMipmap;
        let depth = DepthTexture2d::empty_with_format(context, DepthFormat::F32, flat, side, side)
            .map_err(RenderError::resource("the shadow map"))?;
        let format = UncompressedFloatFormat::U8U8U8U8;
        let shade = Texture2d::empty_with_format(context, format, flat, shade_side, shade_side)
            .map_err(RenderError::resource("the floor's shade"))?;
        Ok(ShadowMaps { depth, shade, side })
    }

    /// The cleared depth map to draw into.
    pub(crate) fn depth_surface(&self, context: &Rc<Context>) -> Result<SimpleFrameBuffer<'_>, RenderError> {
        let mut surface =
            SimpleFrameBuffer::depth_only(context, &self.depth).map_err(RenderError::resource("the shadow map"))?;
        surface.clear_depth(1.0);
        Ok(surface)
    }

    /// The cleared shade of the floor to draw into.
    pub(crate) fn shade_surface(&self, context: &Rc<Context>) -> Result<SimpleFrameBuffer<'_>, RenderError> {
        let mut surface =
            SimpleFrameBuffer::new(context, &self.shade).map_err(RenderError::resource("the floor's shade"))?;
        surface.clear_color(0.0, 0.0, 0.0, 0.0);
        Ok(surface)
    }

    /// Compares depths; four texels are weighed in one lookup.
    pub(crate) fn depth_sampler(&self) -> Sampler<'_, DepthTexture2d> {
        self.depth
            .sampled()
            .depth_texture_comparison(Some(DepthTextureComparison::LessOrEqual))
            .magnify_filter(MagnifySamplerFilter::Linear)
            .minify_filter(MinifySamplerFilter::Linear)
            .wrap_function(SamplerWrapFunction::Clamp)
    }

    pub(crate) fn shade_sampler(&self) -> Sampler<'_, Texture2d> {
        self.shade
            .sampled()
            .magnify_filter(MagnifySamplerFilter::Linear)
            .minify_filter(MinifySamplerFilter::Linear)
            .wrap_function(SamplerWrapFunction::Clamp)
    }
}

/// What round cones darken on the floor.
pub(crate) struct Footprints {
    program: Program,
    stream: Stream<Caster>,
}

impl Footprints {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let program = compile(
            context,
            &Recipe {
                name: "footprint",
                vertex: include_str!("../../shaders/footprint.vert"),
                fragment: include_str!("../../shaders/footprint.frag"),
                defines: &[],
            },
        )?;
        Ok(Footprints { program, stream: Stream::new(context)? })
    }

    pub(crate) fn upload(&mut self, casters: &[Caster]) -> Result<(), RenderError> {
        self.stream.upload(casters)
    }

    pub(crate) fn draw(
        &self,
        quad: &Quad,
        surface: &mut impl Surface,
        scene: &UniformBuffer<SceneBlock>,
    ) -> Result<(), DrawError> {
        let all = 0..self.stream.len();
        quad.draw_each((&self.stream, all), surface, &self.program, &uniform! { Scene: scene }, &largest())
    }
}
