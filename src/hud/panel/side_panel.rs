//! The side panel and its sections.

use super::{joint, motion, plot, solver, target, tree, view};
use crate::hud::info::Info;
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show};
use crate::view::Stage;
use egui::{Align, Align2, CollapsingHeader, Layout, ScrollArea, Ui};

/// Width of what is in the panel, points.
const WIDTH: f32 = 258.0;
/// Narrowest picture, points, that has room for the panel beside the status, beside a lesson, and at all.
const NARROWEST: f32 = 600.0;
const NARROWEST_LESSON: f32 = 900.0;
const NARROWEST_ALONE: f32 = 306.0;
/// Distance from the edges of the picture, points.
const MARGIN: f32 = 12.0;

/// Whether a picture of this width has the panel.
fn is_open(stage: &Stage, width: f32) -> bool {
    stage.display().shows(Show::Panel) && width >= narrowest(stage)
}

fn narrowest(stage: &Stage) -> f32 {
    if stage.session().lesson().is_some() { NARROWEST_LESSON } else { NARROWEST_ALONE }
}

/// Whether it takes the place of the panels at the left: in a narrow picture there is room for one side.
pub(in crate::hud) fn is_alone(stage: &Stage, width: f32) -> bool {
    let is_shown = stage.display().shows(Show::Hud) && stage.session().race().is_none();
    is_shown && is_open(stage, width) && width < NARROWEST
}

/// What it takes from the picture's width, with its frame and distances.
pub(in crate::hud) fn span(stage: &Stage, width: f32) -> f32 {
    if is_open(stage, width) { WIDTH + 50.0 } else { 0.0 }
}

/// The panel, or the button that opens it.
pub(in crate::hud) fn panel(context: &egui::Context, stage: &Stage, info: &Info, commands: &mut Vec<Command>) {
    let room = context.content_rect().size();
    let show = |on| Command::Display(DisplayCommand::Show(Show::Panel, on));
    if !is_open(stage, room.x) {
        if info.interactive && room.x >= narrowest(stage) {
            egui::Area::new(egui::Id::new("panel-tab")).anchor(Align2::RIGHT_TOP, [-MARGIN, MARGIN]).show(
                context,
                |ui| {
                    if ui.button("⏴ Panel").on_hover_text("Side panel (F4)").clicked() {
                        commands.push(show(true));
                    }
                },
            );
        }
        return;
    }
    let frame = egui::Frame::window(&context.style());
    let height = room.y - 2.0 * MARGIN - frame.total_margin().sum().y;
    egui::Window::new("panel")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::RIGHT_TOP, [-MARGIN, MARGIN])
        .frame(frame)
        .show(context, |ui| {
            ui.set_width(WIDTH);
            ui.set_max_height(height);
            ui.horizontal(|ui| {
                ui.heading("Panel");
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if ui.button("⏵").on_hover_text("Close the panel (F4)").clicked() {
                        commands.push(show(false));
                    }
                });
            });
            ScrollArea::vertical().auto_shrink([false, true]).max_height(ui.available_height()).show(ui, |ui| {
                section(ui, "Target", Opening::Open, |ui| target::target(ui, stage, commands));
                let has_motion = stage.session().motion().is_some();
                let opening = if has_motion { Opening::Open } else { Opening::Closed };
                section(ui, "Motion", opening, |ui| motion::motion(ui, stage, commands));
                section(ui, "Joints", Opening::Open, |ui| tree::tree(ui, stage, commands));
                if let Some(joint) = stage.session().selected_joint() {
                    joint::joint(ui, stage, joint, commands);
                }
                section(ui, "Error by iteration", Opening::Open, |ui| plot::iterations(ui, stage));
                section(ui, "Error over time", Opening::Closed, |ui| plot::residuals(ui, stage));
                section(ui, "Solver", Opening::Open, |ui| solver::solver(ui, stage, commands));
                section(ui, "View", Opening::Closed, |ui| view::view(ui, stage, commands));
                section(ui, "File", Opening::Closed, |ui| view::file(ui, info, commands));
                let warnings = &stage.session().scene().assets.warnings;
                if !warnings.is_empty() {
                    section(ui, "Notes on this file", Opening::Open, |ui| view::notes(ui, warnings));
                }
            });
        });
}

/// Whether a section is open at first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Open,
    Closed,
}

fn section(ui: &mut Ui, title: &str, opening: Opening, content: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(egui::RichText::new(title).strong()).default_open(opening == Opening::Open).show_unindented(
        ui,
        |ui| {
            content(ui);
            ui.add_space(4.0);
        },
    );
}
