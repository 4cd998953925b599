//! Colours and sizes of the panels.

use crate::session::command::Theme;
use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Visuals};

/// Dresses the panels for a theme.
pub fn apply_theme(context: &egui::Context, theme: Theme) {
    let mut visuals = match theme {
        Theme::Dark => Visuals::dark(),
        Theme::Light => Visuals::light(),
    };
    let (fill, edge, text) = match theme {
        Theme::Dark => (
            Color32::from_rgba_unmultiplied(28, 32, 39, 228),
            Color32::from_rgb(62, 69, 80),
            Color32::from_rgb(226, 230, 236),
        ),
        Theme::Light => (
            Color32::from_rgba_unmultiplied(252, 253, 255, 236),
            Color32::from_rgb(208, 214, 222),
            Color32::from_rgb(34, 40, 49),
        ),
    };
    visuals.window_fill = fill;
    visuals.panel_fill = fill;
    visuals.window_stroke = Stroke::new(1.0, edge);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.window_shadow = egui::Shadow::NONE;
    let widgets = &mut visuals.widgets;
    for look in [
        &mut widgets.noninteractive,
        &mut widgets.inactive,
        &mut widgets.hovered,
        &mut widgets.active,
        &mut widgets.open,
    ] {
        look.fg_stroke.color = text;
    }
    visuals.selection.bg_fill = Color32::from_rgb(0, 114, 178);
    visuals.selection.stroke.color = Color32::WHITE;
    visuals.slider_trailing_fill = true;
    context.set_visuals(visuals);
    context.style_mut(|style| {
        for (kind, size) in [
            (TextStyle::Heading, 16.0),
            (TextStyle::Body, 13.0),
            (TextStyle::Button, 13.0),
            (TextStyle::Monospace, 12.5),
            (TextStyle::Small, 11.0),
        ] {
            let family = if kind == TextStyle::Monospace { FontFamily::Monospace } else { FontFamily::Proportional };
            style.text_styles.insert(kind, FontId::new(size, family));
        }
        style.spacing.item_spacing = egui::vec2(8.0, 5.0);
        style.spacing.window_margin = Margin::same(12);
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        style.spacing.scroll.dormant_handle_opacity = 0.6;
        style.spacing.scroll.dormant_background_opacity = 0.0;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.0;
    });
}

/// Colour of a quiet remark.
pub(super) fn quiet(ui: &egui::Ui) -> Color32 {
    ui.visuals().text_color().gamma_multiply(0.62)
}
