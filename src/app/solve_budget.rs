//! The time that solving may take in one frame. What is left is solved in the next frames, so that the window answers
//! while a large scene is solved.

use fabrik3d_ik::settings::Interrupt;
use fabrik3d_scene::Scene;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
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

/// What a thread that watches the time is told: when the solves of a frame begin and when they have ended.
pub(super) struct SolveBudget(Sender<()>);

impl SolveBudget {
    pub fn new() -> Self {
        let (steps, received) = channel();
        std::thread::spawn(move || {
            // Begin and end take turns, until the window closes.
            while let Ok(()) = received.recv() {
                if received.recv_timeout(BUDGET) == Err(RecvTimeoutError::Timeout) {
                    // If this comes too late, it costs the next frame its solves, which the frame after it makes up for.
                    IS_SPENT.store(true, Ordering::Relaxed);
                    let _ = received.recv();
                }
            }
        });
        SolveBudget(steps)
    }

    /// Does the work of a frame. Solves in it end when the time is over.
    pub fn within<R>(&self, work: impl FnOnce() -> R) -> R {
        self.step();
        let result = work();
        self.step();
        result
    }

    fn step(&self) {
        IS_SPENT.store(false, Ordering::Relaxed);
        // Without the watcher, solves take as long as they take.
        let _ = self.0.send(());
    }
}
