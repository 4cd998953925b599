//! The introduction at the first start.

use super::areas;
use super::info::KeyName;
use super::style::{key_cap, panel_frame};
use crate::view::Viewer;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Context, FontId, Label};

/// Distance from the edges of the picture and from the status panel, points.
const MARGIN: f32 = 12.0;
/// Height of the card with frame and margins, points.
const HEIGHT: f32 = 196.0;

/// Lays out a card with three sentences below the status panel, where no figure is. Without enough space there is none.
/// Any action closes it.
pub(super) fn welcome(context: &Context, viewer: &Viewer, key: KeyName<'_>) {
    let Some(status) = areas::shown(context, "status") else { return };
    let room = context.content_rect();
    let has_room = room.bottom() - status.bottom() >= HEIGHT + 2.0 * MARGIN && status.width() > 200.0;
    if !has_room || viewer.session().lesson().is_some() || viewer.session().race().is_some() {
        return;
    }
    let frame = panel_frame(context);
    let width = status.width() - frame.total_margin().sum().x;
    let learn = key("step.next").unwrap_or_default();
    egui::Window::new("welcome")
        .title_bar(false)
        .resizable(false)
        .movable(false)
        .anchor(Align2::LEFT_TOP, [MARGIN, status.bottom() - room.top() + MARGIN])
        .frame(frame.stroke(egui::Stroke::new(1.5, context.style().visuals.selection.bg_fill)))
        .show(context, |ui| {
            ui.set_width(width);
            ui.style_mut().override_font_id = Some(FontId::proportional(14.0));
            ui.label(
                "All joints of this figure turn so that its tip reaches the glowing ball. That is inverse kinematics.",
            );
            ui.label("Drag the ball, or press the arrow keys.");
            let text = TextFormat::simple(FontId::proportional(14.0), ui.visuals().text_color());
            let mut job = LayoutJob::default();
            job.append("Press ", 0.0, text.clone());
            key_cap(ui, &learn, &mut job);
            job.append(" to see step by step how the solver does it.", 0.0, text);
            ui.add(Label::new(job).wrap());
        });
}
