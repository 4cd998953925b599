//! The card of the first start: what to try, with a mark at what has been done.

use super::help::key_hints;
use super::info::{FirstSteps, KeyName};
use super::status::COMPARE;
use super::style::{fixed_window, panel_area, panel_frame, quiet};
use crate::session::Command;
use crate::session::command::AppCommand;
use crate::view::Viewer;
use egui::{Align, Align2, Button, Context, Label, Layout, RichText, Stroke, TextStyle, Ui};

/// Distance from the edges of the picture and from the status panel, points.
const MARGIN: f32 = 12.0;
/// Width of the marks, which differ in theirs, points.
const MARK: f32 = 14.0;
/// Height of the card with frame and margins, points: of all of it, and of the next step alone.
const HEIGHT: f32 = 208.0;
const LOW_HEIGHT: f32 = 90.0;

/// Lays out the card below the status panel, where no figure is; with little space only what to try next. A lesson and a
/// comparison replace it.
pub(super) fn welcome(
    context: &Context,
    viewer: &Viewer,
    steps: FirstSteps,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(status) = panel_area(context, "status") else { return };
    let room = context.content_rect();
    let height = room.bottom() - status.bottom() - 2.0 * MARGIN;
    let is_busy = viewer.session().lesson().is_some() || viewer.session().race().is_some();
    if is_busy || height < LOW_HEIGHT || status.width() < 200.0 {
        return;
    }
    let frame = panel_frame(context).stroke(Stroke::new(1.5, context.style().visuals.selection.bg_fill));
    let width = status.width() - frame.total_margin().sum().x;
    let place = [MARGIN, status.bottom() - room.top() + MARGIN];
    fixed_window("welcome", Align2::LEFT_TOP, place, frame).show(context, |ui| {
        ui.set_width(width);
        ui.horizontal(|ui| {
            ui.strong("First steps");
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(Button::new("×").small()).on_hover_text("Close for good").clicked() {
                    commands.push(Command::App(AppCommand::Dismiss(None)));
                }
            });
        });
        let open = steps.0.iter().position(|done| !done);
        for (at, done) in steps.0.into_iter().enumerate().filter(|(at, _)| height >= HEIGHT || open == Some(*at)) {
            ui.horizontal_top(|ui| {
                let mark = RichText::new(if done { "✔" } else { "○" }).color(quiet(ui));
                ui.add_sized([MARK, ui.text_style_height(&TextStyle::Body)], Label::new(mark));
                ui.vertical(|ui| step(ui, viewer, (at, done), key, commands));
            });
        }
    });
}

fn step(ui: &mut Ui, viewer: &Viewer, (at, done): (usize, bool), key: KeyName<'_>, commands: &mut Vec<Command>) {
    let drag = match viewer.session().targets().len() {
        1 => "Drag the glowing ball: all joints turn so that the tip gets there. That is inverse kinematics.",
        _ => {
            "Drag a ball or a ring: the joints move so that its hand, foot or tool gets there. That is inverse kinematics."
        }
    };
    let keys = [("step.next", "see how, step by step"), (COMPARE, "compare methods"), ("screenshot", "save a picture")];
    let text = match at {
        0 => drag,
        1 => "Drag the background to look around, turn the wheel to zoom.",
        _ => return key_hints(ui, key, &keys[at - 2..=at - 2], commands),
    };
    let text = RichText::new(text);
    ui.add(Label::new(if done { text.color(quiet(ui)) } else { text }).wrap());
}
