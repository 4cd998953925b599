//! Readers and writers of files.

mod bvh;
mod errors;
mod fit;
mod gltf;
mod gltf_warnings;
mod hostile;
mod human_limits;
mod keys;
mod link_shapes;
mod mutations;
mod names;
mod opening_pose;
mod pose_tables;
mod sample_files;
mod targets;
mod textures;
mod tube;

#[path = "../../../../tests/support/sample_files.rs"]
mod gathered;
