//! Draws egui's panels over the finished picture, blended in sRGB as egui expects.

use super::buffers::{Buffer, Indices, Mode, Sampling, Surface, texture};
use super::program::{Program, bind};
use crate::gl::{self, Object, gl};
use bytemuck::cast_slice;
use egui::epaint::{ImageDelta, Primitive};
use egui::{ClippedPrimitive, Color32, TextureFilter, TextureId, TextureOptions, TextureWrapMode, TexturesDelta};
use fabrik3d_viewer::raster::GuiVertex;
use std::collections::HashMap;
use std::ops::Range;

pub struct GuiPainter {
    program: Program,
    textures: HashMap<TextureId, Object>,
    vertices: Buffer<GuiVertex>,
    indices: Indices,
}

/// Triangles with one texture and one clip rectangle.
struct Piece {
    clip: egui::Rect,
    texture: TextureId,
    indices: Range<usize>,
}

impl GuiPainter {
    pub fn new() -> Result<Self, String> {
        Ok(GuiPainter {
            program: Program::new(["gui.vert", "gui.frag"], &[])?,
            textures: HashMap::new(),
            vertices: Buffer::new(),
            indices: Indices::new(),
        })
    }

    /// Draws egui's primitives on a surface.
    pub fn paint(
        &mut self,
        surface: &Surface,
        pixels_per_point: f32,
        primitives: &[ClippedPrimitive],
        textures: &TexturesDelta,
    ) {
        for (id, delta) in &textures.set {
            self.set_texture(*id, delta);
        }
        let pieces = self.upload(primitives);
        let (width, height) = surface.size;
        surface.begin();
        Mode::Overlay.begin();
        self.program.begin();
        self.program.set("screen", &[width as f32 / pixels_per_point, height as f32 / pixels_per_point]);
        gl!(enable, gl::SCISSOR_TEST);
        for Piece { clip, texture, indices } in pieces {
            let Some(texture) = self.textures.get(&texture) else { continue };
            let pixel = |points: f32, most: u32| (points * pixels_per_point).round().clamp(0.0, most as f32);
            let (left, right) = (pixel(clip.min.x, width), pixel(clip.max.x, width));
            let (top, bottom) = (pixel(clip.min.y, height), pixel(clip.max.y, height));
            gl!(scissor, left, height as f32 - bottom, (right - left).max(0.0), (bottom - top).max(0.0));
            bind("image", *texture);
            self.vertices.draw_indexed(&self.program, &self.indices, indices);
        }
        gl!(disable, gl::SCISSOR_TEST);
        for texture in textures.free.iter().filter_map(|id| self.textures.remove(id)) {
            gl!(deleteTexture, texture);
        }
    }

    /// Uploads all panels at once and returns the pieces to draw.
    fn upload(&mut self, primitives: &[ClippedPrimitive]) -> Vec<Piece> {
        let (mut pieces, mut vertices, mut corners) = (Vec::new(), Vec::new(), Vec::new());
        for ClippedPrimitive { clip_rect, primitive } in primitives {
            // Callbacks would draw by themselves; this program has none.
            let Primitive::Mesh(mesh) = primitive else { continue };
            let (first_vertex, first_index) = (vertices.len() as u32, corners.len());
            vertices.extend_from_slice(cast_slice::<_, GuiVertex>(&mesh.vertices));
            corners.extend(mesh.indices.iter().map(|index| first_vertex + index));
            pieces.push(Piece { clip: *clip_rect, texture: mesh.texture_id, indices: first_index..corners.len() });
        }
        self.vertices.upload(&vertices, gl::STREAM_DRAW);
        self.indices.upload(&corners, gl::STREAM_DRAW);
        pieces
    }

    fn set_texture(&mut self, id: TextureId, delta: &ImageDelta) {
        let egui::ImageData::Color(image) = &delta.image;
        let (width, height) = (image.width(), image.height());
        let texels: &[u8] = cast_slice::<Color32, u8>(&image.pixels);
        match (delta.pos, self.textures.get(&id)) {
            (Some([left, top]), Some(known)) => {
                bind("image", *known);
                gl!(texSubImage2D, gl::TEXTURE_2D, 0u32, left, top, width, height, gl::RGBA, gl::UNSIGNED_BYTE, texels);
            }
            (Some(_), None) => {} // part of a texture that has been freed
            (None, known) => {
                if let Some(known) = known {
                    gl!(deleteTexture, *known);
                }
                let object = texture(sampling(delta.options));
                gl!(
                    texImage2D,
                    gl::TEXTURE_2D,
                    0u32,
                    gl::RGBA8,
                    width,
                    height,
                    0u32,
                    gl::RGBA,
                    gl::UNSIGNED_BYTE,
                    texels
                );
                self.textures.insert(id, object);
            }
        }
    }
}

fn sampling(options: TextureOptions) -> Sampling {
    let filter = |filter| if filter == TextureFilter::Nearest { gl::NEAREST } else { gl::LINEAR };
    let wrap = match options.wrap_mode {
        TextureWrapMode::ClampToEdge => gl::CLAMP_TO_EDGE,
        TextureWrapMode::Repeat => gl::REPEAT,
        TextureWrapMode::MirroredRepeat => gl::MIRRORED_REPEAT,
    };
    Sampling { enlarged: filter(options.magnification), reduced: filter(options.minification), wrap: [wrap; 2] }
}
