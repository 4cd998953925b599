//! Fields for numbers.

use super::style::NO_BREAK;
use crate::session::{Command, SessionCommand};
use egui::emath::{Numeric, format_with_decimals_in_range};
use egui::{Context, DragValue, Id, Response};
use fabrik3d_scene::{Scene, fixed};
use std::ops::RangeInclusive;

/// Most characters of a number in a field. A longer one would push other things out of the panel.
pub(super) const MAX_LENGTH: usize = 7;

/// A number with at most this many decimals: fewer in a long number, and an exponent in one that is longer than `length`
/// characters even without decimals.
pub(super) fn brief(value: f64, decimals: usize, length: usize) -> String {
    let mut texts = (0..=decimals).rev().map(|decimals| fixed(value, decimals));
    texts.find(|text| text.len() <= length).unwrap_or_else(|| format!("{value:.1e}"))
}

/// What follows a length: a space and its unit, if the scene tells it.
pub(super) fn length_suffix(scene: &Scene) -> String {
    scene.length_unit().map_or_else(String::new, |unit| format!("{NO_BREAK}{unit}"))
}

/// A field for a number. A number that is typed acts when it is complete, that is with Enter or when the field loses
/// the focus, so that it is one undo step and nothing moves to the numbers on the way to it. Esc discards it. Its response
/// counts every typed digit as a change: compare the value with the one before. [`take_refused`] returns what is no number.
pub(super) fn number<'a, Number: Numeric>(context: &Context, value: &'a mut Number) -> DragValue<'a> {
    let field = DragValue::new(value).update_while_editing(false).custom_formatter(|value, decimals| {
        let most = *decimals.end();
        let text = format_with_decimals_in_range(value, decimals);
        if text.len() <= MAX_LENGTH { text } else { brief(value, most, MAX_LENGTH) }
    });
    field.custom_parser(parser(context))
}

/// Reads a typed number, with a decimal point or comma, and perhaps with the sign that the field shows.
pub(super) fn parser(context: &Context) -> impl Fn(&str) -> Option<f64> + use<> {
    let context = context.clone();
    move |text| {
        let plain = text.trim().trim_end_matches(['°', 'x']).trim_end().replace(',', ".").replace('\u{2212}', "-");
        let number = plain.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            context.data_mut(|data| data.insert_temp(refused(), text.to_owned()));
        }
        number
    }
}

fn refused() -> Id {
    Id::new("refused number")
}

/// What was typed into a field and is no number.
pub fn take_refused(context: &Context) -> Option<String> {
    context.data_mut(|data| data.remove_temp(refused()))
}

/// What a widget makes of a value, if that is another one.
pub(super) fn changed<Value: Copy + PartialEq>(
    before: Value,
    widget: impl FnOnce(&mut Value) -> Response,
) -> Option<Value> {
    let mut value = before;
    widget(&mut value);
    (value != before).then_some(value)
}

/// What a field makes of a number, if that is another one. A new undo step begins with a drag, with every number that is typed
/// and with every click on a slider.
pub(super) fn changed_in_steps(
    before: f64,
    commands: &mut Vec<Command>,
    field: impl FnOnce(&mut f64) -> Response,
) -> Option<f64> {
    let mut value = before;
    let field = field(&mut value);
    let is_changed = value != before;
    if field.drag_started() || (is_changed && !drags(&field)) {
        commands.push(Command::Session(SessionCommand::TargetGrab));
    }
    is_changed.then_some(value)
}

/// Whether the pointer drags a field, or ends a drag: it may have moved since the frame before.
pub(super) fn drags(field: &Response) -> bool {
    field.dragged() || field.drag_stopped()
}

/// The value that a field with this number of decimals shows, inside a range. A field with more digits than it shows
/// would change its value when it is left without a change.
pub(super) fn as_shown(value: f64, decimals: usize, range: RangeInclusive<f64>) -> f64 {
    let rounded = brief(value, decimals, MAX_LENGTH).parse().unwrap_or(value);
    // Adding zero removes the sign of a negative zero.
    rounded.max(*range.start()).min(*range.end()) + 0.0
}

/// Where a horizontal slider was clicked, from 0 to 1, if it was pressed and released between two frames: egui sees no
/// drag then.
pub(super) fn quick_click(slider: &Response) -> Option<f64> {
    let is_quick = |input: &egui::InputState| input.pointer.primary_pressed() && input.pointer.primary_released();
    let at = slider.ctx.input(|input| input.pointer.interact_pos().filter(|_| is_quick(input)))?;
    // As egui's round handle: its center stays inside by this much.
    let (rect, handle) = (slider.rect, slider.rect.height() / 2.5);
    let (left, right) = (rect.left() + handle, rect.right() - handle);
    let share = f64::from((at.x - left) / (right - left).max(1.0));
    (slider.contains_pointer() && rect.contains(at)).then_some(share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::test_input::{click, frame, key, letters};
    use egui::{Event, Key, Pos2, vec2};
    use fabrik3d_ik::random::Random;

    /// The values that a field reports after a click on it and these events, one per frame; then a click beside it.
    fn reported(shown: f64, decimals: usize, events: Vec<Event>) -> Vec<f64> {
        let context = Context::default();
        let [at, away] = [Pos2::new(20.0, 15.0), Pos2::new(250.0, 150.0)];
        // The area has its size from the second frame on.
        let hover = Event::PointerMoved(at);
        let before = vec![hover.clone(); 3].into_iter().chain(click(at)).chain([hover]);
        let after = [Event::PointerMoved(away)].into_iter().chain(click(away));
        let mut value = shown;
        let mut changes = Vec::new();
        for event in before.chain(events).chain(after) {
            frame(&context, vec2(300.0, 200.0), vec![event], |ui| {
                let field = number(ui.ctx(), &mut value).range(-10.0..=10.0).fixed_decimals(decimals);
                ui.add_sized([60.0, 30.0], field);
                if changes.last().copied().unwrap_or(shown) != value {
                    changes.push(value);
                }
            });
        }
        changes
    }

    #[test]
    fn a_typed_number_is_one_change_with_enter_and_when_the_field_is_left_and_none_with_escape() {
        for (text, end, expected) in [
            ("0.35", Some(Key::Enter), vec![0.35]),
            ("-2.125", Some(Key::Enter), vec![-2.125]),
            ("0.35", None, vec![0.35]),
            (" 0,35 ", Some(Key::Enter), vec![0.35]),
            ("3.5°", Some(Key::Enter), vec![3.5]),
            ("35", Some(Key::Enter), vec![10.0]),
            ("0.35", Some(Key::Escape), vec![]),
            ("abc", Some(Key::Enter), vec![]),
        ] {
            let events = letters(text).into_iter().chain(end.map(key)).collect();
            assert_eq!(reported(1.5, 3, events), expected, "{text} {end:?}");
        }
    }

    #[test]
    fn what_is_no_number_is_known() {
        let context = Context::default();
        let read = parser(&context);
        for (text, number) in
            [("0.4", Some(0.4)), ("40cm", None), ("-1e3", Some(-1000.0)), ("0.2+0.2", None), ("inf", None)]
        {
            assert_eq!(read(text), number, "{text}");
            assert_eq!(take_refused(&context), number.is_none().then(|| text.to_owned()));
        }
    }

    #[test]
    fn a_field_that_is_entered_and_left_changes_nothing() {
        let mut random = Random::new(5);
        for _ in 0..40 {
            let shown = as_shown(random.range(-12.0, 12.0), 3, -10.0..=10.0);
            assert_eq!(reported(shown, 3, Vec::new()), Vec::<f64>::new(), "{shown}");
            assert_eq!(reported(shown, 3, vec![key(Key::Enter)]), Vec::<f64>::new(), "{shown}");
        }
    }

    #[test]
    fn a_number_of_any_size_is_short_and_near_its_value() {
        for (value, text) in [
            (0.35, "0.350"),
            (-12.3456, "-12.346"),
            (-123.456, "-123.46"),
            (99_999.96, "100000"),
            (123_456_789.0, "1.2e8"),
            (1e99, "1.0e99"),
            (-1e-9, "0.000"),
        ] {
            assert_eq!(brief(value, 3, MAX_LENGTH), text);
        }
        let mut random = Random::new(7);
        for _ in 0..2000 {
            let value = random.range(-10.0, 10.0) * 10_f64.powf(random.range(-3.0, 300.0));
            for decimals in 0..5 {
                let text = brief(value, decimals, MAX_LENGTH);
                assert!(text.len() <= MAX_LENGTH + 1, "{value}: {text}");
                let shown = as_shown(value, decimals, f64::NEG_INFINITY..=f64::INFINITY);
                assert!((shown - value).abs() <= 0.05 * value.abs() + 0.5, "{value}: {text}");
                assert_eq!(as_shown(shown, decimals, f64::NEG_INFINITY..=f64::INFINITY), shown, "{value}: {text}");
            }
        }
    }

    #[test]
    fn the_shown_value_is_rounded_without_a_sign_of_zero_and_never_outside_its_range() {
        for (value, decimals) in [(-0.0, 3), (-4e-4, 3), (-4.9e-4, 3), (-5.1e-4, 3), (-0.04, 1), (-1.25, 1), (2e-5, 4)]
        {
            let text = format!("{:.*}", decimals, as_shown(value, decimals, -10.0..=10.0));
            assert!(
                !text.starts_with("-0.0") || text.contains(|letter| ('1'..='9').contains(&letter)),
                "{value}: {text}"
            );
        }
        let mut random = Random::new(6);
        for _ in 0..1000 {
            let end = random.range(0.0, 200.0);
            let value = random.range(-end, end);
            let shown = as_shown(value, 1, -end..=end);
            assert!((shown - value).abs() <= 0.05 + 1e-9 && shown.abs() <= end, "{value} {end}");
        }
    }

    #[test]
    fn a_slider_that_is_pressed_and_released_between_two_frames_goes_to_the_pointer() {
        let context = Context::default();
        for share in [0.0, 0.3, 1.0] {
            let mut area = egui::Rect::NOTHING;
            let mut clicked = Vec::new();
            for number in 0..6 {
                let at = area.lerp_inside([0.1 + 0.8 * share, 0.5]);
                let events = match number {
                    0..3 => vec![Event::PointerMoved(at)],
                    3 => click(at).to_vec(),
                    _ => Vec::new(),
                };
                frame(&context, vec2(300.0, 200.0), events, |ui| {
                    let slider = ui.add(egui::Slider::new(&mut 0.5, 0.0..=1.0).show_value(false));
                    area = slider.rect;
                    clicked.extend(quick_click(&slider));
                });
            }
            let handle = f64::from(area.height() / 2.5 / area.width());
            let expected = (0.1 + 0.8 * f64::from(share) - handle) / (1.0 - 2.0 * handle);
            assert!(clicked.len() == 1 && (clicked[0] - expected).abs() < 1e-3, "{share}: {clicked:?}");
        }
    }
}
