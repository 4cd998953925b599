//! The gallery: recent files, and the examples as pictures. The dialog that opens scenes shows all of it, the card of the first start
//! as many pictures as fit.

use super::names::file_name;
use super::style::{MARGIN, SCROLL_BAR, TIGHT};
use egui::{
    CursorIcon, Image, Label, RichText, ScrollArea, Sense, Stroke, StrokeKind, TextStyle, TextureId, Ui, UiBuilder,
    Vec2, WidgetInfo, WidgetType, vec2,
};
use std::path::PathBuf;

/// Size of a picture, and height of the text below it, points.
pub const PICTURE: Vec2 = vec2(160.0, 90.0);
const TEXT: f32 = 66.0;
/// Most cards beside each other.
const MOST_COLUMNS: f32 = 4.0;
/// Columns on the card of the first start.
const FEW_COLUMNS: usize = 2;

/// Recent files and examples.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The scenes that come with the program.
    pub cards: Vec<Card>,
    /// Recently opened files, newest first.
    pub recent: Vec<PathBuf>,
}

/// An example.
#[derive(Clone, Debug)]
pub struct Card {
    /// What opens it.
    pub path: PathBuf,
    /// Its name.
    pub title: String,
    /// What it is.
    pub line: String,
    /// None until it is drawn.
    pub picture: Option<TextureId>,
}

/// Number of columns of cards in a window that leaves this width.
#[must_use]
pub fn columns(width: f32) -> usize {
    ((width - SCROLL_BAR) / (PICTURE.x + MARGIN)).floor().clamp(0.0, MOST_COLUMNS) as usize
}

/// Width of so many columns.
fn width(columns: usize) -> f32 {
    columns as f32 * (PICTURE.x + MARGIN) + SCROLL_BAR
}

impl Shelf {
    /// Lays out recent files and cards. Returns what was clicked.
    pub fn contents(&self, ui: &mut Ui, columns: usize, height: f32) -> Option<PathBuf> {
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
                ui.add_space(MARGIN);
            }
            ui.strong("Examples");
            clicked = clicked.take().or(cards(ui, &self.cards, columns, (PICTURE, Some(TEXT))));
        });
        clicked
    }

    /// Lays out as many cards as fit in this height, without what the examples are. Returns what was clicked.
    pub(super) fn some(&self, ui: &mut Ui, height: f32) -> Option<PathBuf> {
        let width = (ui.available_width() - MARGIN * (FEW_COLUMNS - 1) as f32) / FEW_COLUMNS as f32;
        let picture = vec2(width, width * PICTURE.y / PICTURE.x);
        let space = ui.spacing().item_spacing.y;
        let title = ui.text_style_height(&TextStyle::Body);
        let rows = (height / (picture.y + TIGHT + title + space)).floor().max(0.0) as usize;
        let count = self.cards.len().min(rows * FEW_COLUMNS);
        cards(ui, &self.cards[..count], FEW_COLUMNS, (picture, None))
    }
}

/// Lays out cards in rows, with pictures of this size, and below them texts of this height or titles alone. Returns what was
/// clicked.
fn cards(ui: &mut Ui, cards: &[Card], columns: usize, size: (Vec2, Option<f32>)) -> Option<PathBuf> {
    let mut clicked = None;
    for row in cards.chunks(columns.max(1)) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = MARGIN;
            for card in row {
                if ui.vertical(|ui| card.show(ui, size)).inner {
                    clicked = Some(card.path.clone());
                }
            }
        });
    }
    clicked
}

impl Card {
    /// Lays it out. Returns whether it was clicked.
    fn show(&self, ui: &mut Ui, (picture, text): (Vec2, Option<f32>)) -> bool {
        ui.set_width(picture.x);
        ui.spacing_mut().item_spacing.y = TIGHT;
        let (place, response) = ui.allocate_exact_size(picture, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("Open {}", self.title)));
        let visuals = ui.visuals();
        ui.painter().rect_filled(place, 4.0, visuals.extreme_bg_color);
        if let Some(texture) = self.picture {
            Image::new((texture, picture)).corner_radius(4.0).paint_at(ui, place);
        }
        if response.hovered() {
            let stroke = Stroke::new(1.5, ui.visuals().selection.bg_fill);
            ui.painter().rect_stroke(place, 4.0, stroke, StrokeKind::Outside);
        }
        let response = response.on_hover_cursor(CursorIcon::PointingHand);
        let title = Label::new(RichText::new(&self.title).strong()).truncate();
        match text {
            None => drop(ui.add(title)),
            Some(height) => {
                let (text, _) = ui.allocate_exact_size(vec2(picture.x, height), Sense::hover());
                ui.scope_builder(UiBuilder::new().max_rect(text), |ui| {
                    ui.set_clip_rect(text.intersect(ui.clip_rect()));
                    ui.add(title);
                    ui.add(Label::new(RichText::new(&self.line).small().weak()).wrap());
                });
            }
        }
        response.on_hover_text(&self.line).clicked()
    }
}
