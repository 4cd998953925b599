//! The file dialogs. They are drawn like the panels, without a desktop environment.

mod folder;
mod open_dialog;
#[cfg(test)]
mod tests;

pub(super) use folder::{FileDialogKind, name_to_save};

use egui::{Context, Key, Modal, Ui};
use fabrik3d_viewer::hud::{CommandPalette, Shelf, columns, file_name, key_button, name_control};
use fabrik3d_viewer::session::Command;
use open_dialog::{Answer, OpenDialog};
use std::path::{Path, PathBuf};

/// Width of the dialog for a file beside the shelf, largest height of the shelf, and distance of both from the edges of the window,
/// points.
const BESIDE_SHELF: f32 = 360.0;
const SHELF_HEIGHT: f32 = 560.0;
const SHELF_AROUND: egui::Vec2 = egui::vec2(100.0, 90.0);
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
    /// Leave the scene and lose its changes.
    Discard(Leaving),
}

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
    /// All commands, to find one.
    Palette(Box<CommandPalette>),
}

impl Dialog {
    /// Opens the dialog for a file, in the folder of the current one. `then`: what comes after a scene is saved.
    pub fn choose(&mut self, kind: FileDialogKind, current: Option<&Path>, then: Option<Leaving>) {
        *self = Dialog::File(Box::new(OpenDialog::new(kind, current)), then);
    }

    /// Opens the dialog for a scene at something that is none: in a folder, or with the reason why a file cannot be opened.
    pub fn refuse(&mut self, path: PathBuf) {
        let mut dialog = OpenDialog::new(FileDialogKind::Open, Some(&path));
        dialog.taken(path);
        *self = Dialog::File(Box::new(dialog), None);
    }

    /// Opens the list of all commands. `key` names the key of a command; of the examples, what opens each, and its title.
    pub fn find_command(&mut self, key: impl Fn(&Command) -> Option<String>, examples: &[(String, String)]) {
        *self = Dialog::Palette(Box::new(CommandPalette::new(key, examples)));
    }

    /// Whether the dialog shows the examples.
    pub fn shows_examples(&self) -> bool {
        matches!(self, Dialog::File(dialog, _) if dialog.kind == FileDialogKind::Open)
    }

    /// Whether a dialog is open. It then receives all keys.
    pub fn is_open(&self) -> bool {
        !matches!(self, Dialog::Closed)
    }

    /// What assistive technology calls it.
    fn title(&self) -> &'static str {
        match self {
            Dialog::Closed | Dialog::Palette(_) => "",
            Dialog::File(..) => "Choose a file",
            Dialog::Unsaved(..) | Dialog::Recording(..) => "Question",
        }
    }

    /// Lays out what is behind the dialog. While one is open, the pointer is not there: egui keeps a tooltip that was open as
    /// long as the pointer stays on its widget, above the dialog.
    pub fn behind<T>(&self, context: &Context, panels: impl FnOnce() -> T) -> T {
        if !self.is_open() {
            return panels();
        }
        let pointer = context.input_mut(|input| std::mem::take(&mut input.pointer));
        let laid_out = panels();
        context.input_mut(|input| input.pointer = pointer);
        laid_out
    }

    /// Lays out the dialog, with this shelf where it opens scenes, and returns its answer. `kept`: what a file with this name would hold of the scene.
    pub fn show(&mut self, context: &Context, shelf: &Shelf, kept: impl Fn(&Path) -> Option<String>) -> Option<Reply> {
        if !self.is_open() {
            return None;
        }
        if let Dialog::Palette(palette) = self {
            let reply = palette.show(context)?.map(Reply::Do);
            *self = Dialog::Closed;
            return reply;
        }
        let modal = Modal::new(egui::Id::new("dialog")).frame(egui::Frame::window(&context.style()));
        let title = self.title();
        let shown = modal.show(context, |ui| {
            name_control(ui.ctx(), ui.unique_id(), title);
            match self {
                Dialog::Closed | Dialog::Palette(_) => None,
                Dialog::Unsaved(scene, leaving) => ask_to_save(ui, scene, leaving),
                Dialog::Recording(figure, file) => ask_to_play(ui, figure, file),
                Dialog::File(dialog, then) => {
                    beside_shelf(ui, dialog, shelf, &kept).map(|answer| match (answer, then.take()) {
                        (Answer::Cancelled, _) => None,
                        (Answer::Chosen(file), Some(leaving)) => Some(Reply::SaveAndLeave(file, leaving)),
                        (Answer::Chosen(file), None) => Some(Reply::Do(dialog.kind.command(file))),
                    })
                }
            }
        });
        let reply = shown.inner.or(shown.backdrop_response.clicked().then_some(None))?;
        *self = Dialog::Closed;
        reply
    }
}

/// The dialog for a file, beside the shelf if that has room.
fn beside_shelf(
    ui: &mut Ui,
    dialog: &mut OpenDialog,
    shelf: &Shelf,
    kept: impl Fn(&Path) -> Option<String>,
) -> Option<Answer> {
    let room = ui.ctx().content_rect().size() - SHELF_AROUND;
    let columns = columns(room.x - BESIDE_SHELF);
    if dialog.kind != FileDialogKind::Open || shelf.cards.is_empty() || columns == 0 {
        return dialog.contents(ui, kept);
    }
    ui.horizontal_top(|ui| {
        let answer = ui.vertical(|ui| {
            ui.set_max_width(BESIDE_SHELF);
            dialog.contents(ui, kept)
        });
        ui.separator();
        let clicked = ui.vertical(|ui| shelf.contents(ui, columns, room.y.min(SHELF_HEIGHT)));
        answer.inner.or(clicked.inner.map(Answer::Chosen))
    })
    .inner
}

/// The question about unsaved changes. Returns the answer; the inner one is none if the scene stays.
fn ask_to_save(ui: &mut Ui, scene: &str, leaving: &Leaving) -> Option<Option<Reply>> {
    let texts = match leaving {
        Leaving::Reload => [
            &format!("Read “{scene}” again?"),
            "Pose and pins stay, and targets that the file has not changed. Other changes, such as settings, are lost.",
        ],
        Leaving::Quit | Leaving::Open { .. } => {
            [&format!("Save the changes to “{scene}”?"), "Without saving, they are lost."]
        }
    };
    let save = ("Save…", Key::Enter, Some(Reply::AskAndLeave(leaving.clone())));
    question(ui, texts, [save, ("Discard", Key::D, Some(Reply::Discard(leaving.clone())))])
}

/// The question what to do with a recording. Returns the answer; the inner one is none for nothing.
fn ask_to_play(ui: &mut Ui, figure: &str, file: &Path) -> Option<Option<Reply>> {
    let texts = [&format!("Play “{}” on “{figure}”?", file_name(file)), "Or open it as a scene of its own."];
    let [play, open] =
        [FileDialogKind::Motion, FileDialogKind::Open].map(|kind| Reply::Do(kind.command(file.to_owned())));
    question(ui, texts, [("Play", Key::Enter, Some(play)), ("Open", Key::O, Some(open))])
}

/// A heading with an explanation, and answers with their keys, besides the one that cancels. Returns the answer.
fn question(
    ui: &mut Ui,
    [heading, text]: [&str; 2],
    [first, second]: [(&str, Key, Option<Reply>); 2],
) -> Option<Option<Reply>> {
    ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 60.0));
    ui.heading(heading);
    ui.label(text);
    ui.add_space(6.0);
    let answers = [first, second, ("Cancel", Key::Escape, None)];
    ui.horizontal(|ui| {
        let given = answers.map(|(name, key, answer)| {
            let sign = if key == Key::Escape { "Esc" } else { key.name() };
            let is_clicked = ui.add(key_button(ui, name, Some(sign))).clicked();
            (is_clicked || ui.input(|input| input.key_pressed(key))).then_some(answer)
        });
        given.into_iter().flatten().next()
    })
    .inner
}
