//! File formats: [`table`] lists them all, one module per format reads or writes it.

pub(crate) mod bvh;
pub(crate) mod case_line;
pub(crate) mod character;
pub mod csv;
pub(crate) mod gltf;
pub(crate) mod limits_file;
pub(crate) mod mesh;
pub(crate) mod motion_json;
pub mod npy;
pub mod npz;
pub(crate) mod pose_table;
pub(crate) mod scene_file;
pub(crate) mod source_file;
pub(crate) mod table;
pub(crate) mod targets;
pub(crate) mod urdf;
pub(crate) mod xml;
