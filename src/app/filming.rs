//! Recording films of the window.

use super::application::{App, WindowFilm};
use super::files::{free_name, saved};
use crate::record::{Footage, LiveFilm};
use fabrik3d_scene::printable;
use fabrik3d_viewer::session::command::{AppCommand, DisplayCommand, Show};
use fabrik3d_viewer::session::{Command, Content, FileCommand};
use std::path::PathBuf;

impl App {
    /// Starts a film, or ends the current one. Without a path, writes MP4 if ffmpeg is available, else GIF. For a film of the
    /// scene alone, the panels are hidden until it ends: it shows what the window shows.
    pub(super) fn toggle_film(&mut self, content: Content, path: Option<PathBuf>) {
        if let Some(filming) = &mut self.filming {
            if filming.film.is_running() {
                let seconds = filming.seconds();
                filming.film.end(seconds);
                self.show_panels_after_film();
            } else {
                self.toasts.failed("The previous film is still being saved. Try again in a moment.");
            }
            return;
        }
        let Some(size) = self.live.as_ref().map(|live| live.size) else { return };
        let started = match path {
            Some(path) => LiveFilm::start(&path, size),
            None => LiveFilm::start(&free_name("mp4"), size).or_else(|_| LiveFilm::start(&free_name("gif"), size)),
        };
        match started {
            Ok(film) => {
                let hides_panels = content == Content::Scene && self.viewer.display().shows(Show::Hud);
                if hides_panels {
                    self.show_hud(false);
                    self.viewer.take_whole_picture();
                }
                self.filming = Some(WindowFilm::new(film, hides_panels));
            }
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    /// Whether a film is running that shows the scene alone.
    pub(super) fn films_scene(&self) -> bool {
        self.filming.as_ref().is_some_and(|filming| filming.hides_panels && filming.film.is_running())
    }

    fn show_hud(&mut self, on: bool) {
        // Showing and hiding panels cannot fail.
        let _ = self.viewer.apply(Command::Display(DisplayCommand::Show(Show::Hud, on)));
    }

    /// Shows the panels again that were hidden for a film.
    fn show_panels_after_film(&mut self) {
        let hides = self.filming.as_mut().is_some_and(|filming| std::mem::take(&mut filming.hides_panels));
        if hides {
            self.show_hud(true);
        }
    }

    /// The key that ends the film, named as on the user's keyboard.
    pub(super) fn film_key(&self) -> Option<String> {
        let key = |content| {
            let record = Command::App(AppCommand::File(FileCommand::Record(content, None)));
            self.input.bindings.key_for(&record, |code| self.input.letters.get(code))
        };
        key(Content::Scene).or_else(|| key(Content::Window))
    }

    /// Reports a completed or failed film.
    pub(super) fn check_film(&mut self) {
        if self.filming.as_ref().is_some_and(|filming| filming.film.is_done()) {
            self.show_panels_after_film();
        }
        let Some(filming) = self.filming.take_if(|filming| filming.film.is_done()) else { return };
        match filming.film.finish() {
            Ok(footage) => self.toasts.done(summary(&footage)),
            Err(error) => self.toasts.failed(error.to_string()),
        }
        self.request_redraw();
    }

    /// Ends the film, if there is one, and waits until it is saved.
    pub(super) fn finish_film(&mut self) {
        let Some(mut filming) = self.filming.take() else { return };
        let seconds = filming.seconds();
        filming.film.end(seconds);
        if let Err(error) = filming.film.finish() {
            eprintln!("warning: {}", printable(&error.to_string()));
        }
    }

    /// Keeps the window title: the name of the scene, with marks during a film and of unsaved changes.
    pub(super) fn keep_title(&mut self) {
        let mark = if self.filming.as_ref().is_some_and(|filming| filming.film.is_running()) { "● " } else { "" };
        let name = &self.viewer.session().scene().name;
        let name = if name.is_empty() { "fabrik3d".to_owned() } else { format!("{name} - fabrik3d") };
        let changed = if self.has_unsaved_changes() { "*" } else { "" };
        let title = format!("{mark}{changed}{name}");
        if let Some(live) = self.live.as_mut().filter(|live| live.title != title) {
            live.window.set_title(&title);
            live.title = title;
        }
    }
}

fn summary(footage: &Footage) -> String {
    let Footage { path, frames, seconds, bytes } = footage;
    let size = match *bytes as f64 {
        bytes if bytes < 1e6 => format!("{:.0} kB", bytes / 1e3),
        bytes => format!("{:.1} MB", bytes / 1e6),
    };
    format!("{}: {seconds:.1} s, {frames} frames, {size}", saved(path))
}
