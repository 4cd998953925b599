//! Ctrl+C, and the line that says that a command is still at work.

use super::ending::INTERRUPTED;
use super::progress::Progress;
use crate::record::leave;
use fabrik3d_ik::settings::Interrupt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

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

/// Solves something that an interrupt ends early, with the best answer found until then. While it is prepared, there is no
/// answer, and an interrupt ends the program at once.
pub(super) fn solve<T, R>(prepare: impl FnOnce() -> T, work: impl FnOnce(T) -> R) -> R {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    let answer = with_progress("solving", || {
        let prepared = prepare();
        listen(GRACE, || {
            if !IS_DONE.load(Ordering::Relaxed) {
                // The reader of standard error may have ended too.
                let _ = writeln!(io::stderr(), "error: interrupted; there is no answer yet");
                leave(INTERRUPTED);
            }
        });
        work(prepared)
    });
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
