//! Scenes of any format: the first byte chooses the reader, the rest is the file.
//! `cargo +nightly fuzz run scene fuzz/corpus/scene`
#![no_main]

use fabrik3d::scene::{OpenOptions, Scene, Surfaces};
use libfuzzer_sys::fuzz_target;

const EXTENSIONS: [&str; 6] = ["bvh", "urdf", "gltf", "glb", "toml", "json"];

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let extension = EXTENSIONS[usize::from(*choice) % EXTENSIONS.len()];
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join(format!("scene.{extension}"));
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    // References of a robot to meshes would lead out of the folder.
    let surfaces = if extension == "urdf" { Surfaces::Skip } else { Surfaces::Load };
    if let Ok(scene) = Scene::open_with(&path, &OpenOptions { surfaces, ..OpenOptions::default() }) {
        for motion in &scene.assets.motions {
            let frames = scene.skeleton.frames(&motion.pose(&scene.skeleton, motion.len() / 2));
            assert!(frames.iter().all(|frame| frame.rotation.is_finite()));
        }
    }
});
