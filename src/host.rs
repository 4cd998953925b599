//! What the viewer and its tests get from this program.

use crate::examples;
use fabrik3d_scene::Files;
use fabrik3d_viewer::session::Host;
use std::sync::LazyLock;
use std::time::Instant;

/// The files and the clock of this program for its viewer.
pub fn host() -> Host {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    Host {
        open: |path, options| examples::open(path, options),
        files: Files::default,
        now: || START.elapsed().as_secs_f64(),
    }
}

/// Panics once the file exists that the variable `FABRIK3D_PANIC` names: tests see what a fault leaves. Only debug builds do so.
pub(crate) fn panic_if_asked() {
    #[cfg(debug_assertions)]
    if std::env::var_os("FABRIK3D_PANIC").is_some_and(|file| std::path::Path::new(&file).exists()) {
        panic!("a test asks for it");
    }
}
