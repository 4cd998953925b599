//! How meshes are painted: images, textures, opacity.

pub(crate) mod paint;
pub(crate) mod pictures;

pub use paint::{Cover, Grain, Image, Paint, Sides, Texture, Wrap};
