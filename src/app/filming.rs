//! Films of the window.

use super::{App, free_name, saved};
use crate::record::LiveFilm;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A film and when it began.
pub(super) struct Filming {
    pub film: LiveFilm,
    started: Instant,
}

impl Filming {
    /// Seconds since the film began.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
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

impl App {
    /// Starts a film, or ends the one under way. Without a name: MP4 where there is ffmpeg, else GIF.
    pub(super) fn toggle_film(&mut self, path: Option<PathBuf>) {
        if let Some(filming) = &mut self.filming {
            if filming.film.is_running() {
                let seconds = filming.seconds();
                filming.film.end(seconds);
                self.show_title();
            } else {
                self.toasts.failed("The last film is still being written; try again in a moment.");
            }
            return;
        }
        let Some(size) = self.live.as_ref().map(super::window::Live::size) else { return };
        let started = match path {
            Some(path) => LiveFilm::start(&path, size),
            None => LiveFilm::start(&free_name("mp4"), size).or_else(|_| LiveFilm::start(&free_name("gif"), size)),
        };
        match started {
            Ok(film) => {
                self.toasts.done("The window is being filmed; Ctrl+R again ends the film.");
                self.filming = Some(Filming { film, started: Instant::now() });
                self.show_title();
            }
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    /// Tells the name of a film that is complete, or why it is not.
    pub(super) fn look_after_film(&mut self) {
        let Some(filming) = self.filming.take_if(|filming| filming.film.is_done()) else { return };
        match filming.film.finish() {
            Ok(path) => self.toasts.done(saved(&path)),
            Err(error) => self.toasts.failed(error.to_string()),
        }
        self.show_title();
        self.request_redraw();
    }

    /// Ends the film, if there is one, and waits until it is written.
    pub(super) fn finish_film(&mut self) {
        let Some(mut filming) = self.filming.take() else { return };
        let seconds = filming.seconds();
        filming.film.end(seconds);
        if let Err(error) = filming.film.finish() {
            eprintln!("warning: {error}");
        }
    }

    /// The window's title: the scene's name, and a mark while it is filmed.
    pub(super) fn show_title(&self) {
        let Some(live) = &self.live else { return };
        let mark = if self.filming.as_ref().is_some_and(|filming| filming.film.is_running()) { "● " } else { "" };
        let name = &self.stage.session().scene().name;
        let name = if name.is_empty() { "fabrik3d".to_owned() } else { format!("{name} - fabrik3d") };
        live.window.set_title(&format!("{mark}{name}"));
    }
}
