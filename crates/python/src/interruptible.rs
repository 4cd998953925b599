//! Long calls that Ctrl+C ends.

use crate::model::Model;
use fabrik3d_ik::Solver;
use fabrik3d_ik::settings::Interrupt;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::scope;
use std::time::Duration;

/// Time between two looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Flags that no call uses now. They last for ever, as an [`Interrupt`] needs it; there are as many as calls at once.
static IDLE: Mutex<Vec<&AtomicBool>> = Mutex::new(Vec::new());

/// Calls `work` in a thread of its own, with a solver of the robot that Ctrl+C interrupts.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub fn interruptible<R: Send>(
    py: Python<'_>,
    model: &Model,
    work: impl FnOnce(&mut Solver) -> R + Send,
) -> PyResult<R> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let flag = idle().pop().unwrap_or_else(|| Box::leak(Box::default()));
    let solve = || {
        model.with_solver(model.prefer(false), |solver| {
            solver.settings.interrupt = Interrupt::by(flag);
            work(solver)
        })
    };
    let result = scope(|scope| {
        let (send, mut done) = channel();
        let worker = scope.spawn(move || send.send(solve()));
        let mut signal = Ok(());
        loop {
            let done = &mut done;
            match py.detach(move || done.recv_timeout(POLL)) {
                Ok(result) => return signal.map(|()| result),
                Err(RecvTimeoutError::Timeout) if signal.is_ok() => {
                    signal = py.check_signals();
                    flag.store(signal.is_err(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The worker has panicked.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        worker.join().map_or_else(|panic| resume_unwind(panic), |_| unreachable!("it sends before it ends"))
    });
    flag.store(false, Ordering::Relaxed);
    idle().push(flag);
    result
}
