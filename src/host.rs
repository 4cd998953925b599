//! What the viewer gets from this program.

use crate::examples;
use fabrik3d_viewer::session::Host;
use std::sync::LazyLock;
use std::time::Instant;

/// The files and the clock of this program for its viewer.
pub fn host() -> Host {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    Host { open: |path, options| examples::open(path, options), now: || START.elapsed().as_secs_f64() }
}
