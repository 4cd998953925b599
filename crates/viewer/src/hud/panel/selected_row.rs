//! Where a list scrolls when one of its rows is selected, and opens.

use egui::style::ScrollAnimation;
use egui::{Align, Id, Response, Ui, vec2};

/// Time in which a section opens and the panel scrolls to a row that was selected, seconds.
const SCROLL_TIME: f64 = 0.5;

/// Whether another row was selected a moment ago.
pub(super) fn is_new(ui: &Ui, selected: Option<usize>) -> bool {
    let (id, now) = (ui.id().with("selected"), ui.input(|input| input.time));
    ui.data_mut(|data| {
        let (row, since) = data.get_temp_mut_or_insert_with(id, || (None, f64::NEG_INFINITY));
        if *row != selected {
            (*row, *since) = (selected, now);
        }
        now - *since < SCROLL_TIME
    })
}

/// The row that was clicked last: its number, its top, and when that was.
type Clicked = (usize, f32, f64);

fn clicked() -> Id {
    Id::new("clicked row")
}

/// Remembers that a row was clicked.
pub(super) fn remember(ui: &Ui, row: &Response, number: usize) {
    let now = ui.input(|input| input.time);
    ui.data_mut(|data| data.insert_temp(clicked(), (number, row.rect.top(), now)));
}

/// Scrolls to the row that was selected, or keeps it under the pointer that did so: another one above it may have closed.
pub(super) fn show(ui: &Ui, row: &Response, number: usize) {
    let now = ui.input(|input| input.time);
    let last: Option<Clicked> = ui.data(|data| data.get_temp(clicked()));
    match last.filter(|&(last, _, since)| last == number && now - since < 2.0 * SCROLL_TIME) {
        Some((_, top, _)) => ui.scroll_with_delta_animation(vec2(0.0, top - row.rect.top()), ScrollAnimation::none()),
        None => row.scroll_to_me(Some(Align::Center)),
    }
}
