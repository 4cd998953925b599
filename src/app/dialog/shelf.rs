//! What the dialog that opens scenes offers beside files: recent ones, and the examples as pictures.

use egui::{Label, RichText, ScrollArea, Sense, Stroke, StrokeKind, TextureId, Ui, Vec2, vec2};
use fabrik3d_viewer::hud::file_name;
use std::path::PathBuf;

/// Size of a picture, space between cards, and height of the text below a picture, points.
pub(in crate::app) const PICTURE: Vec2 = vec2(160.0, 90.0);
const GAP: f32 = 10.0;
const TEXT: f32 = 66.0;
/// Most cards beside each other.
const MOST_COLUMNS: f32 = 4.0;
/// Room for the scroll bar, points.
const SCROLL_BAR: f32 = 14.0;

/// Recent files and examples.
#[derive(Default)]
pub(in crate::app) struct Shelf {
    pub cards: Vec<Card>,
    pub recent: Vec<PathBuf>,
}

/// An example.
pub(in crate::app) struct Card {
    /// What opens it.
    pub path: PathBuf,
    pub title: String,
    /// What it is.
    pub line: String,
    /// None until it is drawn.
    pub picture: Option<TextureId>,
}

/// Number of columns of cards in a window that leaves this width.
pub(super) fn columns(width: f32) -> usize {
    ((width - SCROLL_BAR) / (PICTURE.x + GAP)).floor().clamp(0.0, MOST_COLUMNS) as usize
}

/// Width of so many columns.
pub(super) fn width(columns: usize) -> f32 {
    columns as f32 * (PICTURE.x + GAP) + SCROLL_BAR
}

impl Shelf {
    /// Lays out recent files and cards. Returns what was clicked.
    pub(super) fn contents(&self, ui: &mut Ui, columns: usize, height: f32) -> Option<PathBuf> {
        let mut clicked = None;
        ui.set_width(width(columns));
        let list = ScrollArea::vertical().id_salt("shelf").max_height(height).min_scrolled_height(height);
        list.auto_shrink([false, true]).show(ui, |ui| {
            if !self.recent.is_empty() {
                ui.strong("Recent files");
                for file in &self.recent {
                    let link = ui.link(file_name(file)).on_hover_text(file.display().to_string());
                    if link.clicked() {
                        clicked = Some(file.clone());
                    }
                }
                ui.add_space(GAP);
            }
            ui.strong("Examples");
            for row in self.cards.chunks(columns.max(1)) {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = GAP;
                    for card in row {
                        if ui.vertical(|ui| card.show(ui)).inner {
                            clicked = Some(card.path.clone());
                        }
                    }
                });
            }
        });
        clicked
    }
}

impl Card {
    /// Lays it out. Returns whether it was clicked.
    fn show(&self, ui: &mut Ui) -> bool {
        ui.set_width(PICTURE.x);
        ui.spacing_mut().item_spacing.y = 2.0;
        let (place, response) = ui.allocate_exact_size(PICTURE, Sense::click());
        let visuals = ui.visuals();
        ui.painter().rect_filled(place, 4.0, visuals.extreme_bg_color);
        if let Some(picture) = self.picture {
            egui::Image::new((picture, PICTURE)).corner_radius(4.0).paint_at(ui, place);
        }
        if response.hovered() {
            let stroke = Stroke::new(1.5, ui.visuals().selection.bg_fill);
            ui.painter().rect_stroke(place, 4.0, stroke, StrokeKind::Outside);
        }
        let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
        let (text, _) = ui.allocate_exact_size(vec2(PICTURE.x, TEXT), Sense::hover());
        ui.scope_builder(egui::UiBuilder::new().max_rect(text), |ui| {
            ui.set_clip_rect(text.intersect(ui.clip_rect()));
            ui.add(Label::new(RichText::new(&self.title).strong()).truncate());
            ui.add(Label::new(RichText::new(&self.line).small().weak()).wrap());
        });
        response.on_hover_text(&self.line).clicked()
    }
}
