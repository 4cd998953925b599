//! What the painters of pictures share: cameras as matrices and rays, and everything in a frame as the numbers that the shaders
//! in `shaders/` read. It knows no OpenGL.

mod backdrop;
mod camera;
mod color;
mod mesh;
mod scene_block;
mod vertex;

pub use backdrop::FloorLook;
pub use camera::{Ball, Camera, Extent, LampView, RayField, corners, extent};
pub use color::linear;
pub use mesh::{
    Corners, Culled, Layer, MeshTraits, Mixer, ShadowPass, bone_rows, casts, is_cast_into, largest_stretch,
    mesh_corners, pixel_size, placement, shadow_extent, update_mixes,
};
pub use scene_block::SceneBlock;
pub use vertex::{
    Attribute, CapsuleInstance, Caster, GuiVertex, HaloInstance, MeshVertex, Numbers, PatchVertex, Segment, Solid,
    Sorted, SphereInstance, Vertex, patch_corners, segments,
};
