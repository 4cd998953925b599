//! Files of other people, kept beside the checkout and not part of it.

use std::path::{Path, PathBuf};

/// A file or folder among the gathered test data; says so when there are none, and then the test has nothing to do.
pub fn gathered(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists())?;
    let path = root.join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no {}", path.display());
    None
}
