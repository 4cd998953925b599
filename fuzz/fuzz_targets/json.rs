//! Scene files in JSON: a scene that opens can be written and read again.
#![no_main]

use fabrik3d_scene::{Syntax, Scene};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some(scene) = fabrik3d_fuzz::read(data, "scene.json") else { return };
    let again = Scene::parse(&scene.to_text(Syntax::Json), Syntax::Json, "again").expect("what was written can be read");
    fabrik3d_fuzz::check(&again);
});
