//! Third-party sample files. They are stored beside the checkout and are not part of it.

use std::path::{Path, PathBuf};

/// A sample file or folder. If it is missing, prints a message and returns `None`; the test is then skipped.
pub fn gathered(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists())?;
    let path = root.join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no {}", path.display());
    None
}
