//! The introduction at the first start.

use super::info::KeyName;
use crate::view::{Insets, Viewer};
use egui::{Align2, Context, FontId, RichText, vec2};

/// Largest width of the card, and its distance from the edges of the free area, points.
const WIDTH: f32 = 430.0;
const MARGIN: f32 = 16.0;
/// In lower pictures, points, the card would cover other panels.
const MIN_HEIGHT: f32 = 440.0;

/// Lays out a card with three sentences in the free part of the picture, at the bottom. Any action closes it.
pub(super) fn welcome(context: &Context, viewer: &Viewer, insets: Insets, key: KeyName<'_>) {
    let room = context.content_rect();
    let (left, right) = (room.left() + insets.left as f32, room.right() - insets.right as f32);
    let frame = egui::Frame::window(&context.style());
    let width = (right - left - 2.0 * MARGIN - frame.total_margin().sum().x).min(WIDTH);
    let is_small = width < 0.4 * WIDTH || room.height() < MIN_HEIGHT;
    if is_small || viewer.session().lesson().is_some() || viewer.session().race().is_some() {
        return;
    }
    let offset = vec2(0.5 * (left + right) - room.center().x, -MARGIN);
    let learn = key("step.next").unwrap_or_default();
    egui::Window::new("welcome")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::CENTER_BOTTOM, offset)
        .frame(frame.stroke(egui::Stroke::new(1.5, context.style().visuals.selection.bg_fill)))
        .show(context, |ui| {
            ui.set_width(width);
            ui.style_mut().override_font_id = Some(FontId::proportional(15.0));
            ui.label("This figure moves by inverse kinematics: all joints turn so that its end reaches the red ball.");
            ui.label("Drag the ball, or press the arrow keys.");
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                ui.label("Press");
                ui.label(RichText::new(format!(" {learn} ")).code());
                ui.label("to learn step by step how the solver does it.");
            });
        });
}
