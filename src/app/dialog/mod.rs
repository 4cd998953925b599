//! The file dialogs. They are drawn like the panels, without a desktop environment.

mod folder;
mod open_dialog;
#[cfg(test)]
mod tests;

pub(super) use folder::Purpose;

use crate::session::Command;
use egui::{Context, Key, Modal, Ui};
use open_dialog::{Answer, OpenDialog};
use std::path::{Path, PathBuf};

/// Width of a question, points.
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
    /// Leave the scene; the next question is about its changes.
    Leave(Leaving),
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
    /// The question whether to play a recording on the figure with this name, or to open it.
    Recording(String, PathBuf),
}

impl Dialog {
    /// Opens the dialog for a file, in the folder of the current one. `then`: what comes after a scene is saved.
    pub fn choose(&mut self, purpose: Purpose, current: Option<&Path>, then: Option<Leaving>) {
        *self = Dialog::File(Box::new(OpenDialog::new(purpose, current)), then);
    }

    /// Whether a dialog is open. It then receives all keys.
    pub fn is_open(&self) -> bool {
        !matches!(self, Dialog::Closed)
    }

    /// Lays out the dialog and returns its answer. `kept`: what a file with this name would hold of the scene.
    pub fn show(&mut self, context: &Context, kept: impl Fn(&Path) -> Option<String>) -> Option<Reply> {
        if !self.is_open() {
            return None;
        }
        let modal = Modal::new(egui::Id::new("dialog")).frame(egui::Frame::window(&context.style()));
        let shown = modal.show(context, |ui| match self {
            Dialog::Closed => None,
            Dialog::Unsaved(scene, leaving) => ask_to_save(ui, scene, leaving),
            Dialog::Recording(figure, file) => ask_to_play(ui, figure, file),
            Dialog::File(dialog, then) => dialog.contents(ui, &kept).map(|answer| match (answer, then.take()) {
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
fn ask_to_save(ui: &mut Ui, scene: &str, leaving: &Leaving) -> Option<Option<Reply>> {
    let texts = [&format!("Save the changes to “{scene}”?"), "Without saving, they are lost."];
    let answers = [("Save…", "Enter", Key::Enter), ("Discard", "D", Key::D), ("Cancel", "Esc", Key::Escape)];
    question(ui, texts, answers).map(|answer| match answer {
        0 => Some(Reply::AskAndLeave(leaving.clone())),
        1 => Some(Reply::Discard(leaving.clone())),
        _ => None,
    })
}

/// The question what to do with a recording. Returns the answer; the inner one is none for nothing.
fn ask_to_play(ui: &mut Ui, figure: &str, file: &Path) -> Option<Option<Reply>> {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let texts = [&format!("Play “{name}” on “{figure}”?"), "Or open it as a scene of its own."];
    let answers = [("Play", "Enter", Key::Enter), ("Open", "O", Key::O), ("Cancel", "Esc", Key::Escape)];
    question(ui, texts, answers).map(|answer| match answer {
        0 => Some(Reply::Do(Purpose::Motion.command(file.to_owned()))),
        1 => Some(Reply::Leave(Leaving::Open { scene: file.to_owned(), motion: None })),
        _ => None,
    })
}

/// A heading with an explanation, and three answers, each with its key. Returns the index of the answer.
fn question(ui: &mut Ui, [heading, text]: [&str; 2], answers: [(&str, &str, Key); 3]) -> Option<usize> {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 60.0));
    ui.heading(heading);
    ui.label(text);
    ui.add_space(6.0);
    let pressed = answers.map(|(_, _, key)| ui.input(|input| input.key_pressed(key)));
    let clicked =
        ui.horizontal(|ui| answers.map(|(name, key, _)| ui.add(egui::Button::new(name).shortcut_text(key)).clicked()));
    (0..answers.len()).find(|&at| pressed[at] || clicked.inner[at])
}
