//! The message while files are dragged over the window.

use egui::{Align2, Area, Context, Frame, Id, Margin, Order, RichText, Stroke};
use std::path::PathBuf;

/// Largest number of file names shown.
const MAX_NAMES: usize = 3;

/// Draws a border around the window and the names of the files in the middle.
pub(super) fn hover(context: &Context, files: &[PathBuf]) {
    if files.is_empty() {
        return;
    }
    let visuals = &context.style().visuals;
    let color = visuals.selection.bg_fill;
    let painter = context.layer_painter(egui::LayerId::new(Order::Foreground, Id::new("hover-border")));
    let border = context.content_rect().shrink(3.0);
    painter.rect_stroke(border, 8.0, Stroke::new(3.0, color), egui::StrokeKind::Inside);
    let names = files.iter().take(MAX_NAMES).map(|file| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
    let mut names = names.collect::<Vec<_>>().join(", ");
    if files.len() > MAX_NAMES {
        names += &format!(" and {} more", files.len() - MAX_NAMES);
    }
    let frame = Frame::window(&context.style()).inner_margin(Margin::symmetric(18, 12)).stroke(Stroke::new(1.5, color));
    Area::new(Id::new("hover")).anchor(Align2::CENTER_CENTER, [0.0, 0.0]).order(Order::Foreground).show(
        context,
        |ui| {
            frame.show(ui, |ui| {
                ui.set_max_width(0.6 * border.width());
                ui.add(egui::Label::new(RichText::new(format!("Drop to open {names}")).heading()).wrap());
            });
        },
    );
}
