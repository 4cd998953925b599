//! `NAME.limits.toml` beside a recorded motion that cannot hold limits itself.
#![no_main]

use fabrik3d_fuzz::{check, scratch_file};
use fabrik3d_scene::Scene;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FIGURE: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = scratch_file("figure.bvh");
    std::fs::write(&path, include_bytes!("../corpus/bvh/two-joints.bvh")).expect("can be written");
    path
});

fuzz_target!(|data: &[u8]| {
    std::fs::write(FIGURE.with_extension("limits.toml"), data).expect("the folder for temporary files can be written");
    if let Ok(scene) = Scene::open(&*FIGURE) {
        check(&scene);
    }
});
