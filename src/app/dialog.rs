//! The dialogs that ask for a file. Drawn with the panels, so that they need no desktop around them.

use crate::session::command::AppCommand;
use crate::session::{Command, FileCommand, MotionCommand, SessionCommand};
use crate::solve::examples::PREFIX;
use egui::{Align2, Context, Event, Vec2};
use egui_file_dialog::{DialogState, FileDialog};
use fabrik3d_scene::{Content, FileFormat};
use std::path::{Path, PathBuf};

/// What the name of a character's file ends with that was saved with its pose.
const POSED: &str = "-posed";

/// In narrower rooms, points, a dialog goes without what only saves steps.
const NARROW: f32 = 380.0;

/// What the chosen file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Open,
    Save,
    Motion,
}

/// The file dialog, open or not.
#[derive(Default)]
pub(super) struct Dialog {
    open: Option<(Purpose, FileDialog)>,
    /// The file of the present scene.
    present: Option<PathBuf>,
}

impl Dialog {
    /// Asks for a file to open; begins in the folder of the present one.
    pub fn ask_what_to_open(&mut self, present: Option<&Path>) {
        self.ask(Purpose::Open, present);
    }

    /// Asks for a recording to play in the present scene.
    pub fn ask_for_motion(&mut self, present: Option<&Path>) {
        self.ask(Purpose::Motion, present);
    }

    /// Asks where to save; proposes the name of the present file, as TOML or, for characters, as another GLB.
    pub fn ask_where_to_save(&mut self, present: Option<&Path>) {
        self.ask(Purpose::Save, present);
    }

    fn ask(&mut self, purpose: Purpose, present: Option<&Path>) {
        self.present = present.map(Path::to_owned);
        let folder = present.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        self.open = Some((purpose, dialog(purpose, folder, present)));
    }

    /// Whether the dialog is open: keys are for it then.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Lays the dialog out; the command that a choice in it stands for.
    pub fn show(&mut self, context: &Context) -> Option<Command> {
        let (purpose, dialog) = self.open.as_mut()?;
        if begins_path(context) {
            // The dialog opens its line for a path then, with the present folder in it.
            *dialog = self::dialog(*purpose, Path::new("/"), self.present.as_deref());
        }
        // Less the window's own frame and title.
        let room = context.content_rect().size() - Vec2::new(48.0, 76.0);
        let config = dialog.config_mut();
        (config.default_size, config.max_size) = (room.min(Vec2::new(720.0, 460.0)), Some(room));
        config.min_size = room.min(Vec2::new(340.0, 170.0));
        // Where there is little room, the files and the two answers are what must be seen; the rest has keys or names.
        let has_room = room.x >= NARROW;
        config.show_left_panel = has_room;
        config.show_search = has_room;
        config.show_menu_button = has_room;
        config.show_new_folder_button = has_room;
        config.show_back_button = has_room;
        config.show_forward_button = has_room;
        config.show_path_edit_button = has_room;
        if context.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape)) {
            self.open = None;
            return None;
        }
        dialog.update(context);
        let command = match dialog.state() {
            DialogState::Open => return None,
            DialogState::Picked(file) => Some(match purpose {
                Purpose::Open => file_command(FileCommand::Open(Some(file.to_owned()))),
                Purpose::Save => file_command(FileCommand::Save(Some(file.to_owned()))),
                Purpose::Motion => Command::Session(SessionCommand::Motion(MotionCommand::Open(file.to_owned()))),
            }),
            _ => None,
        };
        self.open = None;
        command
    }
}

/// The name of the present file, as TOML. An example has one without what marks it as such; a character keeps its body in
/// a file beside its own.
fn name_to_save(present: Option<&Path>) -> String {
    let present = present.unwrap_or(Path::new("scene"));
    let stem = present.file_stem().unwrap_or_default().to_string_lossy();
    if FileFormat::of(present).is_some_and(FileFormat::keeps_body) {
        return format!("{}{POSED}.glb", stem.trim_end_matches(POSED));
    }
    let name = present.with_extension("toml");
    let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_prefix(PREFIX).map_or_else(|| name.clone(), str::to_owned)
}

fn file_command(command: FileCommand) -> Command {
    Command::App(AppCommand::File(command))
}

/// A dialog that begins in a folder.
fn dialog(purpose: Purpose, folder: &Path, present: Option<&Path>) -> FileDialog {
    let (title, kind, offers): (_, _, fn(&FileFormat) -> bool) = match purpose {
        Purpose::Open => ("Open a scene", "Scenes", FileFormat::is_offered_as_scene),
        Purpose::Save => ("Save the scene", "Scenes", FileFormat::saves_scenes),
        Purpose::Motion => ("Open a motion", "Motion and targets", |format| {
            format.holds(Content::Motion) || format.holds(Content::Targets)
        }),
    };
    let extensions = FileFormat::all().iter().filter(|format| offers(format)).map(|format| format.extensions[0]);
    let extensions: Vec<&str> = extensions.collect();
    let mut dialog = FileDialog::new()
        .title(title)
        .initial_directory(folder.to_owned())
        .add_file_filter_extensions(kind, extensions)
        .default_file_filter(kind)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .movable(false);
    if purpose == Purpose::Save {
        dialog = dialog.default_file_name(&name_to_save(present));
        dialog.save_file();
    } else {
        dialog.pick_file();
    }
    dialog
}

/// Whether somebody begins to type a path from the root, and no line of text has the keyboard yet.
fn begins_path(context: &Context) -> bool {
    let is_slash = |event: &Event| matches!(event, Event::Text(text) if text == "/");
    context.memory(|memory| memory.focused().is_none()) && context.input(|input| input.events.iter().any(is_slash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_saved_as_toml_under_its_own_name_and_a_character_beside_its_file() {
        for (present, name) in [
            (None, "scene.toml"),
            (Some("arms/left.urdf"), "left.toml"),
            (Some("man.glb"), "man-posed.glb"),
            (Some("a/man-posed.glb"), "man-posed.glb"),
            (Some("example:demo"), "demo.toml"),
            (Some("example:two-arms"), "two-arms.toml"),
        ] {
            assert_eq!(name_to_save(present.map(Path::new)), name);
        }
    }
}
