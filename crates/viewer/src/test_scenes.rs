//! The project's own scenes, for unit tests.

use fabrik3d_scene::Scene;
use std::path::PathBuf;

/// The root of the checkout.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// An example scene.
pub fn example(name: &str) -> Scene {
    Scene::open(root().join("assets/scenes").join(name).with_extension("toml")).expect("an example")
}

/// All example scenes.
pub fn examples() -> impl Iterator<Item = Scene> {
    let entries = root().join("assets/scenes").read_dir().expect("the scenes are there");
    entries.map(|entry| Scene::open(entry.expect("can be read").path()).expect("an example"))
}
