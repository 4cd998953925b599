//! A film of the window that is under way.

use crate::hud::FilmInfo;
use crate::record::LiveFilm;
use std::time::{Duration, Instant};

/// A film and when it began.
pub(super) struct WindowFilm {
    pub film: LiveFilm,
    started: Instant,
    /// When its last picture was taken.
    last: Instant,
}

/// Longest time between two pictures. What is longer was a sleep of the machine: the film leaves it out.
const LONGEST_GAP: Duration = Duration::from_secs(2);

impl WindowFilm {
    pub fn new(film: LiveFilm) -> Self {
        let now = Instant::now();
        WindowFilm { film, started: now, last: now }
    }

    /// Takes the picture of this moment.
    pub fn take(&mut self, picture: image::RgbaImage) {
        self.started += self.slept();
        self.last = Instant::now();
        self.film.offer(self.seconds(), picture);
    }

    /// How far it is; none once it has ended.
    pub fn info(&self) -> Option<FilmInfo> {
        let frames = self.film.frames();
        self.film.is_running().then(|| FilmInfo { seconds: self.seconds(), frames })
    }

    /// Seconds since the film began.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().saturating_sub(self.slept()).as_secs_f64()
    }

    /// How long the machine has slept since the last picture.
    fn slept(&self) -> Duration {
        self.last.elapsed().saturating_sub(LONGEST_GAP)
    }

    /// When the next picture is wanted, or the writer is to be looked after.
    pub fn next_wake(&self) -> Instant {
        if self.film.is_running() {
            self.started + Duration::from_secs_f64(self.film.next_time())
        } else {
            Instant::now() + Duration::from_millis(50)
        }
    }

    /// Whether a picture is wanted now.
    pub fn wants_picture(&self) -> bool {
        self.film.is_running() && self.seconds() >= self.film.next_time()
    }
}
