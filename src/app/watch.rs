//! A file that is looked at for changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the file.
const INTERVAL: Duration = Duration::from_millis(400);

/// A file and what was last known of it.
pub(super) struct Watch {
    path: PathBuf,
    modified: Option<SystemTime>,
    looked: Instant,
}

impl Watch {
    /// Watches a file from now on.
    pub fn new(path: PathBuf) -> Self {
        Watch { modified: modified(&path), path, looked: Instant::now() }
    }

    /// When the file is looked at next.
    pub fn next_look(&self) -> Instant {
        self.looked + INTERVAL
    }

    /// Looks at the file if it is time to; whether it has changed since the last look.
    pub fn has_changed(&mut self) -> bool {
        if self.looked.elapsed() < INTERVAL {
            return false;
        }
        self.looked = Instant::now();
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
