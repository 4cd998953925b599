//! Opening, saving and reloading scenes. Whatever goes wrong, the scene that is shown stays.

use super::application::App;
use super::dialog::OWN;
use super::output_name::saved;
use super::settings::SettingsFile;
use super::watch::Watch;
use crate::session::command::{AppCommand, Command, SessionCommand};
use crate::session::{FileCommand, MotionCommand};
use crate::view::Stage;
use fabrik3d_scene::extension;
use std::path::{Path, PathBuf};
use winit::event_loop::ActiveEventLoop;

/// What is said where a recording should be followed and no joint of it drives an effector.
pub(super) const NOBODY_FOLLOWS: &str = "No joint of the recording has the name of an effector, so nothing follows it: choose \
                                         in the panel, under Motion, which joint each effector follows.";

impl App {
    /// Shows the scene of another file.
    pub(super) fn open(&mut self, path: &Path) {
        match (self.reader)(path) {
            Err(reason) => self.toasts.failed(reason),
            Ok(scene) => {
                self.stage = Stage::new(scene, *self.stage.display(), self.stage.lens().aspect);
                self.pointer.let_go();
                self.watch = self.watch.take().map(|_| Watch::new(path.to_owned()));
                self.set_file(path);
                self.show_title();
                self.tell_of_scene();
            }
        }
    }

    /// Says what the reader had to leave out of the scene, and how its clips are played.
    pub(super) fn tell_of_scene(&mut self) {
        let session = self.stage.session();
        let warnings = &session.scene().assets.warnings;
        if let Some((first, others)) = warnings.split_first() {
            let more = match others.len() {
                0 => String::new(),
                1 => " There is another note in the panel.".to_owned(),
                count => format!(" {count} more notes are in the panel."),
            };
            self.toasts.warned(format!("Note: {first}.{more}"));
        }
        if session.motion().is_some_and(|playback| playback.is_idle_follower()) {
            self.toasts.warned(NOBODY_FOLLOWS);
        }
        let session = self.stage.session();
        if let Some(playback) = session.motion().filter(|playback| !playback.is_engaged()) {
            let clips = match playback.source().clips().len() {
                1 => "There is a clip".to_owned(),
                count => format!("There are {count} clips"),
            };
            self.toasts.done(format!("{clips} in this file: P plays, U lets the targets follow."));
        }
    }

    /// Writes the scene as it stands, see [`Scene::save`](fabrik3d_scene::Scene::save).
    pub(super) fn save(&mut self, path: &Path) {
        let scene = self.stage.scene_now();
        match scene.save(path) {
            Ok(path) => {
                self.toasts.done(saved(&path));
                if let Some(note) = scene.left_behind(&path) {
                    self.toasts.warned(format!("Note: {note}."));
                }
                // Tables and the like are only read as motion.
                if OWN.contains(&extension(&path).as_str()) {
                    self.watch = self.watch.take().map(|_| Watch::new(path.clone()));
                    self.set_file(&path);
                }
            }
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    /// Reads the file again; the pose is kept.
    pub(super) fn reload(&mut self) {
        self.toasts.set_topic(Some(&Command::App(AppCommand::Reload)));
        match self.file.as_ref().map(|file| (self.reader)(file)) {
            None => self.toasts.failed("There is no file to reload: this is the built-in scene."),
            Some(Err(reason)) => self.toasts.failed(reason),
            Some(Ok(scene)) => {
                self.stage.reload(scene);
                self.toasts.done("Reloaded; the pose was kept.");
            }
        }
    }

    /// Reloads when the watched file has changed.
    pub(super) fn look_at_file(&mut self) {
        if self.watch.as_mut().is_some_and(Watch::has_changed) {
            self.reload();
            self.request_redraw();
        }
    }

    /// The file that the scene belongs to from now on.
    fn set_file(&mut self, path: &Path) {
        self.file = Some(path.to_owned());
        self.settings.remember(path);
        self.store_settings();
    }

    /// Keeps what was chosen in this window for the next time.
    pub(super) fn remember_choices(&mut self) {
        let (theme, font_scale, size) = self.chosen;
        let display = *self.stage.display();
        if display.theme != theme {
            self.settings.theme = Some(display.theme);
        }
        if display.font_scale != font_scale {
            self.settings.font_scale = Some(display.font_scale);
        }
        let full = self.live.as_ref().is_some_and(|live| live.window.fullscreen().is_some());
        let [width, height] = self.logical_size().map(|side| side.round() as u32);
        if (width, height) != size && !full && self.live.is_some() {
            self.settings.window = Some((width, height));
        }
        self.store_settings();
    }

    /// Writes the settings; where that fails, the user is told once.
    pub(super) fn store_settings(&mut self) {
        if let Err(reason) = self.settings_file.write(&self.settings) {
            self.settings_file = SettingsFile::default();
            self.toasts.failed(format!("The settings cannot be kept: {reason}"));
        }
    }

    /// Opens the files that were dropped on the window together: a scene, and in it a motion.
    pub(super) fn take_dropped(&mut self, event_loop: &ActiveEventLoop) {
        if self.dropped.is_empty() {
            return;
        }
        self.hovered.clear();
        let Dropped { scene, motion, others } = Dropped::sorted(std::mem::take(&mut self.dropped));
        let opened = scene.is_none_or(|scene| {
            self.apply(Command::App(AppCommand::File(FileCommand::Open(Some(scene.clone())))), event_loop);
            self.file.as_ref() == Some(&scene)
        });
        // What was to be played in a scene that could not be read is not played in another.
        if let Some(motion) = motion.filter(|_| opened) {
            self.apply(Command::Session(SessionCommand::Motion(MotionCommand::Open(motion))), event_loop);
        }
        if !others.is_empty() {
            let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            let names: Vec<String> = others.iter().map(name).collect();
            self.toasts.warned(format!("One scene and one motion are opened at once, not: {}", names.join(", ")));
        }
        self.request_redraw();
    }
}

/// Files that were dropped together, by what is done with them.
#[derive(Debug, Default, PartialEq)]
struct Dropped {
    scene: Option<PathBuf>,
    motion: Option<PathBuf>,
    others: Vec<PathBuf>,
}

impl Dropped {
    /// Tables are motions. Of the others the first is the scene, a recording only where there is nothing else, and else
    /// the motion.
    fn sorted(files: Vec<PathBuf>) -> Self {
        let (tables, scenes): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|file| is_table(file));
        let (recordings, scenes): (Vec<PathBuf>, Vec<PathBuf>) =
            scenes.into_iter().partition(|file| has_extension(file, &["bvh"]));
        let mut scenes = scenes.into_iter();
        let mut recordings = recordings.into_iter();
        let scene = scenes.next().or_else(|| recordings.next());
        let mut motions = tables.into_iter().chain(recordings);
        let motion = motions.next();
        Dropped { scene, motion, others: scenes.chain(motions).collect() }
    }
}

fn is_table(file: &Path) -> bool {
    has_extension(file, &["csv", "tsv", "npy"])
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extensions.iter().any(|other| extension.eq_ignore_ascii_case(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_files_that_are_dropped_together_a_scene_is_opened_and_a_motion_in_it() {
        for (files, scene, motion, others) in [
            ("arm.urdf", "arm.urdf", "", ""),
            ("walk.BVH", "walk.BVH", "", ""),
            ("path.csv", "", "path.csv", ""),
            ("walk.bvh man.glb", "man.glb", "walk.bvh", ""),
            ("a.toml b.toml path.npy walk.bvh", "a.toml", "path.npy", "b.toml walk.bvh"),
            ("a.bvh b.bvh c.bvh", "a.bvh", "b.bvh", "c.bvh"),
            ("no-extension readme.txt", "no-extension", "", "readme.txt"),
        ] {
            let list = |names: &str| names.split_whitespace().map(PathBuf::from).collect::<Vec<_>>();
            let one = |name: &str| list(name).pop();
            let wanted = Dropped { scene: one(scene), motion: one(motion), others: list(others) };
            assert_eq!(Dropped::sorted(list(files)), wanted, "{files}");
        }
    }
}
