//! The panel of an open lesson: which stage it is at, what the step did and why, and the way through the steps.

use super::style::quiet;
use crate::session::lesson::{Lesson, StepCommand, Unit};
use crate::session::{Command, SessionCommand};
use crate::view::Stage;
use egui::{Align2, RichText, Slider, Ui};

/// Width of the panel where there is room for it, points.
const WIDTH: f32 = 600.0;
/// What it takes from the picture's height, with its frame and distances, whatever it says.
pub(super) const SPAN: f32 = 170.0;

/// The lesson's panel, in the middle below.
pub(super) fn lesson(context: &egui::Context, stage: &Stage, commands: &mut Vec<Command>) {
    let session = stage.session();
    let Some(lesson) = session.lesson() else { return };
    let mut give = |command| commands.push(Command::Session(SessionCommand::Step(command)));
    egui::Window::new("lesson")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::CENTER_BOTTOM, [0.0, -12.0])
        .frame(egui::Frame::window(&context.style()))
        .show(context, |ui| {
            ui.set_width(WIDTH.min(context.content_rect().width() - 48.0));
            let step = lesson.step();
            ui.horizontal(|ui| {
                ui.heading(step.title());
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    ui.colored_label(quiet(ui), place(lesson, stage));
                });
            });
            ui.label(step.sentence());
            ui.add_space(2.0);
            scrub(ui, lesson, &mut give);
            ui.horizontal(|ui| buttons(ui, lesson, session.step_unit(), &mut give));
        });
}

/// `textbook   iteration 2   error 3.1 %`
fn place(lesson: &Lesson, stage: &Stage) -> String {
    let step = lesson.step();
    let method = stage.session().scene().settings.method.name();
    let error = 100.0 * step.error();
    let error = if error >= 0.01 { format!("{error:.2} %") } else { format!("{error:.0e} %") };
    match step.act().iteration {
        0 => format!("{method}   error {error}"),
        iteration => format!("{method}   iteration {iteration}   error {error}"),
    }
}

/// The slider over all steps.
fn scrub(ui: &mut Ui, lesson: &Lesson, give: &mut impl FnMut(StepCommand)) {
    let mut number = lesson.cursor();
    let last = lesson.len() - 1;
    ui.horizontal(|ui| {
        let count = format!("{} / {last}", lesson.cursor());
        ui.spacing_mut().slider_width = ui.available_width() - 78.0;
        if ui.add(Slider::new(&mut number, 0..=last.max(1)).show_value(false)).changed() {
            give(StepCommand::To(number));
        }
        ui.monospace(count);
    });
}

fn buttons(ui: &mut Ui, lesson: &Lesson, unit: Unit, give: &mut impl FnMut(StepCommand)) {
    let at_start = lesson.cursor() == 0;
    let at_end = lesson.cursor() + 1 == lesson.len();
    let mut button = |ui: &mut Ui, enabled: bool, text: &str, key: &str, command: StepCommand| {
        if ui.add_enabled(enabled, egui::Button::new(text)).on_hover_text(key).clicked() {
            give(command);
        }
    };
    button(ui, !at_start, "< Back", "Comma", StepCommand::Back);
    button(ui, !at_end, "On >", "Full stop", StepCommand::Next);
    let play = if lesson.is_playing() { "Stop" } else { "Play" };
    button(ui, lesson.len() > 1, play, "Space", StepCommand::Play);
    ui.separator();
    for (choice, text) in [(Unit::Joint, "by joint"), (Unit::Pass, "by pass")] {
        let text = RichText::new(text);
        let text = if unit == choice { text.color(egui::Color32::WHITE) } else { text };
        if ui.selectable_label(unit == choice, text).on_hover_text("Semicolon").clicked() {
            give(StepCommand::Unit(Some(choice)));
        }
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        if ui.button("Close").on_hover_text("Esc").clicked() {
            give(StepCommand::Close);
        }
        ui.colored_label(quiet(ui), RichText::new(",  .  step    ;  joint or pass    Space  play").small());
    });
}
