//! One module per file format.

pub mod bvh;
pub(crate) mod character;
pub mod csv;
pub mod gltf;
pub(crate) mod limits_file;
pub mod mesh;
pub mod npy;
pub(crate) mod scene_file;
pub mod targets;
pub(crate) mod urdf;
pub(crate) mod xml;
