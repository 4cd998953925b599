//! One frame of a session.

use super::island_state::{IslandState, Leader};
use super::mode::Mode;
use super::motion::Playback;
use super::session::Session;

impl Session {
    /// Advances time by `dt` real seconds: first targets on paths and recordings, then the solver, then the eases.
    ///
    /// An open lesson stops everything else. In a race the scene keeps solving, but its targets stay where they are.
    pub fn tick(&mut self, dt: f64) {
        let dt = dt.max(0.0) * self.clock.speed;
        if let Mode::Lesson(lesson) = &mut self.mode {
            return lesson.tick(dt);
        }
        if self.clock.paused {
            return;
        }
        self.clock.time += dt;
        match &mut self.mode {
            Mode::Race(race) => race.tick(dt),
            _ => self.advance_targets(dt),
        }
        if self.solve_frame() {
            self.move_free_targets();
        }
        self.islands.display(&self.scene, &self.effectors, dt, &mut self.poses);
    }

    /// Advances the recording and the targets on paths.
    fn advance_targets(&mut self, dt: f64) {
        self.advance_motion(dt);
        for at in 0..self.effectors.len() {
            let Some(path) = &mut self.effectors[at].path else { continue };
            let (place, is_over) = (path.advance(dt), path.is_over());
            self.glide_to(at, place, Leader::Smooth);
            if is_over {
                self.effectors[at].path = None;
            }
        }
    }

    /// Runs the solver for one frame. Returns whether there was anything to solve.
    pub(super) fn solve_frame(&mut self) -> bool {
        if self.pose_is_given {
            self.islands.rest();
            return false;
        }
        let seconds = self.islands.solve(&self.scene, &mut self.poses);
        if let Some(seconds) = seconds {
            self.clock.solve_seconds = seconds;
        }
        seconds.is_some()
    }

    /// Whether the picture changes without further input.
    pub fn is_moving(&self) -> bool {
        let is_busy = |island: &IslandState| !island.eases.is_empty() || !island.settled;
        let targets_move = match &self.mode {
            Mode::Lesson(lesson) => return lesson.is_moving(),
            Mode::Race(race) => race.is_moving(),
            Mode::Free => {
                self.playback.as_ref().is_some_and(Playback::is_playing)
                    || self.effectors.iter().any(|effector| effector.path.is_some())
            }
        };
        !self.clock.paused && (targets_move || self.islands.states.iter().any(is_busy))
    }
}
