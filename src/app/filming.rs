//! Films of the window.

use super::{App, free_name, saved};
use crate::hud::FilmInfo;
use crate::record::{Footage, LiveFilm};
use crate::session::command::AppCommand;
use crate::session::{Command, FileCommand};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A film and when it began.
pub(super) struct Filming {
    film: LiveFilm,
    started: Instant,
    /// When its last picture was taken.
    last: Instant,
}

/// Longest time between two pictures. What is longer was a sleep of the machine: the film leaves it out.
const LONGEST_GAP: Duration = Duration::from_secs(2);

impl Filming {
    fn new(film: LiveFilm) -> Self {
        let now = Instant::now();
        Filming { film, started: now, last: now }
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
    fn seconds(&self) -> f64 {
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
                self.filming = Some(Filming::new(film));
                self.show_title();
            }
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    /// The key that ends the film, as the user's keyboard names it.
    pub(super) fn film_key(&self) -> Option<String> {
        let record = Command::App(AppCommand::File(FileCommand::Record(None)));
        self.bindings.key_for(&record, |code| self.letters.get(code))
    }

    /// Tells the name of a film that is complete, or why it is not.
    pub(super) fn look_after_film(&mut self) {
        let Some(filming) = self.filming.take_if(|filming| filming.film.is_done()) else { return };
        match filming.film.finish() {
            Ok(footage) => self.toasts.done(told(&footage)),
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

/// What is said of a film that is complete.
fn told(footage: &Footage) -> String {
    let Footage { path, frames, seconds, bytes } = footage;
    let size = match *bytes as f64 {
        bytes if bytes < 1e6 => format!("{:.0} kB", bytes / 1e3),
        bytes => format!("{:.1} MB", bytes / 1e6),
    };
    format!("{}: {seconds:.1} s, {frames} frames, {size}", saved(path))
}
