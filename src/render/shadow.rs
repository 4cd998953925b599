//! Shadows: a depth map from the lamp for things that shade each other, and a shade map for the floor. The shade of spheres
//! and links is evaluated exactly, without a blur pass: crisp at contact, soft from high above.

use super::canvas::{Canvas, Parts, Stream, maximum, rect, surface};
use super::error::{DrawError, RenderError};
use super::program::{Style, compile};
use super::scene_block::Block;
use super::targets::{interpolated, texture};
use fabrik3d_viewer::raster::{Camera, Caster, SceneBlock};
use fabrik3d_viewer::view::frame::{MeshInstance, Quality};
use glam::Vec2;
use glium::backend::Context;
use glium::framebuffer::SimpleFrameBuffer;
use glium::texture::{DepthFormat, DepthTexture2d, MipmapsOption, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{
    DepthTextureComparison, MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerWrapFunction, UniformBuffer,
};
use glium::{DrawParameters, Program, Surface, uniform};
use std::rc::Rc;

/// Radius of the wide blur of `soften.frag`, in clip coordinates.
pub(crate) const MAX_BLUR: f32 = 0.04;

/// What everything in a picture is drawn with.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    pub(crate) scene: &'a UniformBuffer<Block>,
    pub(crate) shadows: &'a ShadowMaps,
    pub(crate) camera: &'a Camera,
    pub(crate) style: Style,
}

/// Everything that the content of the shadow maps depends on.
#[derive(PartialEq)]
pub(crate) struct ShadowInput {
    /// The picture as the lamp sees it.
    pub(crate) lamp: SceneBlock,
    /// Spheres and links, spheres first.
    pub(crate) casters: Vec<Caster>,
    /// Number of spheres among them.
    pub(crate) spheres: usize,
    /// Meshes, and the version of what they refer to.
    pub(crate) meshes: (Vec<MeshInstance>, u64),
    /// Whether meshes are simplified.
    pub(crate) simple: bool,
    pub(crate) has_floor: bool,
}

pub(crate) struct ShadowMaps {
    depth: DepthTexture2d,
    /// The shade on the floor.
    pub(crate) shade: Texture2d,
    /// The floor that meshes cover, before softening.
    pub(crate) silhouette: Texture2d,
    /// Texels along a side of the depth map.
    pub(crate) side: u32,
    pub(crate) quality: Quality,
}

impl ShadowMaps {
    pub(crate) fn new(context: &Rc<Context>, quality: Quality) -> Result<Self, RenderError> {
        let (side, shade_side) = match quality {
            Quality::Fast => (768, 384),
            Quality::Fine => (2048, 1024),
        };
        let depth = DepthTexture2d::empty_with_format(context, DepthFormat::F32, MipmapsOption::NoMipmap, side, side)
            .map_err(RenderError::resource("the shadow map"))?;
        let format = UncompressedFloatFormat::U8U8U8U8;
        let floor_map = || texture(context, format, (shade_side, shade_side), "the floor's shade");
        Ok(ShadowMaps { depth, shade: floor_map()?, silhouette: floor_map()?, side, quality })
    }

    /// The depth map, cleared for drawing.
    pub(crate) fn depth_canvas(&self, context: &Rc<Context>) -> Result<Canvas<'_>, RenderError> {
        let mut surface =
            SimpleFrameBuffer::depth_only(context, &self.depth).map_err(RenderError::resource("the shadow map"))?;
        surface.clear_depth(1.0);
        Ok(Canvas::new(surface, Parts::Whole))
    }

    /// Compares depths and interpolates between four texels.
    pub(crate) fn depth_sampler(&self) -> Sampler<'_, DepthTexture2d> {
        self.depth
            .sampled()
            .depth_texture_comparison(Some(DepthTextureComparison::LessOrEqual))
            .magnify_filter(MagnifySamplerFilter::Linear)
            .minify_filter(MinifySamplerFilter::Linear)
            .wrap_function(SamplerWrapFunction::Clamp)
    }
}

/// A map of the floor, cleared for drawing.
pub(crate) fn cleared<'a>(context: &Rc<Context>, map: &'a Texture2d) -> Result<Canvas<'a>, RenderError> {
    let mut surface = surface(context, map, "the floor's shade")?;
    surface.clear_color(0.0, 0.0, 0.0, 0.0);
    Ok(Canvas::new(surface, Parts::Whole))
}

pub(crate) struct Footprints {
    program: Program,
    soften: Program,
    stream: Stream<Caster>,
}

impl Footprints {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        let program = compile(context, ["footprint.vert", "footprint.frag"], &[])?;
        let soften = compile(context, ["screen.vert", "soften.frag"], &[])?;
        Ok(Footprints { program, soften, stream: Stream::new(context)? })
    }

    pub(crate) fn upload(&mut self, casters: &[Caster]) -> Result<(), RenderError> {
        self.stream.upload(|staged| staged.extend_from_slice(casters))
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, scene: &UniformBuffer<Block>) -> Result<(), DrawError> {
        self.stream.draw(0..self.stream.len(), canvas, &self.program, &uniform! { Scene: scene }, &maximum())
    }

    /// Adds the softened silhouettes of meshes within these bounds in clip space.
    pub(crate) fn draw_silhouettes(
        &self,
        canvas: &mut Canvas<'_>,
        scene: &UniformBuffer<Block>,
        shadows: &ShadowMaps,
        (low, high): (Vec2, Vec2),
    ) -> Result<(), DrawError> {
        let uniforms = uniform! { Scene: scene, silhouette: interpolated(&shadows.silhouette) };
        let (width, height) = canvas.size();
        let texel =
            |clip: Vec2| ((clip * 0.5 + 0.5).clamp(Vec2::ZERO, Vec2::ONE)) * Vec2::new(width as f32, height as f32);
        let part = rect(texel(low).floor().as_uvec2(), texel(high).ceil().as_uvec2());
        canvas.draw_quad(&self.soften, &uniforms, &DrawParameters { scissor: Some(part), ..maximum() })
    }
}
