//! Long calls that Ctrl+C ends.

use fabrik3d_ik::settings::Interrupt;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::scope;
use std::time::Duration;

/// Time between two looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Flags that no call uses now. They last for ever, as an [`Interrupt`] needs it; there are as many as calls at once.
static IDLE: Mutex<Vec<&AtomicBool>> = Mutex::new(Vec::new());

/// Calls `work` in a thread of its own, with the interrupt that Ctrl+C requests.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub fn interruptible<R: Send>(py: Python<'_>, work: impl FnOnce(Interrupt) -> R + Send) -> PyResult<R> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let flag = idle().pop().unwrap_or_else(|| Box::leak(Box::default()));
    let (is_done, done) = (Mutex::new(false), Condvar::new());
    let result = scope(|scope| {
        let worker = scope.spawn(|| {
            let result = work(Interrupt::by(flag));
            *is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
            done.notify_all();
            result
        });
        let wait = || {
            let waiting = is_done.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = done.wait_timeout_while(waiting, POLL, |is_done| !*is_done);
            !*waited.unwrap_or_else(PoisonError::into_inner).0 && !worker.is_finished()
        };
        let mut signal = Ok(());
        while py.detach(wait) {
            if signal.is_ok() {
                signal = py.check_signals();
                flag.store(signal.is_err(), Ordering::Relaxed);
            }
        }
        let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        signal.map(|()| result)
    });
    flag.store(false, Ordering::Relaxed);
    idle().push(flag);
    result
}
