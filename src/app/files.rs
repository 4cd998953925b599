//! Opening, saving and reloading scenes. After an error, the current scene stays open.

use super::application::{App, Watch};
use super::dialog::{Dialog, FileDialogKind, Leaving, Reply};
use super::kept::{copy_limits, held, motion_left_behind, opens_again};
use super::settings::SettingsFile;
use crate::examples::PREFIX;
use fabrik3d_scene::{FileDraft, HumanLimits};
use fabrik3d_viewer::hud::file_name;
use fabrik3d_viewer::session::Playback;
use fabrik3d_viewer::session::command::Section;
use fabrik3d_viewer::view::{Reloaded, Viewer};
use std::path::{Path, PathBuf};

impl App {
    /// Leaves the scene. Asks first if it has changes that are not saved.
    pub(super) fn leave(&mut self, leaving: Leaving) {
        let loses_changes = match leaving {
            Leaving::Reload => self.viewer.session().is_edited_scene(),
            Leaving::Quit | Leaving::Open { .. } => self.has_unsaved_changes(),
        };
        if loses_changes && self.files.asks {
            self.dialog = Dialog::Unsaved(self.viewer.session().scene().title().to_owned(), leaving);
            return self.request_redraw();
        }
        self.go(leaving);
    }

    /// Leaves the scene without a question. A file that cannot be opened leaves it open, with its changes.
    fn go(&mut self, leaving: Leaving) {
        match leaving {
            Leaving::Quit => self.exits = true,
            Leaving::Reload => self.reload(),
            Leaving::Open { scene, motion } => {
                self.open(&scene);
                // If the scene cannot be read, the motion is not opened in another scene.
                if let Some(motion) = motion.filter(|_| self.files.file.as_ref() == Some(&scene)) {
                    self.apply(FileDialogKind::Motion.command(motion));
                }
            }
        }
    }

    /// Whether the scene has changes that would be lost. In scenes that come with the program, moved targets are such changes
    /// only for figures, which have several: posing one is work.
    pub(super) fn has_unsaved_changes(&self) -> bool {
        let session = self.viewer.session();
        let is_own = self.files.file.as_ref().is_some_and(|file| !file.to_string_lossy().starts_with(PREFIX));
        session.has_changes(is_own || session.scene().effectors.len() > 1)
    }

    pub(super) fn answer(&mut self, reply: Reply) {
        match reply {
            Reply::Do(command) => self.apply(command),
            Reply::AskAndLeave(leaving) => self.choose(FileDialogKind::Save, Some(leaving)),
            Reply::SaveAndLeave(path, leaving) => {
                self.save(&path);
                match self.has_unsaved_changes() {
                    true => self.toasts.warned("The scene stays open: its changes are not in a scene file yet."),
                    false => {
                        self.go(leaving);
                        self.toasts.done(saved(&path));
                    }
                }
            }
            Reply::Discard(leaving) => self.go(leaving),
        }
        self.request_redraw();
    }

    pub(super) fn open(&mut self, path: &Path) {
        match (self.files.reader)(path) {
            Err(reason) => self.toasts.failed(reason),
            Ok(scene) => {
                // Messages belong to the scene that they are about.
                self.toasts.dismiss(None);
                self.viewer = Viewer::new(scene, *self.viewer.display(), self.viewer.lens().aspect)
                    .with_host(crate::host::host());
                self.input.pointer.let_go();
                self.files.watch = self.files.watch.take().map(|_| Watch::new(path.to_owned()));
                self.set_file(path);
                self.show_scene_messages();
            }
        }
    }

    /// Shows the warnings of the reader, and how to play the clips of the scene.
    pub(super) fn show_scene_messages(&mut self) {
        self.show_scene_warnings();
        if let Some(remark) = self.viewer.session().motion().and_then(Playback::remark) {
            self.toasts.remarked(&remark);
        }
        let session = self.viewer.session();
        if let Some(playback) = session.motion().filter(|playback| !playback.is_engaged()) {
            // A pose that was saved is a motion of one moment.
            let lasts = |clip: &usize| playback.source.duration(*clip) > 0.0;
            let motions = match (0..playback.source.clips().len()).filter(lasts).count() {
                0 => return,
                1 => "a motion".to_owned(),
                count => format!("{count} motions"),
            };
            self.toasts.done(format!(
                "This file has {motions}. P plays what is recorded. U lets hands, feet or other ends follow it, and the \
                 solver finds the rest."
            ));
        }
    }

    /// How many joints have the limits of the limits file in place of those of a person, for a message.
    fn own_limits(&self) -> String {
        let scene = self.viewer.session().scene();
        let file = scene.limits_file_name().unwrap_or_default();
        match scene.assets.human_limits.overruled.len() {
            0 => String::new(),
            1 => format!(" One joint has the limits in {file} in place of those of a person."),
            count => format!(" {count} joints have the limits in {file} in place of those of a person."),
        }
    }

    /// Shows the first warning of the reader.
    fn show_scene_warnings(&mut self) {
        let warnings = self.viewer.session().scene().warnings();
        if let Some((first, others)) = warnings.split_first() {
            let more = match others.len() {
                0 => String::new(),
                1 => " The side panel shows one more warning.".to_owned(),
                count => format!(" The side panel shows {count} more warnings."),
            };
            let end = if first.ends_with('?') { "" } else { "." };
            self.toasts.warned(format!("Warning: {first}{end}{more}"));
        }
    }

    /// Saves the current state of the scene, see [`Scene::save`](fabrik3d_scene::Scene::save).
    pub(super) fn save(&mut self, path: &Path) {
        let mut scene = self.viewer.scene_now();
        // Its own name is that of its file.
        let opened = self.files.file.as_deref().and_then(Path::file_stem);
        let is_named_after_file = opened.is_some_and(|stem| stem.to_string_lossy() == scene.name);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy()).filter(|_| is_named_after_file);
        if let Some(stem) = &stem {
            scene.name = stem.to_string();
        }
        match scene.save(path) {
            Ok(path) => {
                let limits = copy_limits(&self.viewer, &path).unwrap_or_else(|reason| {
                    self.toasts.warned(reason);
                    None
                });
                let limits = limits.map_or(String::new(), |name| format!(". Its names and limits are in {name} now"));
                // Other formats cannot be opened as scenes. They hold the pose, and are enough if only that has changed.
                let is_scene = opens_again(&path);
                let has_changes = self.viewer.session().has_changes(false);
                let is_all = is_scene || !has_changes;
                let held = held(&path).map_or(String::new(), |held| format!(": {held}"));
                let rest = if is_all { "" } else { ". Other changes of the scene are not saved yet" };
                let text = saved(&path) + &held + rest + &limits;
                let left_behind = scene.left_behind(&path);
                let is_whole = left_behind.is_none();
                match left_behind {
                    None => self.toasts.done(text),
                    Some(note) => {
                        let open = self.files.file.as_deref().filter(|_| is_scene).map(file_name);
                        let open = open.map_or(String::new(), |open| format!(" {open} is still what is open here."));
                        self.toasts.warned(format!("{text}. Warning: {note}.{open}"));
                    }
                }
                if let Some(motion) = motion_left_behind(&self.viewer, &path) {
                    self.toasts.warned(motion);
                }
                if is_all {
                    self.viewer.mark_saved();
                }
                // A file that lacks something is a copy: what is open is still the scene of its own file.
                if is_scene && is_whole {
                    self.viewer.go_on_as(stem.as_deref());
                    self.files.watch = self.files.watch.take().map(|_| Watch::new(path.clone()));
                    self.set_file(&path);
                }
            }
            Err(error) => self.toasts.failed(error.to_string()),
        }
    }

    /// Reads the file again and keeps the pose.
    fn reload(&mut self) {
        match self.files.file.as_ref().map(|file| (self.files.reader)(file)) {
            None => self.toasts.failed("This is a built-in scene: there is no file to reload."),
            Some(Err(reason)) => {
                self.toasts.dismiss(None);
                self.toasts.failed(format!("Not reloaded, and unchanged here: {reason}"));
            }
            Some(Ok(scene)) => {
                let is_person =
                    |viewer: &Viewer| viewer.session().scene().assets.human_limits != HumanLimits::default();
                let was_person = is_person(&self.viewer);
                let was_unknown = self.viewer.session().scene().assets.unknown_body.clone();
                let before = self.viewer.session().scene().skeleton.clone();
                let reloaded = self.viewer.reload(scene);
                let has_other_joints = before != self.viewer.session().scene().skeleton;
                // What was wrong with the file is mended.
                self.toasts.dismiss(None);
                let unknown = self.viewer.session().scene().assets.unknown_body.as_ref();
                let body = match unknown {
                    None if is_person(&self.viewer) && !was_person => {
                        " The figure now has the limits of a person.".to_owned()
                    }
                    None => String::new(),
                    // It was told in full before, and stands in the panel.
                    Some(_) if unknown == was_unknown.as_ref() => {
                        " This figure is still not recognised as a person.".to_owned()
                    }
                    Some(unknown) => format!(" This figure is {unknown}."),
                };
                let pose = match reloaded {
                    Reloaded::Unchanged if has_other_joints => {
                        "Reloaded, with other joints or limits; the pose is unchanged."
                    }
                    Reloaded::Unchanged => "Reloaded; the pose is unchanged.",
                    Reloaded::OtherTargets => "Reloaded, with the targets that the file has now.",
                    Reloaded::OtherPose => "Reloaded and solved again with what the file says now.",
                };
                let text = format!("{pose}{body}{}", self.own_limits());
                match unknown.is_some() && was_person {
                    true => self.toasts.warned(text),
                    false => self.toasts.done(text),
                }
                self.show_scene_warnings();
            }
        }
    }

    /// Reloads the watched file if it has changed. Changes in the window are not lost for it.
    pub(super) fn check_watched_file(&mut self) {
        if self.files.watch.as_mut().is_some_and(Watch::has_changed) {
            match self.files.asks && self.viewer.session().is_edited_scene() {
                true => self
                    .toasts
                    .warned("The file has changed, but so has the scene in this window. F5 reads the file again."),
                false => self.reload(),
            }
            self.request_redraw();
        }
    }

    fn set_file(&mut self, path: &Path) {
        self.files.file = Some(path.to_owned());
        self.choices.settings.remember(path);
        self.store_settings();
    }

    /// Stores theme, font scale, the widths of panel and window, and open sections if they were changed.
    pub(super) fn store_choices(&mut self) {
        let (before, size) = self.choices.initial;
        let display = *self.viewer.display();
        let settings = &mut self.choices.settings;
        replace(&mut settings.theme, before.theme, display.theme);
        replace(&mut settings.font_scale, before.font_scale, display.font_scale);
        replace(&mut settings.panel_width, before.panel_width, display.panel_width);
        replace(&mut settings.picture_size, before.picture_size, display.picture_size);
        replace(&mut settings.picture_transparent, before.transparent, display.transparent);
        for (name, section) in Section::NAMES {
            let on = display.section(section).filter(|on| before.section(section) != Some(*on));
            settings.panel.extend(on.map(|on| (name.to_owned(), on)));
        }
        let full = self.live.as_ref().is_some_and(|live| live.window.fullscreen().is_some());
        let [width, height] = self.logical_size().map(|side| side.round() as u32);
        if (width, height) != size && !full && self.live.is_some() {
            self.choices.settings.window = Some((width, height));
        }
        self.store_settings();
    }

    /// Closes the card of the first start for good.
    pub(super) fn end_introduction(&mut self) {
        if std::mem::take(&mut self.choices.introduces) {
            self.choices.settings.introduced = true;
            self.store_settings();
        }
    }

    /// Writes the settings. An error is shown once.
    pub(super) fn store_settings(&mut self) {
        if let Err(reason) = self.choices.file.write(&self.choices.settings) {
            self.choices.file = SettingsFile::default();
            self.toasts.failed(format!("The settings cannot be saved: {reason}"));
        }
    }

    pub(super) fn choose(&mut self, kind: FileDialogKind, then: Option<Leaving>) {
        self.dialog.choose(kind, self.files.file.as_deref(), then);
    }
}

/// Stores a choice that was changed.
fn replace<T: PartialEq>(stored: &mut Option<T>, before: T, now: T) {
    if now != before {
        *stored = Some(now);
    }
}

/// The message about a saved file, with its absolute path.
pub(super) fn saved(path: &Path) -> String {
    format!("Saved {}", std::path::absolute(path).as_deref().unwrap_or(path).display())
}

/// The first unused name of `fabrik3d-0001.EXT`, `fabrik3d-0002.EXT`, ... in the working folder, or where [`free_path`] finds one.
pub(super) fn free_name(extension: &str) -> PathBuf {
    free_path(Path::new(""), |number| format!("fabrik3d-{number:04}.{extension}"))
}

/// The first unused one of the names with numbers from 1 on in a folder; where that cannot be written to, in the user's folder for
/// pictures, or else the home folder.
pub(super) fn free_path(folder: &Path, name: impl Fn(usize) -> String) -> PathBuf {
    let user = directories::UserDirs::new();
    let own = user.iter().flat_map(|user| user.picture_dir().into_iter().chain([user.home_dir()]));
    let free = |folder: &Path| {
        let mut names = (1..).map(|number| folder.join(name(number)));
        names.find(|name| !name.exists()).unwrap_or_default()
    };
    let first = free(folder);
    let mut names = std::iter::once(first.clone()).chain(own.map(free));
    names.find(|name| FileDraft::new(name).is_ok()).unwrap_or(first)
}
