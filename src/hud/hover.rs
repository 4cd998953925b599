//! The word over the picture while files are held over the window: letting go opens them.

use egui::{Align2, Area, Context, Frame, Id, Margin, Order, RichText, Stroke};
use std::path::PathBuf;

/// Most names that are told.
const MOST: usize = 3;

/// Lays it out: a border around the window, and what is about to be opened in the middle.
pub(super) fn hover(context: &Context, files: &[PathBuf]) {
    if files.is_empty() {
        return;
    }
    let visuals = &context.style().visuals;
    let color = visuals.selection.bg_fill;
    let painter = context.layer_painter(egui::LayerId::new(Order::Foreground, Id::new("hover-border")));
    let border = context.content_rect().shrink(3.0);
    painter.rect_stroke(border, 8.0, Stroke::new(3.0, color), egui::StrokeKind::Inside);
    let names = files.iter().take(MOST).map(|file| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
    let mut names = names.collect::<Vec<_>>().join(", ");
    if files.len() > MOST {
        names += &format!(" and {} more", files.len() - MOST);
    }
    let frame = Frame::window(&context.style()).inner_margin(Margin::symmetric(18, 12)).stroke(Stroke::new(1.5, color));
    let fill = visuals.window_fill.to_opaque();
    Area::new(Id::new("hover")).anchor(Align2::CENTER_CENTER, [0.0, 0.0]).order(Order::Foreground).show(
        context,
        |ui| {
            frame.fill(fill).show(ui, |ui| {
                ui.set_max_width(0.6 * border.width());
                ui.add(egui::Label::new(RichText::new(format!("Let go to open {names}")).heading()).wrap());
            });
        },
    );
}
