//! Third-party sample files. They are not part of the project: the variable `FABRIK3D_DATA` names the folder that holds
//! them, from the root of the checkout where it is relative.

use std::path::{Path, PathBuf};

/// A sample file or folder. Without `FABRIK3D_DATA` there is none: the test is then skipped, and says so.
///
/// # Panics
/// Where the variable names a folder that lacks the file.
pub fn gathered(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("FABRIK3D_DATA") else {
        eprintln!("skipped: {name} is a sample file, and FABRIK3D_DATA names no folder");
        return None;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists())?;
    let path = root.join(folder).join(name);
    assert!(path.exists(), "FABRIK3D_DATA has no {}", path.display());
    Some(path)
}
