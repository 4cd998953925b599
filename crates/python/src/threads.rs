//! Thread pools: as many threads as a call asks for, and pools that survive a fork.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// The pool of all cores, and the process that started its threads.
static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// A pool of this many threads; `None`: one per core. Pools of all cores are shared by all calls of a process. A child
/// process that was forked has none of its parent's threads, so it gets a pool of its own.
///
/// # Errors
/// The system starts no more threads.
pub fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
    if let Some(threads) = threads {
        return Ok(Arc::new(ThreadPoolBuilder::new().num_threads(threads).build()?));
    }
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = shared.as_ref().filter(|(process, _)| *process == std::process::id()) {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(ThreadPoolBuilder::new().build()?);
    if let Some((_, parents)) = shared.replace((std::process::id(), Arc::clone(&pool))) {
        // Dropping it would wait for threads that do not exist here.
        std::mem::forget(parents);
    }
    Ok(pool)
}
