//! Long calls: they work on threads of their own, while the calling thread looks for Ctrl+C and reports progress.

use crate::model::Model;
use fabrik3d_ik::Solver;
use fabrik3d_ik::settings::Interrupt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::iter::once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope};
use std::time::Duration;

/// Time between two looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Flags that no call uses now. They last for ever, as an [`Interrupt`] needs it; there are as many as calls at once.
static IDLE: Mutex<Vec<&AtomicBool>> = Mutex::new(Vec::new());

/// The number of threads of a call that asks for none.
pub fn all_cores() -> usize {
    available_parallelism().map_or(1, Into::into)
}

/// Calls `work` for all pieces on as many threads; it returns the number of rows that are done. Every [`POLL`] and at the end,
/// `progress` gets the number of rows since the last time.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`, or of `progress`. It interrupts the pieces that are being
/// worked on; the others are left out.
pub fn each_piece<T>(
    py: Python<'_>,
    threads: usize,
    pieces: impl Iterator<Item = T> + Send,
    work: impl Fn(T, Interrupt) -> usize + Sync,
    mut progress: impl FnMut(usize) -> PyResult<()>,
) -> PyResult<()> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let flag = idle().pop().unwrap_or_else(|| Box::leak(Box::default()));
    let (queue, rows) = (Mutex::new(pieces), AtomicUsize::new(0));
    let work_on = || {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(piece) = next().filter(|_| !flag.load(Ordering::Relaxed)) {
            rows.fetch_add(work(piece, Interrupt::by(flag)), Ordering::Relaxed);
        }
    };
    let outcome = scope(|scope| {
        // Never sends: the channel closes when the last thread ends.
        let (running, mut ended) = channel::<()>();
        let start = |_| {
            let running = running.clone();
            let thread = move || {
                work_on();
                drop(running);
            };
            Builder::new().spawn_scoped(scope, thread).map(|_| ())
        };
        let mut outcome = (0..threads)
            .try_for_each(start)
            .map_err(|error| PyRuntimeError::new_err(format!("threads: the system starts no more: {error}")));
        drop(running);
        loop {
            let ended = &mut ended;
            let is_done = py.detach(move || ended.recv_timeout(POLL) == Err(RecvTimeoutError::Disconnected));
            let look = |()| py.check_signals().and_then(|()| progress(rows.swap(0, Ordering::Relaxed)));
            outcome = outcome.and_then(look);
            flag.store(outcome.is_err(), Ordering::Relaxed);
            if is_done {
                return outcome;
            }
        }
    });
    flag.store(false, Ordering::Relaxed);
    idle().push(flag);
    outcome
}

/// Calls `work` with a solver of the robot that Ctrl+C interrupts.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub fn interruptible<R: Send>(
    py: Python<'_>,
    model: &Model,
    work: impl FnOnce(&mut Solver) -> R + Send,
) -> PyResult<R> {
    let mut result = None;
    let solve = |(work, result): (_, &mut Option<R>), interrupt| {
        *result = Some(model.with_solver(model.prefer(false), interrupt, work));
        1
    };
    each_piece(py, 1, once((work, &mut result)), solve, |_| Ok(()))?;
    result.ok_or_else(|| PyRuntimeError::new_err("the work has not begun"))
}
