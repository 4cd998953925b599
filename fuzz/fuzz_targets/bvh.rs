//! Recorded motion. Every file that opens can be written, and the result can be read.
#![no_main]

use fabrik3d_scene::{OpenOptions, Scene};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some(scene) = fabrik3d_fuzz::read(data, "motion.bvh") else { return };
    for motion in &scene.assets.motions {
        let bytes = fabrik3d_fuzz::written(&scene, motion, "bvh").expect("BVH holds every motion");
        let again = Scene::from_bytes(bytes, "again.bvh", &OpenOptions::default());
        let again = again.expect("what was written can be read");
        assert_eq!(again.skeleton.len(), scene.skeleton.len());
        assert_eq!(again.assets.motions[0].len(), motion.len());
    }
});
