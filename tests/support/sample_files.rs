//! Third-party sample files. They are not part of the project: the variable `FABRIK3D_DATA` names the folder that holds
//! them, from the root of the checkout where it is relative. The variable `FABRIK3D_SKIPPED` names a list of the tests that look
//! for a sample in vain, so that `tools/check.sh` can run those alone.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A sample file or folder. Without `FABRIK3D_DATA` there is none: the test is then skipped, and says so.
///
/// # Panics
/// Where the variable names a folder that lacks the file.
pub fn gathered(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("FABRIK3D_DATA") else {
        eprintln!("skipped: {name} is a sample file, and FABRIK3D_DATA names no folder");
        list_as_skipped();
        return None;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists())?;
    let path = root.join(folder).join(name);
    assert!(path.exists(), "FABRIK3D_DATA has no {}", path.display());
    Some(path)
}

/// Adds the present test to the list of those that were skipped, if there is one.
fn list_as_skipped() {
    let Some(list) = std::env::var_os("FABRIK3D_SKIPPED") else { return };
    let thread = std::thread::current();
    let line = format!("{} {}\n", env!("CARGO_CRATE_NAME"), thread.name().unwrap_or("main"));
    // One write, so that lines of several processes do not mix.
    let written =
        OpenOptions::new().create(true).append(true).open(list).and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(written.is_ok(), "FABRIK3D_SKIPPED: {written:?}");
}
