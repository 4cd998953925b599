//! The textures that a picture is drawn into, with a window or without.

use super::canvas::{Canvas, Parts, surface};
use super::error::{DrawError, RenderError};
use super::scene_block::Block;
use fabrik3d_viewer::view::frame::Environment;
use glium::backend::Context;
use glium::framebuffer::{DepthRenderBuffer, RenderBuffer, SimpleFrameBuffer};
use glium::texture::{DepthFormat, MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerWrapFunction, UniformBuffer};
use glium::{CapabilitiesSource, DrawParameters, Program, Surface, uniform};
use image::RgbaImage;
use std::rc::Rc;

/// Samples per pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// One: fast, for software OpenGL.
    One,
    /// Four: smooth edges.
    Four,
}

/// The stages of a picture: linear light (multisampled, then resolved), depth, and the finished 8-bit sRGB picture.
pub struct Targets {
    context: Rc<Context>,
    size: (u32, u32),
    samples: Samples,
    canvas: Option<RenderBuffer>,
    depth: DepthRenderBuffer,
    light: Texture2d,
    picture: Texture2d,
}

impl Targets {
    /// Targets for a picture of `width` x `height` pixels, clamped to what the driver supports. One sample per pixel if the
    /// driver cannot multisample.
    ///
    /// # Errors
    /// If the driver is out of memory.
    pub fn new(context: &Rc<Context>, size: (u32, u32), samples: Samples) -> Result<Self, RenderError> {
        let (width, height) = possible(context, size);
        let samples = match context.get_capabilities().max_framebuffer_samples {
            Some(4..) => samples,
            _ => Samples::One,
        };
        let float = UncompressedFloatFormat::F16F16F16F16;
        let (canvas, depth) = match samples {
            Samples::One => (None, DepthRenderBuffer::new(context, DepthFormat::I24, width, height)),
            Samples::Four => (
                Some(
                    RenderBuffer::new_multisample(context, float, width, height, 4)
                        .map_err(RenderError::resource("a multisampled picture"))?,
                ),
                DepthRenderBuffer::new_multisample(context, DepthFormat::I24, width, height, 4),
            ),
        };
        Ok(Targets {
            context: context.clone(),
            size: (width, height),
            samples,
            canvas,
            depth: depth.map_err(RenderError::resource("a depth buffer"))?,
            light: texture(context, float, (width, height), "a picture")?,
            picture: texture(context, UncompressedFloatFormat::U8U8U8U8, (width, height), "a picture")?,
        })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Whether targets for this size would be others, as far as the driver supports it.
    pub(crate) fn differs_from(&self, size: (u32, u32)) -> bool {
        possible(&self.context, size) != self.size
    }

    pub(crate) fn samples(&self) -> Samples {
        self.samples
    }

    /// The surface for the scene, in linear light.
    pub(crate) fn canvas<'a>(&'a self, parts: Parts<'a>) -> Result<Canvas<'a>, RenderError> {
        match &self.canvas {
            Some(canvas) => Canvas::deep(&self.context, canvas, &self.depth, parts),
            None => Canvas::deep(&self.context, &self.light, &self.depth, parts),
        }
    }

    /// Resolves the samples and converts linear light to the finished picture.
    pub(crate) fn finish(
        &self,
        program: &Program,
        scene: &UniformBuffer<Block>,
        environment: &Environment,
        parts: Parts<'_>,
    ) -> Result<(), DrawError> {
        if let Some(canvas) = &self.canvas {
            let light = surface(&self.context, &self.light, "the canvas")?;
            surface(&self.context, canvas, "the canvas")?.fill(&light, MagnifySamplerFilter::Nearest);
        }
        let (vignette, transparent) = match environment.transparent {
            true => (0.0, 1.0_f32),
            false => (environment.vignette, 0.0),
        };
        let light_map = interpolated(&self.light);
        let uniforms = uniform! { Scene: scene, light_map: light_map, vignette: vignette, transparent: transparent };
        let mut picture = Canvas::flat(&self.context, &self.picture, parts)?;
        picture.draw_quad(program, &uniforms, &DrawParameters::default())
    }

    /// The finished picture as a surface for panels and labels: sRGB values, no depth.
    ///
    /// # Errors
    /// If the driver cannot draw to it.
    pub fn picture(&self) -> Result<SimpleFrameBuffer<'_>, RenderError> {
        surface(&self.context, &self.picture, "the picture")
    }

    /// Reads the finished picture, top row first. It is opaque, unless its environment is transparent: then its colours are
    /// multiplied by their opacity.
    ///
    /// # Errors
    /// If the driver returns something else.
    pub fn read(&self) -> Result<RgbaImage, DrawError> {
        read(&self.picture)
    }

    /// The finished picture, to be sampled.
    pub(crate) fn texture(&self) -> &Texture2d {
        &self.picture
    }
}

/// An empty texture without mipmaps; `what` it is in errors.
pub(crate) fn texture(
    context: &Rc<Context>,
    format: UncompressedFloatFormat,
    (width, height): (u32, u32),
    what: &'static str,
) -> Result<Texture2d, RenderError> {
    Texture2d::empty_with_format(context, format, MipmapsOption::NoMipmap, width, height)
        .map_err(RenderError::resource(what))
}

/// Interpolates between four texels.
pub(crate) fn interpolated(texture: &Texture2d) -> Sampler<'_, Texture2d> {
    let sampler = texture.sampled().wrap_function(SamplerWrapFunction::Clamp);
    sampler.magnify_filter(MagnifySamplerFilter::Linear).minify_filter(MinifySamplerFilter::Linear)
}

/// The nearest size that the driver supports.
fn possible(context: &Rc<Context>, (width, height): (u32, u32)) -> (u32, u32) {
    let most = context.get_capabilities().max_viewport_dims;
    let fit = |side: u32, most: i32| side.clamp(1, u32::try_from(most).unwrap_or(1).max(1));
    (fit(width, most.0), fit(height, most.1))
}

/// Reads a picture, top row first.
pub(crate) fn read(picture: &Texture2d) -> Result<RgbaImage, DrawError> {
    let raw: RawImage2d<'_, u8> = picture.read();
    let mut picture = RgbaImage::from_raw(raw.width, raw.height, raw.data.into_owned()).ok_or(DrawError::ReadBack)?;
    image::imageops::flip_vertical_in_place(&mut picture);
    Ok(picture)
}
