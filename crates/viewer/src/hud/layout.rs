//! All panels: the area that they leave free, the order of their layout, and the one that is too small for a file.

use super::info::Info;
use super::names::file_name;
use super::{help, labels, lesson, panel, race, status, toast, welcome};
use crate::session::Command;
use crate::session::command::Show;
use crate::view::{Area as FreeArea, Insets, Viewer};
use egui::{Align2, Area, Context, Frame, Id, Label, Margin, Order, RichText, Sense, Stroke};
use std::path::PathBuf;

/// Minimum window width at which the side panel is open initially, in points.
const PANEL_WINDOW_WIDTH: f64 = 1000.0;

/// The smallest picture that panels are laid out for, points.
pub const SMALLEST: egui::Vec2 = egui::vec2(320.0, 240.0);

/// Where panels are laid out in a picture of this size in points. A picture smaller than [`SMALLEST`] shows the upper left part of
/// panels for that size.
#[must_use]
pub fn screen(size: egui::Vec2) -> egui::Rect {
    egui::Rect::from_min_size(egui::Pos2::ZERO, size.max(SMALLEST))
}

/// Whether a window of this width, in logical pixels, has enough room beside the side panel.
#[must_use]
pub fn has_room_for_panel(width: f64, font_scale: f32) -> bool {
    width >= PANEL_WINDOW_WIDTH * f64::from(font_scale)
}

/// The part of a picture that the panels leave free. `size` is in points.
#[must_use]
pub fn free_area(viewer: &Viewer, size: [f64; 2]) -> FreeArea {
    if !viewer.display().shows(Show::Hud) {
        return FreeArea::WHOLE;
    }
    FreeArea::between(size, insets(viewer, egui::Vec2::from(size.map(|side| side as f32))))
}

/// The strips of a picture of this size that the panels cover, points.
fn insets(viewer: &Viewer, size: egui::Vec2) -> Insets {
    let session = viewer.session();
    // A race replaces the status panel, which would show the unrelated state of the session.
    let ([left, top], [right, foot]) = match session.race() {
        Some(race) => ([0.0; 2], race::span(race, size)),
        None => (status::span(viewer, size), [panel::span(viewer, size.x), 0.0]),
    };
    let bottom = if session.lesson().is_some() { lesson::span(size) } else { foot };
    Insets { left: left.into(), right: right.into(), top: top.into(), bottom: bottom.into() }
}

/// Lays out all panels and returns the user's commands. `label` names a key of the user's keyboard.
pub fn hud(context: &Context, viewer: &Viewer, info: &Info, label: impl Fn(&str) -> Option<String>) -> Vec<Command> {
    let mut commands = Vec::new();
    let display = viewer.display();
    let key = |command: &str| info.bindings.key_for(&command.parse().ok()?, &label);
    help::share_keys(context, &info.bindings, &label);
    if display.shows(Show::Hud) {
        lesson::lesson(context, viewer, info, &key, &mut commands);
        if viewer.session().race().is_some() {
            race::race(context, viewer, info, &key, &mut commands);
        } else {
            status::status(context, viewer, info, &key, &mut commands);
            panel::panel(context, viewer, info, &key, &mut commands);
        }
    }
    if display.shows(Show::Profiler) && !panel::is_alone(viewer, context.content_rect().width()) {
        status::profiler(context, viewer, info);
    }
    // Painted under the panels but laid out after them, because labels avoid the panels.
    let names = if display.shows(Show::Names) { labels::names(viewer) } else { Vec::new() };
    let pointed = labels::take_pointed(context);
    labels::write(context, viewer, [pointed, labels::teaching(viewer), labels::gaps(viewer), names].concat());
    if display.shows(Show::Help) {
        let lines = info.bindings.help(&label, info.has_gamepad);
        help::help(context, &lines, info.interactive, &key, &mut commands);
    } else {
        help::forget_search(context);
    }
    let is_plain = display.shows(Show::Hud) && !display.shows(Show::Help) && !display.shows(Show::Profiler);
    if info.introduces && is_plain {
        welcome::welcome(context, viewer, info, &key, &mut commands);
    }
    hover(context, &info.hovered);
    toast::toasts(context, &info.toasts, info.interactive, &mut commands);
    commands
}

/// Largest number of file names shown.
const MAX_NAMES: usize = 3;

/// Draws a border around the window and the names of the files in the middle.
fn hover(context: &Context, files: &[PathBuf]) {
    if files.is_empty() {
        return;
    }
    let visuals = &context.style().visuals;
    let color = visuals.selection.bg_fill;
    let painter = context.layer_painter(egui::LayerId::new(Order::Foreground, Id::new("hover-border")));
    let border = context.content_rect().shrink(3.0);
    painter.rect_stroke(border, 8.0, Stroke::new(3.0, color), egui::StrokeKind::Inside);
    let mut names = files.iter().take(MAX_NAMES).map(|file| file_name(file)).collect::<Vec<_>>().join(", ");
    if files.len() > MAX_NAMES {
        names += &format!(" and {} more", files.len() - MAX_NAMES);
    }
    let frame = Frame::window(&context.style()).inner_margin(Margin::symmetric(18, 12)).stroke(Stroke::new(1.5, color));
    let area = Area::new(Id::new("hover")).anchor(Align2::CENTER_CENTER, [0.0, 0.0]).order(Order::Foreground);
    area.sense(Sense::CLICK).show(context, |ui| {
        frame.show(ui, |ui| {
            ui.set_max_width(0.6 * border.width());
            ui.add(Label::new(RichText::new(format!("Drop to open {names}")).heading()).wrap());
        });
    });
}
