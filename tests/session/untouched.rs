//! Nothing moves before somebody moves it.

use crate::gathered::gathered;
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use std::path::{Path, PathBuf};

/// The files of a folder and of those in it.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

#[test]
fn what_is_opened_stays_as_it_is() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let others = ["bvh", "gltf", "trials/characters"].into_iter().filter_map(gathered);
    let is_character =
        |path: &PathBuf| path.extension().is_some_and(|kind| ["bvh", "glb", "gltf"].iter().any(|known| kind == *known));
    let mut moved = Vec::new();
    let mut count = 0;
    for path in std::iter::once(own).chain(others).flat_map(|folder| files_in(&folder)).filter(is_character) {
        let Ok(scene) = Scene::open(&path) else { continue };
        let (start, skeleton) = (scene.skeleton.frames(&scene.start), scene.skeleton.clone());
        let mut session = Session::new(scene);
        (0..120).for_each(|_| session.tick(1.0 / 60.0));
        let now = skeleton.frames(session.displayed());
        let way = start.iter().zip(&now).map(|(a, b)| a.position.distance(b.position)).fold(0.0, f64::max);
        count += 1;
        if way.is_nan() || way > 1e-9 * skeleton.extent() {
            moved.push(format!("{}: {way:.1e} of {}", path.display(), skeleton.extent()));
        }
    }
    assert!(moved.is_empty(), "{} of {count} move:\n{}", moved.len(), moved.join("\n"));
}
