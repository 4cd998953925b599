//! Progress of long work, on standard error.

use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Time between two updates.
const INTERVAL: Duration = Duration::from_millis(250);

/// A status line that is updated in place. It goes when this is dropped, so that an error has a line of its own.
pub(super) struct Progress {
    started: Instant,
    shown: Option<Instant>,
    visible: bool,
}

impl Progress {
    /// Starts the clock. If `visible` is false, nothing is printed.
    pub fn new(visible: bool) -> Self {
        Progress { started: Instant::now(), shown: None, visible }
    }

    /// Shows the amount of finished work and its rate, at most four times per second.
    pub fn show(&mut self, done: u64, noun: &str) {
        if self.shown.unwrap_or(self.started).elapsed() >= INTERVAL {
            let rate = done as f64 / self.started.elapsed().as_secs_f64().max(1e-9);
            self.write(&format!("{done} {noun}, {rate:.0} per second"));
        }
    }

    /// Shows what is done, and for how long.
    pub fn show_time(&mut self, doing: &str) {
        self.write(&format!("{doing}: {} s", self.started.elapsed().as_secs()));
    }

    /// Shows the number of a frame that is drawn.
    pub fn show_frame(&mut self, frame: u64, all: u64) {
        self.write(&format!("frame {frame} of {all}"));
    }

    fn write(&mut self, line: &str) {
        if self.visible {
            self.shown = Some(Instant::now());
            write(&format!("\r\x1b[K{line}"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            write("\r\x1b[K");
        }
    }
}

/// Ignores errors: a closed standard error must not stop the work.
fn write(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}
