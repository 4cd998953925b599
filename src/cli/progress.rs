//! How far long work is, on standard error.

use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Time between two lines.
const PAUSE: Duration = Duration::from_millis(250);

/// A line that is written over and over.
pub(super) struct Progress {
    begun: Instant,
    shown: Option<Instant>,
    visible: bool,
}

impl Progress {
    /// Begins now; without anybody to see it, nothing is ever written.
    pub fn new(visible: bool) -> Self {
        Progress { begun: Instant::now(), shown: None, visible }
    }

    /// Shows, now and then, how much is done and how fast.
    pub fn show(&mut self, done: u64, noun: &str) {
        if !self.visible || self.shown.unwrap_or(self.begun).elapsed() < PAUSE {
            return;
        }
        self.shown = Some(Instant::now());
        let rate = done as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
        write(&format!("\r\x1b[K{done} {noun}, {rate:.0} a second"));
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            write("\r\x1b[K");
        }
    }
}

/// Progress is a courtesy: a closed standard error must not stop the work.
fn write(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}
