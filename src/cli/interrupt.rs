//! Long work: the line on the terminal that says how far it is, and Ctrl+C.

use crate::record::{INTERRUPTED, leave};
use fabrik3d_ik::settings::Interrupt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Whether the user has asked to end the work.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Ends solves once the user asks for it.
pub(super) const INTERRUPT: Interrupt = Interrupt::by(&REQUESTED);

/// Time that a solve has to end after an interrupt. It usually takes less than a millisecond. To measure the answer of a
/// large scene takes up to half a second, and longer while other programs are busy.
const GRACE: Duration = Duration::from_secs(3);

/// Time until the first line of progress, and between two of them.
const PATIENCE: Duration = Duration::from_secs(1);

/// From now on, an interrupt ends the program at once and leaves no temporary file behind. The file to be written stays as
/// it was.
pub(super) fn remove_drafts_on_interrupt() {
    let _ = ctrlc::set_handler(|| leave(INTERRUPTED));
}

/// From now on, an interrupt sets [`INTERRUPT`]. If the program has not ended after `grace`, it calls `late`.
///
/// Before, an interrupt ends the program at once, which is right for everything that has no result yet.
pub(super) fn listen(grace: Duration, late: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        REQUESTED.store(true, Ordering::Relaxed);
        // The handler has a thread of its own, which may wait.
        std::thread::sleep(grace);
        late();
    });
}

/// Solves something that an interrupt ends early, with the best answer found until then.
pub(super) fn solve<R>(work: impl FnOnce() -> R) -> R {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    listen(GRACE, || {
        if !IS_DONE.load(Ordering::Relaxed) {
            // The reader of standard error may have ended too.
            let _ = writeln!(io::stderr(), "error: interrupted; there is no answer yet");
            leave(INTERRUPTED);
        }
    });
    let answer = with_progress("solving", work);
    IS_DONE.store(true, Ordering::Relaxed);
    answer
}

/// Does some work. If it takes long, a line on the terminal says so.
pub(super) fn with_progress<R>(doing: &str, work: impl FnOnce() -> R) -> R {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut progress = Progress::new(true);
            while waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                progress.show_time(doing);
            }
        });
        let result = work();
        drop(done);
        result
    })
}

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
