//! Watching a file for changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Time between two checks of the file.
const INTERVAL: Duration = Duration::from_millis(400);

/// A watched file and its last known state.
pub(super) struct Watch {
    path: PathBuf,
    modified: Option<SystemTime>,
    checked: Instant,
}

impl Watch {
    /// Starts watching a file.
    pub fn new(path: PathBuf) -> Self {
        Watch { modified: modified(&path), path, checked: Instant::now() }
    }

    /// Time of the next check.
    pub fn next_check(&self) -> Instant {
        self.checked + INTERVAL
    }

    /// Checks the file if the interval has passed. Returns whether it has changed since the last check.
    pub fn has_changed(&mut self) -> bool {
        if self.checked.elapsed() < INTERVAL {
            return false;
        }
        self.checked = Instant::now();
        let now = modified(&self.path);
        let changed = now.is_some() && now != self.modified;
        if changed {
            self.modified = now;
        }
        changed
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}
