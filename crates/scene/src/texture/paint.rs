//! Images, and how they are applied to meshes.

use std::sync::Arc;

/// An image in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Name of the file, or name inside the file that contains it.
    pub name: String,
    /// Width and height in texels, both above 0.
    pub size: [u32; 2],
    /// Red, green, blue and straight alpha of each texel, sRGB, top row first.
    pub texels: Vec<u8>,
}

/// An image that is mapped to a mesh by the mesh's texture coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The image.
    pub image: Arc<Image>,
    /// Behaviour beyond the edges, horizontally and vertically.
    pub wrap: [Wrap; 2],
    /// Magnification filter.
    pub grain: Grain,
}

/// How a texture continues beyond its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// It repeats.
    #[default]
    Repeat,
    /// It repeats, mirrored.
    Mirror,
    /// The outermost texels continue.
    Clamp,
}

/// How a texture is magnified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grain {
    /// Linear interpolation between texels.
    #[default]
    Smooth,
    /// Nearest texel, for pixel art.
    Squares,
}

/// How opacity is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cover {
    /// Opaque up to the alpha of the mesh's colour. The alpha of texture and vertices is ignored.
    #[default]
    Whole,
    /// Texels with at least this alpha are opaque, others are not drawn.
    Mask(f32),
    /// Blended by the alpha of colour, texture and vertices.
    Blend,
}

/// The visible sides of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Both sides.
    #[default]
    Both,
    /// Only the side on which the corners run counter-clockwise.
    Front,
}

/// How a mesh is drawn, besides its colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    /// Texture, multiplied with the colour.
    pub texture: Option<Texture>,
    /// Use of opacity.
    pub cover: Cover,
    /// Visible sides.
    pub sides: Sides,
    /// Roughness from 0 (mirror) to 1; none if the file does not state it.
    pub roughness: Option<f32>,
}

impl Image {
    /// Whether any texel is not opaque.
    pub fn is_translucent(&self) -> bool {
        self.texels.chunks_exact(4).any(|texel| texel[3] < 255)
    }
}
