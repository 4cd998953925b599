//! The file dialogs. They are drawn like the panels, without a desktop environment.

mod folder;
mod open_dialog;
mod purpose;
#[cfg(test)]
mod tests;

use crate::session::Command;
use egui::{Context, Modal};
use open_dialog::{Answer, OpenDialog};
use purpose::Purpose;
use std::path::Path;

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
