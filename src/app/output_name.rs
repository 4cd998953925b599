//! Names of the files that the viewer writes.

use std::path::{Path, PathBuf};

/// What is said of a file that was written: where it is, whatever the working folder.
pub(super) fn saved(path: &Path) -> String {
    format!("Saved {}", std::path::absolute(path).as_deref().unwrap_or(path).display())
}

/// The first of `fabrik3d-0001.EXT`, `fabrik3d-0002.EXT`, ... that is still free in the working folder.
pub(super) fn free_name(extension: &str) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("fabrik3d-{number:04}.{extension}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_default()
}
