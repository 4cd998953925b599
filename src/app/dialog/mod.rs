//! The file dialogs. They are drawn like the panels, without a desktop environment.

mod folder;
mod open_dialog;
#[cfg(test)]
mod tests;

use crate::session::command::AppCommand;
use crate::session::{Command, FileCommand, MotionCommand, SessionCommand};
use crate::solve::examples::PREFIX;
use egui::{Context, Modal};
use fabrik3d_scene::{Content, FileFormat};
use open_dialog::{Answer, OpenDialog};
use std::path::{Path, PathBuf};

/// Suffix of the file name of a character saved with its pose.
const POSED: &str = "-posed";

/// The purpose of the chosen file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Open,
    Save,
    Motion,
}

impl Purpose {
    fn title(self) -> &'static str {
        match self {
            Purpose::Open => "Open a scene",
            Purpose::Save => "Save the scene",
            Purpose::Motion => "Open a motion",
        }
    }

    /// Whether the list shows files of this format.
    fn offers(self, format: &FileFormat) -> bool {
        match self {
            Purpose::Open => format.is_offered_as_scene(),
            Purpose::Save => format.is_written(),
            Purpose::Motion => format.holds(Content::Motion) || format.holds(Content::Targets),
        }
    }

    fn command(self, file: PathBuf) -> Command {
        match self {
            Purpose::Open => Command::App(AppCommand::File(FileCommand::Open(Some(file)))),
            Purpose::Save => Command::App(AppCommand::File(FileCommand::Save(Some(file)))),
            Purpose::Motion => Command::Session(SessionCommand::Motion(MotionCommand::Open(file))),
        }
    }
}

/// The file dialog, open or closed.
#[derive(Default)]
pub(super) struct Dialog(Option<OpenDialog>);

impl Dialog {
    /// Opens the dialog for a scene to open, in the folder of the current one.
    pub fn open_scene(&mut self, current: Option<&Path>) {
        self.0 = Some(OpenDialog::new(Purpose::Open, current));
    }

    /// Opens the dialog for a motion to play in the current scene.
    pub fn open_motion(&mut self, current: Option<&Path>) {
        self.0 = Some(OpenDialog::new(Purpose::Motion, current));
    }

    /// Opens the dialog to save the scene. Suggests the current name with the extension .toml, or another .glb name for
    /// characters.
    pub fn save_scene(&mut self, current: Option<&Path>) {
        self.0 = Some(OpenDialog::new(Purpose::Save, current));
    }

    /// Whether the dialog is open. It then receives all keys.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Lays out the dialog and returns the command for the chosen file.
    pub fn show(&mut self, context: &Context) -> Option<Command> {
        let dialog = self.0.as_mut()?;
        let modal = Modal::new(egui::Id::new("file dialog")).frame(egui::Frame::window(&context.style()));
        let shown = modal.show(context, |ui| dialog.contents(ui));
        let chosen = match shown.inner {
            Some(Answer::Chosen(file)) => Some(dialog.purpose.command(file)),
            Some(Answer::Cancelled) => None,
            None if shown.backdrop_response.clicked() => None,
            None => return None,
        };
        self.0 = None;
        chosen
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
