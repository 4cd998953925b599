//! The card of the first start: what to do, and examples to open.

use super::help::key_hints;
use super::info::{Info, KeyName};
use super::spoken::name_by_hint;
use super::style::{MARGIN, fixed_window, panel_area, panel_frame};
use crate::session::command::AppCommand;
use crate::session::{Command, FileCommand};
use crate::view::Viewer;
use egui::{Align, Align2, Button, Context, Label, Layout, Stroke, Ui};

/// Smallest height of the card with frame and margins, points: without a picture.
const LOW_HEIGHT: f32 = 150.0;

/// What its button does.
const CLOSE: &str = "Close for good";

/// Lays out the card below the status panel, where no figure is. A lesson and a comparison replace it.
pub(super) fn welcome(context: &Context, viewer: &Viewer, info: &Info, key: KeyName<'_>, commands: &mut Vec<Command>) {
    let Some(status) = panel_area(context, "status") else { return };
    let room = context.content_rect();
    let height = room.bottom() - status.bottom() - 2.0 * MARGIN;
    let is_busy = viewer.session().lesson().is_some() || viewer.session().race().is_some();
    if is_busy || height < LOW_HEIGHT || status.width() < 200.0 {
        return;
    }
    let frame = panel_frame(context).stroke(Stroke::new(1.5, context.style().visuals.selection.bg_fill));
    let around = frame.total_margin().sum();
    let place = [MARGIN, status.bottom() - room.top() + MARGIN];
    fixed_window("welcome", Align2::LEFT_TOP, place, frame).show(context, |ui| {
        ui.set_width(status.width() - around.x);
        let top = ui.cursor().top();
        what_to_do(ui, viewer, key, commands);
        let rest = height - around.y - (ui.cursor().top() - top);
        if let Some(scene) = info.shelf.some(ui, rest) {
            commands.push(Command::App(AppCommand::File(FileCommand::Open(Some(scene)))));
        }
    });
}

fn what_to_do(ui: &mut Ui, viewer: &Viewer, key: KeyName<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.strong("Welcome");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = ui.add(Button::new("×").small());
            name_by_hint(&close, CLOSE);
            if close.on_hover_text(CLOSE).clicked() {
                commands.push(Command::App(AppCommand::Dismiss(None)));
            }
        });
    });
    let ball = if viewer.session().targets().len() == 1 { "the glowing ball" } else { "a glowing ball" };
    let text = format!("Drag {ball}: all joints turn so that the tip gets there. Drag the background to look around.");
    ui.add(Label::new(text).wrap());
    key_hints(ui, key, &[("open", "all examples"), ("palette", "do anything")], commands);
}
