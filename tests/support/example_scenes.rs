//! The project's own scenes.

use std::path::{Path, PathBuf};

/// The files in `assets/scenes`, sorted by name.
pub fn example_scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes");
    let entries = folder.read_dir().expect("the scenes are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}
