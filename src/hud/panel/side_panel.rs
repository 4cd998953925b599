//! The side panel and its sections.

use super::{joint, motion, plot, solver, target, tree, view};
use crate::hud::info::Info;
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show};
use crate::view::Viewer;
use egui::{Align, Align2, CollapsingHeader, Label, Layout, RichText, ScrollArea, Ui};

/// Width of the content, points.
const WIDTH: f32 = 258.0;
/// Minimum width of a picture, points, for the panel beside the status panel, beside a lesson, and alone.
const MIN_WIDTH: f32 = 600.0;
const MIN_WIDTH_LESSON: f32 = 900.0;
const MIN_WIDTH_ALONE: f32 = 306.0;
/// Width reserved for the button that closes the panel, points.
const CLOSE_WIDTH: f32 = 34.0;
/// Distance from the edges of the picture, points.
const MARGIN: f32 = 12.0;

/// Whether a picture of this width shows the panel.
fn is_open(viewer: &Viewer, width: f32) -> bool {
    viewer.display().shows(Show::Panel) && width >= min_width(viewer)
}

/// Minimum width of a picture that shows the panel, points.
fn min_width(viewer: &Viewer) -> f32 {
    if viewer.session().lesson().is_some() { MIN_WIDTH_LESSON } else { MIN_WIDTH_ALONE }
}

/// Whether the panel replaces the panels on the left, as it does in narrow pictures.
pub(in crate::hud) fn is_alone(viewer: &Viewer, width: f32) -> bool {
    let is_shown = viewer.display().shows(Show::Hud) && viewer.session().race().is_none();
    is_shown && is_open(viewer, width) && width < MIN_WIDTH
}

/// The width that the panel takes from the picture, including frame and margins.
pub(in crate::hud) fn span(viewer: &Viewer, width: f32) -> f32 {
    if is_open(viewer, width) { WIDTH + 50.0 } else { 0.0 }
}

/// Lays out the panel, or the button that opens it.
pub(in crate::hud) fn panel(context: &egui::Context, viewer: &Viewer, info: &Info, commands: &mut Vec<Command>) {
    let room = context.content_rect().size();
    let show = |on| Command::Display(DisplayCommand::Show(Show::Panel, on));
    if !is_open(viewer, room.x) {
        if info.interactive && room.x >= min_width(viewer) {
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
                ui.scope(|ui| {
                    ui.set_max_width(WIDTH - CLOSE_WIDTH);
                    let name = &viewer.session().scene().name;
                    let name = if name.is_empty() { "Untitled scene" } else { name };
                    ui.add(Label::new(RichText::new(name).heading()).truncate());
                });
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if ui.button("⏵").on_hover_text("Close the panel (F4)").clicked() {
                        commands.push(show(false));
                    }
                });
            });
            ScrollArea::vertical().auto_shrink([false, true]).max_height(ui.available_height()).show(ui, |ui| {
                section(ui, "Target", Opening::Open, |ui| target::target(ui, viewer, commands));
                let has_motion = viewer.session().motion().is_some();
                let opening = if has_motion { Opening::Open } else { Opening::Closed };
                section(ui, "Motion", opening, |ui| motion::motion(ui, viewer, commands));
                section(ui, "Joints", Opening::Open, |ui| tree::tree(ui, viewer, commands));
                if let Some(joint) = viewer.session().selected_joint() {
                    joint::joint(ui, viewer, joint, commands);
                }
                section(ui, "Error by iteration", Opening::Open, |ui| plot::iterations(ui, viewer));
                section(ui, "Error over time", Opening::Closed, |ui| plot::residuals(ui, viewer));
                section(ui, "Solver", Opening::Open, |ui| solver::solver(ui, viewer, commands));
                section(ui, "View", Opening::Closed, |ui| view::view(ui, viewer, commands));
                section(ui, "File", Opening::Closed, |ui| view::file(ui, info, commands));
                let warnings = &viewer.session().scene().assets.warnings;
                if !warnings.is_empty() {
                    section(ui, "Warnings", Opening::Open, |ui| view::warnings(ui, warnings));
                }
            });
        });
}

/// Whether a section is open initially.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Open,
    Closed,
}

/// A collapsible section.
fn section(ui: &mut Ui, title: &str, opening: Opening, content: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(RichText::new(title).strong()).default_open(opening == Opening::Open).show_unindented(
        ui,
        |ui| {
            content(ui);
            ui.add_space(4.0);
        },
    );
}
