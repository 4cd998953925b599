//! Images, and how they are applied to meshes.

use std::sync::Arc;

/// A picture in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The file it came from, or its name in the file that holds it.
    pub name: String,
    /// Texels across and down, both above 0.
    pub size: [u32; 2],
    /// Red, green, blue and straight alpha of each texel in sRGB, the top row first.
    pub texels: Vec<u8>,
}

/// A picture laid on a mesh by the mesh's texture coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// What is laid on.
    pub image: Arc<Image>,
    /// How it goes on beyond its edges, to the right and down.
    pub wrap: [Wrap; 2],
    /// How it looks from near by.
    pub grain: Grain,
}

/// How a texture goes on beyond its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// It begins anew.
    #[default]
    Repeat,
    /// It is mirrored.
    Mirror,
    /// Its outermost texels go on.
    Clamp,
}

/// How a texture looks where a texel is larger than a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grain {
    /// Texels melt into each other.
    #[default]
    Smooth,
    /// Texels are squares, as pixel art wants it.
    Squares,
}

/// What of a mesh is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cover {
    /// All of it, as solid as the mesh's colour is; the alpha of texture and vertices does not count.
    #[default]
    Whole,
    /// What is at least this opaque, and that wholly.
    Mask(f32),
    /// All of it, as far as colour, texture and vertices are opaque.
    Blend,
}

/// The sides from which triangles are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Both.
    #[default]
    Both,
    /// The side where the corners run counter-clockwise.
    Front,
}

/// How a mesh is painted, besides its colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paint {
    /// A picture, multiplied with the colour.
    pub texture: Option<Texture>,
    /// What is drawn.
    pub cover: Cover,
    /// From where it is seen.
    pub sides: Sides,
    /// 0 mirror-smooth, 1 rough; none where the file does not say.
    pub roughness: Option<f32>,
}

impl Image {
    /// Whether something shines through it somewhere.
    pub fn is_translucent(&self) -> bool {
        self.texels.chunks_exact(4).any(|texel| texel[3] < 255)
    }
}
