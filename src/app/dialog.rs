//! The file dialogs. They are drawn like the panels, without a desktop environment.

use crate::session::command::AppCommand;
use crate::session::{Command, FileCommand, MotionCommand, SessionCommand};
use crate::solve::examples::PREFIX;
use egui::{Align2, Context, Event, Vec2};
use egui_file_dialog::{DialogState, FileDialog};
use fabrik3d_scene::{Content, FileFormat};
use std::path::{Path, PathBuf};

/// Suffix of the file name of a character saved with its pose.
const POSED: &str = "-posed";

/// Minimum width of a dialog with all controls, points.
const FULL_WIDTH: f32 = 380.0;

/// The purpose of the chosen file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Open,
    Save,
    Motion,
}

/// The file dialog, open or closed.
#[derive(Default)]
pub(super) struct Dialog {
    open: Option<(Purpose, FileDialog)>,
    /// The file of the current scene.
    current: Option<PathBuf>,
}

impl Dialog {
    /// Opens the dialog for a scene to open, in the folder of the current one.
    pub fn open_scene(&mut self, current: Option<&Path>) {
        self.show_for(Purpose::Open, current);
    }

    /// Opens the dialog for a motion to play in the current scene.
    pub fn open_motion(&mut self, current: Option<&Path>) {
        self.show_for(Purpose::Motion, current);
    }

    /// Opens the dialog to save the scene. Suggests the current name with the extension .toml, or another .glb name for
    /// characters.
    pub fn save_scene(&mut self, current: Option<&Path>) {
        self.show_for(Purpose::Save, current);
    }

    fn show_for(&mut self, purpose: Purpose, current: Option<&Path>) {
        self.current = current.map(Path::to_owned);
        let folder = current.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        self.open = Some((purpose, dialog(purpose, folder, current)));
    }

    /// Whether the dialog is open. It then receives all keys.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Lays out the dialog and returns the command for the chosen file.
    pub fn show(&mut self, context: &Context) -> Option<Command> {
        let (purpose, dialog) = self.open.as_mut()?;
        if starts_path(context) {
            // The dialog then opens its path field with the current folder.
            *dialog = self::dialog(*purpose, Path::new("/"), self.current.as_deref());
        }
        // Without the frame and title of the dialog.
        let room = context.content_rect().size() - Vec2::new(48.0, 76.0);
        let config = dialog.config_mut();
        (config.default_size, config.max_size) = (room.min(Vec2::new(720.0, 460.0)), Some(room));
        config.min_size = room.min(Vec2::new(340.0, 170.0));
        // With little space, show only the files and the two buttons.
        let is_full = room.x >= FULL_WIDTH;
        config.show_left_panel = is_full;
        config.show_search = is_full;
        config.show_menu_button = is_full;
        config.show_new_folder_button = is_full;
        config.show_back_button = is_full;
        config.show_forward_button = is_full;
        config.show_path_edit_button = is_full;
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

/// The suggested file name: the current name as TOML. The prefix of built-in scenes is removed. A character is saved
/// beside its own file, so that it keeps its meshes.
fn name_to_save(current: Option<&Path>) -> String {
    let current = current.unwrap_or(Path::new("scene"));
    let stem = current.file_stem().unwrap_or_default().to_string_lossy();
    if FileFormat::of(current).is_some_and(FileFormat::keeps_body) {
        return format!("{}{POSED}.glb", stem.trim_end_matches(POSED));
    }
    let name = current.with_extension("toml");
    let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_prefix(PREFIX).map_or_else(|| name.clone(), str::to_owned)
}

fn file_command(command: FileCommand) -> Command {
    Command::App(AppCommand::File(command))
}

/// A dialog that starts in a folder.
fn dialog(purpose: Purpose, folder: &Path, current: Option<&Path>) -> FileDialog {
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
        dialog = dialog.default_file_name(&name_to_save(current));
        dialog.save_file();
    } else {
        dialog.pick_file();
    }
    dialog
}

/// Whether the user starts to type an absolute path and no text field has the focus.
fn starts_path(context: &Context) -> bool {
    let is_slash = |event: &Event| matches!(event, Event::Text(text) if text == "/");
    context.memory(|memory| memory.focused().is_none()) && context.input(|input| input.events.iter().any(is_slash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_saved_as_toml_under_their_names_and_characters_beside_their_files() {
        for (current, name) in [
            (None, "scene.toml"),
            (Some("arms/left.urdf"), "left.toml"),
            (Some("man.glb"), "man-posed.glb"),
            (Some("a/man-posed.glb"), "man-posed.glb"),
            (Some("example:demo"), "demo.toml"),
            (Some("example:two-arms"), "two-arms.toml"),
        ] {
            assert_eq!(name_to_save(current.map(Path::new)), name);
        }
    }
}
