//! What tests of panels and dialogs type and click.

use egui::{Context, Event, FullOutput, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, Ui, Vec2};

/// A key that is pressed.
pub(crate) fn key(key: Key) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE }
}

/// One event per letter.
pub(crate) fn letters(text: &str) -> Vec<Event> {
    text.chars().map(|letter| Event::Text(letter.to_string())).collect()
}

/// A press and a release of the primary button.
pub(crate) fn click(pos: Pos2) -> [Event; 2] {
    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
    [true, false].map(|pressed| Event::PointerButton { pos, button, pressed, modifiers })
}

/// One frame of a picture of this size with these events, and with this content in its corner.
pub(crate) fn frame(context: &Context, size: Vec2, events: Vec<Event>, mut content: impl FnMut(&mut Ui)) -> FullOutput {
    let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
    context.run(RawInput { screen_rect, events, ..RawInput::default() }, |context| {
        egui::Area::new(egui::Id::new("content")).fixed_pos(Pos2::ZERO).show(context, &mut content);
    })
}
