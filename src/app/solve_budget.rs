//! The time that solving may take in one frame. What is left is solved in the next frames, so that the window answers
//! while a large scene is solved.

use fabrik3d_ik::settings::Interrupt;
use fabrik3d_scene::Scene;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest time of solving in one frame. Ordinary scenes take less than a millisecond.
const BUDGET: Duration = Duration::from_millis(100);

/// Whether the time of the present frame is over.
static IS_SPENT: AtomicBool = AtomicBool::new(false);

/// The scene, whose solves end when the time of the frame is over.
pub(super) fn budgeted(mut scene: Scene) -> Scene {
    scene.settings.interrupt = Interrupt::by(&IS_SPENT);
    scene
}

/// A thread that watches the time.
pub(super) struct SolveBudget {
    /// Counts up when the solves of a frame begin and when they have ended, so that a late watcher interrupts no later frame.
    count: Arc<Mutex<u64>>,
    steps: Sender<u64>,
}

impl SolveBudget {
    pub fn new() -> Self {
        let count = Arc::new(Mutex::new(0));
        let (steps, received) = channel();
        let watched = Arc::clone(&count);
        std::thread::spawn(move || {
            // Begin and end take turns, until the window closes.
            while let Ok(begun) = received.recv() {
                if received.recv_timeout(BUDGET) == Err(RecvTimeoutError::Timeout) {
                    let count = watched.lock().unwrap_or_else(PoisonError::into_inner);
                    IS_SPENT.store(*count == begun, Ordering::Relaxed);
                    drop(count);
                    let _ = received.recv();
                }
            }
        });
        SolveBudget { count, steps }
    }

    /// Does the work of a frame. Solves in it end when the time is over.
    pub fn within<R>(&self, work: impl FnOnce() -> R) -> R {
        self.step();
        let result = work();
        self.step();
        result
    }

    fn step(&self) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        IS_SPENT.store(false, Ordering::Relaxed);
        // Without the watcher, solves take as long as they take.
        let _ = self.steps.send(*count);
    }
}
