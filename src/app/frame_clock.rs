//! When frames may be drawn. Drivers for graphics cards wait for the screen; software OpenGL does not, so that it would draw
//! more frames than anyone sees.

use std::time::{Duration, Instant};

/// Time between frames in software OpenGL.
const INTERVAL: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// Spaces frames out.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameClock {
    /// The next frame should not start earlier.
    due: Instant,
    /// Whether a frame was asked for too early and waits.
    waits: bool,
}

impl FrameClock {
    pub fn new(now: Instant) -> Self {
        FrameClock { due: now, waits: false }
    }

    /// Whether a frame may start now. If not, it waits until [`FrameClock::wake`].
    pub fn may_start(&mut self, now: Instant) -> bool {
        self.waits = now < self.due;
        if !self.waits {
            // Frames that wake up a little late do not delay the following ones.
            let next = self.due + INTERVAL;
            self.due = if next > now { next } else { now + INTERVAL };
        }
        !self.waits
    }

    /// When the waiting frame is due.
    pub fn wake(&self) -> Option<Instant> {
        self.waits.then_some(self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for a frame every `step`, wakes up `late`, and counts the frames of a second.
    fn frames_per_second(step: Duration, late: Duration) -> u32 {
        let start = Instant::now();
        let mut clock = FrameClock::new(start);
        let (mut now, mut frames) = (start, 0);
        while now < start + Duration::from_secs(1) {
            frames += u32::from(clock.may_start(now));
            now = clock.wake().map_or(now + step, |due| due + late);
        }
        frames
    }

    #[test]
    fn frames_that_are_asked_for_all_the_time_come_sixty_times_a_second() {
        for late in [0, 100, 900, 3000] {
            let frames = frames_per_second(Duration::from_micros(200), Duration::from_micros(late));
            assert!((59..=61).contains(&frames), "{frames} with wake-ups {late} us late");
        }
    }

    #[test]
    fn slow_frames_follow_each_other_at_once() {
        let frames = frames_per_second(Duration::from_millis(25), Duration::ZERO);
        assert_eq!(frames, 40);
    }

    #[test]
    fn after_a_pause_the_first_frame_starts_at_once() {
        let start = Instant::now();
        let mut clock = FrameClock::new(start);
        assert!(clock.may_start(start));
        assert!(!clock.may_start(start + Duration::from_millis(1)) && clock.wake().is_some());
        let later = start + Duration::from_secs(5);
        assert!(clock.wake().is_some_and(|due| due <= later) && clock.may_start(later) && clock.wake().is_none());
        assert!(!clock.may_start(later + Duration::from_millis(16)));
        assert!(clock.may_start(later + Duration::from_millis(17)));
    }
}
