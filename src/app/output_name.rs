//! File names and messages for saved files.

use std::path::{Path, PathBuf};

/// The message about a saved file, with its absolute path.
pub(super) fn saved(path: &Path) -> String {
    format!("Saved {}", std::path::absolute(path).as_deref().unwrap_or(path).display())
}

/// The first unused name of `fabrik3d-0001.EXT`, `fabrik3d-0002.EXT`, ... in the working folder.
pub(super) fn free_name(extension: &str) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("fabrik3d-{number:04}.{extension}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_default()
}
