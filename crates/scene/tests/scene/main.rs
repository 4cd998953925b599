//! Readers and writers of files.

mod animated_nodes;
mod bodies;
mod bvh;
mod clips;
mod document;
mod errors;
mod feet;
mod file_drafts;
mod fit;
mod gltf;
mod gltf_warnings;
mod hostile;
mod human_limits;
mod kept;
mod keys;
mod left_out_clips;
mod link_shapes;
mod mjcf;
mod morphs;
mod mutations;
mod names;
mod npy;
mod opening_pose;
mod pose_tables;
mod reach;
mod rest_of_recordings;
mod sample_files;
mod target_specs;
mod targets;
mod textures;
mod tips;
mod tube;
mod unread;
mod velocities;

#[path = "../../../../tests/support/sample_files.rs"]
mod gathered;

use fabrik3d_scene::{FileFormat, Motion, Scene};

/// A motion of a scene as the contents of a file with this extension.
fn written(scene: &Scene, motion: &Motion, extension: &str) -> std::io::Result<Vec<u8>> {
    let write =
        FileFormat::with_extension(extension).and_then(|format| format.write_motion).expect("a format of motion");
    let mut bytes = Vec::new();
    write(scene, motion, &mut bytes).map(|()| bytes)
}
