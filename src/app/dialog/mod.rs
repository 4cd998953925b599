//! The file dialogs. They are drawn like the panels, without a desktop environment.

mod folder;
mod open_dialog;
#[cfg(test)]
mod tests;

use crate::session::Command;
use egui::{Context, Key, Modal, Ui};
use folder::Purpose;
use open_dialog::{Answer, OpenDialog};
use std::path::{Path, PathBuf};

/// Width of the question about unsaved changes, points.
const WIDTH: f32 = 330.0;

/// What leaves the present scene.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Leaving {
    /// The program ends.
    Quit,
    /// Another scene opens, perhaps with a motion to play in it.
    Open { scene: PathBuf, motion: Option<PathBuf> },
    /// The file of the scene is read again.
    Reload,
}

/// What a dialog answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    /// Carry out a command.
    Do(Command),
    /// Save the scene in a file, then leave it.
    SaveAndLeave(PathBuf, Leaving),
    /// Ask for a file to save the scene in, then leave it.
    AskAndLeave(Leaving),
    /// Leave the scene and lose its changes.
    Discard(Leaving),
}

/// The open dialog, if there is one.
#[derive(Default)]
pub(super) enum Dialog {
    #[default]
    Closed,
    /// A file to choose; for a scene to save, what comes after it.
    File(Box<OpenDialog>, Option<Leaving>),
    /// The question whether to save the changes to the scene with this name.
    Unsaved(String, Leaving),
}

impl Dialog {
    /// Opens the dialog for a scene to open, in the folder of the current one.
    pub fn open_scene(&mut self, current: Option<&Path>) {
        self.choose(Purpose::Open, current, None);
    }

    /// Opens the dialog for a motion to play in the current scene.
    pub fn open_motion(&mut self, current: Option<&Path>) {
        self.choose(Purpose::Motion, current, None);
    }

    /// Opens the dialog to save the scene, and says what comes after it. Suggests the current name with the extension .toml,
    /// or another .glb name for characters.
    pub fn save_scene(&mut self, current: Option<&Path>, then: Option<Leaving>) {
        self.choose(Purpose::Save, current, then);
    }

    /// Asks whether to save the changes to a scene before it is left.
    pub fn ask_to_save(&mut self, scene: &str, leaving: Leaving) {
        *self = Dialog::Unsaved(scene.to_owned(), leaving);
    }

    fn choose(&mut self, purpose: Purpose, current: Option<&Path>, then: Option<Leaving>) {
        *self = Dialog::File(Box::new(OpenDialog::new(purpose, current)), then);
    }

    /// Whether a dialog is open. It then receives all keys.
    pub fn is_open(&self) -> bool {
        !matches!(self, Dialog::Closed)
    }

    /// Lays out the dialog and returns its answer.
    pub fn show(&mut self, context: &Context) -> Option<Reply> {
        if !self.is_open() {
            return None;
        }
        let modal = Modal::new(egui::Id::new("dialog")).frame(egui::Frame::window(&context.style()));
        let shown = modal.show(context, |ui| match self {
            Dialog::Closed => None,
            Dialog::Unsaved(scene, leaving) => question(ui, scene, leaving),
            Dialog::File(dialog, then) => dialog.contents(ui).map(|answer| match (answer, then.take()) {
                (Answer::Cancelled, _) => None,
                (Answer::Chosen(file), Some(leaving)) => Some(Reply::SaveAndLeave(file, leaving)),
                (Answer::Chosen(file), None) => Some(Reply::Do(dialog.purpose.command(file))),
            }),
        });
        let reply = shown.inner.or(shown.backdrop_response.clicked().then_some(None))?;
        *self = Dialog::Closed;
        reply
    }
}

/// The question about unsaved changes. Returns the answer; the inner one is none if the scene stays.
fn question(ui: &mut Ui, scene: &str, leaving: &Leaving) -> Option<Option<Reply>> {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 60.0));
    ui.heading(format!("Save the changes to “{scene}”?"));
    ui.label("Without saving, they are lost.");
    ui.add_space(6.0);
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    let keys = [pressed(Key::Enter), pressed(Key::D), pressed(Key::Escape)];
    let clicked = ui.horizontal(|ui| {
        let buttons = [("Save…", "Enter"), ("Discard", "D"), ("Cancel", "Esc")];
        buttons.map(|(name, key)| ui.add(egui::Button::new(name).shortcut_text(key)).clicked())
    });
    let [saves, discards, cancels]: [bool; 3] = std::array::from_fn(|at| keys[at] || clicked.inner[at]);
    match () {
        () if saves => Some(Some(Reply::AskAndLeave(leaving.clone()))),
        () if discards => Some(Some(Reply::Discard(leaving.clone()))),
        () if cancels => Some(None),
        () => None,
    }
}
