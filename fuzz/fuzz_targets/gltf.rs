//! Characters as glTF (JSON) and GLB; the reader detects which. Every file that opens can be written, and the result
//! can be read.
#![no_main]

use fabrik3d_scene::{OpenOptions, Scene};
use libfuzzer_sys::fuzz_target;

/// Longest clip, in frames, that is written again: the target tests the reader more than the writer.
const LONGEST: usize = 100;

fuzz_target!(|data: &[u8]| {
    let Some(scene) = fabrik3d_fuzz::read(data, "character.glb") else { return };
    for motion in scene.assets.motions.iter().filter(|motion| motion.len() <= LONGEST) {
        // A joint may be too far away for glTF.
        let Ok(bytes) = fabrik3d_fuzz::written(&scene, motion, "glb") else { continue };
        let again = Scene::from_bytes(bytes, "again.glb", &OpenOptions::default());
        fabrik3d_fuzz::check(&again.expect("what was written can be read"));
    }
});
