//! The files that the page holds: those of its scene, and those that were dropped on it.

use crate::examples;
use fabrik3d_scene::{Files, HeldFiles, OpenOptions, Scene, SceneError};
use fabrik3d_viewer::session::Host;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

thread_local! {
    /// Functions of a [`Host`] hold nothing themselves.
    static HELD: RefCell<Arc<HeldFiles>> = RefCell::default();
}

/// Holds a file from now on.
pub fn hold(path: PathBuf, bytes: Vec<u8>) {
    HELD.with_borrow_mut(|held| {
        Arc::make_mut(held).insert(path, bytes);
    });
}

/// All of them.
pub fn held() -> Files {
    Files::Held(HELD.with_borrow(Arc::clone))
}

/// Opens a scene of the page, or an example.
///
/// # Errors
/// As [`Scene::open_with`].
pub fn open(path: &Path, options: &OpenOptions) -> Result<Scene, SceneError> {
    examples::open(path, &OpenOptions { files: held(), ..options.clone() })
}

/// The files of the page for its viewer. No times are measured: the page tells the time with each picture.
pub fn host() -> Host {
    Host { open, files: held, now: || 0.0 }
}
