//! Draws egui's panels onto any surface, with a window or without.

use super::canvas::{Canvas, Parts, Stream, premultiplied, rect};
use super::error::{DrawError, RenderError};
use super::program::compile;
use super::targets::Targets;
use egui::epaint::{ImageDelta, Primitive};
use egui::{ClippedPrimitive, TextureFilter, TextureId, TextureOptions, TextureWrapMode, TexturesDelta};
use fabrik3d_viewer::raster::GuiVertex;
use glam::UVec2;
use glium::backend::Context;
use glium::index::PrimitiveType;
use glium::texture::{ClientFormat, MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerWrapFunction};
use glium::{CapabilitiesSource, DrawParameters, IndexBuffer, Program, Rect, uniform};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Draws egui's output; owns its textures and buffers.
pub struct GuiPainter {
    context: Rc<Context>,
    program: Program,
    textures: HashMap<TextureId, (Texture2d, TextureOptions)>,
    vertices: Stream<GuiVertex>,
    indices: IndexBuffer<u32>,
    staged_indices: Vec<u32>,
}

impl GuiPainter {
    /// Compiles the shader and creates the buffers.
    ///
    /// # Errors
    /// If the driver cannot.
    pub fn new(context: &Rc<Context>) -> Result<Self, RenderError> {
        Ok(GuiPainter {
            context: context.clone(),
            program: compile(context, ["gui.vert", "gui.frag"], &[])?,
            textures: HashMap::new(),
            vertices: Stream::new(context)?,
            indices: allocate_indices(context, 1 << 13)?,
            staged_indices: Vec::new(),
        })
    }

    /// Largest texture side, for `egui::RawInput::max_texture_side`.
    pub fn max_texture_side(&self) -> usize {
        usize::try_from(self.context.get_capabilities().max_texture_size).unwrap_or(2048)
    }

    /// Draws egui's primitives over a finished picture. Blends sRGB values, as egui expects.
    ///
    /// # Errors
    /// If the driver cannot draw or is out of memory.
    pub fn paint(
        &mut self,
        targets: &Targets,
        pixels_per_point: f32,
        primitives: &[ClippedPrimitive],
        textures: &TexturesDelta,
    ) -> Result<(), DrawError> {
        self.paint_parts(&mut Canvas::new(targets.picture()?, Parts::Whole), pixels_per_point, primitives, textures)
    }

    pub(crate) fn paint_parts(
        &mut self,
        canvas: &mut Canvas<'_>,
        pixels_per_point: f32,
        primitives: &[ClippedPrimitive],
        textures: &TexturesDelta,
    ) -> Result<(), DrawError> {
        for (id, delta) in &textures.set {
            self.set_texture(*id, delta)?;
        }
        let pieces = self.upload(primitives)?;
        let (width, height) = canvas.size();
        let screen = [width as f32 / pixels_per_point, height as f32 / pixels_per_point];
        for piece in pieces {
            let scissor = pixels(piece.clip, pixels_per_point, (width, height));
            let texture = self.textures.get(&piece.texture);
            let (Some(scissor), Some((texture, options))) = (scissor, texture) else { continue };
            let buffers = (self.vertices.part(0..self.vertices.len()), self.indices.slice(piece.indices));
            let (Some(vertices), Some(indices)) = buffers else { continue };
            let uniforms = uniform! { screen: screen, image: sampler(texture, *options) };
            let parameters = DrawParameters { blend: premultiplied(), scissor: Some(scissor), ..Default::default() };
            canvas.draw(vertices, indices, &self.program, &uniforms, &parameters)?;
        }
        for id in &textures.free {
            self.textures.remove(id);
        }
        Ok(())
    }

    /// Uploads all panels at once and returns the pieces to draw.
    fn upload(&mut self, primitives: &[ClippedPrimitive]) -> Result<Vec<Piece>, RenderError> {
        self.staged_indices.clear();
        let (mut pieces, staged_indices) = (Vec::with_capacity(primitives.len()), &mut self.staged_indices);
        self.vertices.upload(|staged| {
            for ClippedPrimitive { clip_rect, primitive } in primitives {
                // Callbacks would draw with OpenGL themselves; this program has none.
                let Primitive::Mesh(mesh) = primitive else { continue };
                let (first_vertex, first_index) = (staged.len() as u32, staged_indices.len());
                staged.extend_from_slice(bytemuck::cast_slice(&mesh.vertices));
                staged_indices.extend(mesh.indices.iter().map(|index| first_vertex + index));
                let indices = first_index..staged_indices.len();
                if !indices.is_empty() {
                    pieces.push(Piece { clip: *clip_rect, texture: mesh.texture_id, indices });
                }
            }
        })?;
        let count = self.staged_indices.len();
        if count > self.indices.len() {
            self.indices = allocate_indices(&self.context, count.next_power_of_two())?;
        }
        self.indices.invalidate();
        if let Some(part) = self.indices.slice(0..count).filter(|_| count > 0) {
            part.write(&self.staged_indices);
        }
        Ok(pieces)
    }

    fn set_texture(&mut self, id: TextureId, delta: &ImageDelta) -> Result<(), RenderError> {
        let egui::ImageData::Color(image) = &delta.image;
        let (width, height) = (image.width() as u32, image.height() as u32);
        let raw = RawImage2d {
            data: Cow::Borrowed(bytemuck::cast_slice::<egui::Color32, u8>(&image.pixels)),
            width,
            height,
            format: ClientFormat::U8U8U8U8,
        };
        match (delta.pos, self.textures.get(&id)) {
            (Some([left, bottom]), Some((texture, _))) => {
                texture.main_level().write(Rect { left: left as u32, bottom: bottom as u32, width, height }, raw);
            }
            (Some(_), None) => {} // part of a texture that has been freed
            (None, _) => {
                let (format, flat) = (UncompressedFloatFormat::U8U8U8U8, MipmapsOption::NoMipmap);
                let texture = Texture2d::with_format(&self.context, raw, format, flat)
                    .map_err(RenderError::resource("a panel's texture"))?;
                self.textures.insert(id, (texture, delta.options));
            }
        }
        Ok(())
    }
}

/// Triangles with one texture and one clip rectangle.
struct Piece {
    clip: egui::Rect,
    texture: TextureId,
    indices: Range<usize>,
}

/// A clip rectangle in pixels of the surface; none if it lies outside.
fn pixels(clip: egui::Rect, pixels_per_point: f32, (width, height): (u32, u32)) -> Option<Rect> {
    let pixel = |points: f32, most: u32| (points * pixels_per_point).round().clamp(0.0, most as f32) as u32;
    let low = UVec2::new(pixel(clip.min.x, width), height - pixel(clip.max.y, height));
    let high = UVec2::new(pixel(clip.max.x, width), height - pixel(clip.min.y, height));
    low.cmplt(high).all().then(|| rect(low, high))
}

fn sampler(texture: &Texture2d, options: TextureOptions) -> Sampler<'_, Texture2d> {
    texture
        .sampled()
        .magnify_filter(match options.magnification {
            TextureFilter::Nearest => MagnifySamplerFilter::Nearest,
            TextureFilter::Linear => MagnifySamplerFilter::Linear,
        })
        .minify_filter(match options.minification {
            TextureFilter::Nearest => MinifySamplerFilter::Nearest,
            TextureFilter::Linear => MinifySamplerFilter::Linear,
        })
        .wrap_function(match options.wrap_mode {
            TextureWrapMode::ClampToEdge => SamplerWrapFunction::Clamp,
            TextureWrapMode::Repeat => SamplerWrapFunction::Repeat,
            TextureWrapMode::MirroredRepeat => SamplerWrapFunction::Mirror,
        })
}

fn allocate_indices(context: &Rc<Context>, len: usize) -> Result<IndexBuffer<u32>, RenderError> {
    IndexBuffer::empty_dynamic(context, PrimitiveType::TrianglesList, len).map_err(RenderError::resource("the panels"))
}
