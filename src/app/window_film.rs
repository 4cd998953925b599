//! The film of the window that is being recorded.

use crate::hud::FilmInfo;
use crate::record::LiveFilm;
use std::time::{Duration, Instant};

/// A film and its clock.
pub(super) struct WindowFilm {
    pub film: LiveFilm,
    started: Instant,
    /// Time of the last picture.
    last: Instant,
}

/// Longest time between two pictures. Longer gaps are sleeps of the machine, which the film skips.
const MAX_GAP: Duration = Duration::from_secs(2);

impl WindowFilm {
    pub fn new(film: LiveFilm) -> Self {
        let now = Instant::now();
        WindowFilm { film, started: now, last: now }
    }

    /// Adds a picture at the current time.
    pub fn add(&mut self, picture: image::RgbaImage) {
        self.started += self.slept();
        self.last = Instant::now();
        self.film.offer(self.seconds(), picture);
    }

    /// The progress; `None` once the film has ended.
    pub fn info(&self) -> Option<FilmInfo> {
        let frames = self.film.frames();
        self.film.is_running().then(|| FilmInfo { seconds: self.seconds(), frames })
    }

    /// Seconds since the start of the film.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().saturating_sub(self.slept()).as_secs_f64()
    }

    /// Time that the machine has slept since the last picture.
    fn slept(&self) -> Duration {
        self.last.elapsed().saturating_sub(MAX_GAP)
    }

    /// Time of the next picture, or of the next check of the writer.
    pub fn next_wake(&self) -> Instant {
        if self.film.is_running() {
            self.started + Duration::from_secs_f64(self.film.next_time())
        } else {
            Instant::now() + Duration::from_millis(50)
        }
    }

    /// Whether the next picture is due.
    pub fn wants_picture(&self) -> bool {
        self.film.is_running() && self.seconds() >= self.film.next_time()
    }
}
