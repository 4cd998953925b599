//! Names in little space. Many names differ only at their ends, so their middle gives way.

use egui::{Context, FontId, Label, Response, TextStyle, Ui};
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::Scene;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// A text of at most this width, points. An ellipsis replaces the middle of a longer one.
pub(super) fn fitted(context: &Context, text: &str, font: &FontId, width: f32) -> String {
    let letters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| -> String {
        let (head, tail) = (&letters[..kept.div_ceil(2)], &letters[letters.len() - kept / 2..]);
        head.iter().chain(['…'].iter()).chain(tail).collect()
    };
    context.fonts_mut(|fonts| {
        let mut fits = |text: String| fonts.layout_no_wrap(text, font.clone(), egui::Color32::WHITE).size().x <= width;
        if fits(text.to_owned()) {
            return text.to_owned();
        }
        let (mut low, mut high) = (0, letters.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if fits(cut(middle)) { low = middle } else { high = middle }
        }
        cut(low)
    })
}

/// What separates the words of a name.
const SEPARATORS: [char; 6] = ['_', '.', ':', '-', '/', ' '];

/// The length of what all names begin with, up to a separator. What is left of each one begins with a letter.
pub(super) fn common_start(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else { return 0 };
    let is_common = |at: &usize| others.iter().all(|name| name.starts_with(&first[..*at]));
    let is_end = |at: &usize| {
        let begins_well = |name: &&str| name[*at..].starts_with(char::is_alphabetic);
        first[..*at].ends_with(SEPARATORS) && names.iter().all(begins_well)
    };
    first.char_indices().map(|(at, _)| at).take_while(is_common).filter(is_end).last().unwrap_or_default()
}

/// The length of what all names end with, from a separator on. What is left of each one is not empty.
pub(super) fn common_end(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else { return 0 };
    let ends = first.char_indices().filter(|(_, letter)| SEPARATORS.contains(letter)).map(|(at, _)| &first[at..]);
    let is_common = |end: &&str| others.iter().all(|name| name.len() > end.len() && name.ends_with(*end));
    ends.filter(|end| end.len() < first.len()).find(is_common).map_or(0, str::len)
}

/// The names without what they begin with in common, and without the numbers that exporters append, as in `LeftHand_011`, if
/// that leaves them different.
pub(super) fn told_apart<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let start = common_start(names);
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|letter| letter.is_ascii_digit());
    let stem = |name: &'a str| match name.rsplit_once('_') {
        Some((stem, end)) if !stem.is_empty() && is_number(end) => stem,
        _ => name,
    };
    let shown = || names.iter().map(|name| &name[start..]);
    let stems: Vec<&str> = shown().map(stem).collect();
    let different: HashSet<&str> = stems.iter().copied().collect();
    if different.len() == names.len() { stems } else { shown().collect() }
}

/// The name of a file without its folder, to show.
pub fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()
}

/// What a method does, and where it is from.
pub(super) fn what_it_is(method: Method) -> String {
    format!("{}.\n{}.", method.summary(), method.citation())
}

/// The name for people, and that of the file where it is another one.
pub(super) fn full_name(shown: &str, name: &str) -> String {
    if shown == name { name.to_owned() } else { format!("{shown} ({name})") }
}

/// The name as it fits beside what takes this much of the row.
pub(super) fn fitted_beside(ui: &Ui, name: &str, taken: f32) -> String {
    fitted(ui.ctx(), name, &TextStyle::Body.resolve(ui.style()), ui.available_width() - taken)
}

/// A name in the rest of a row. What does not fit is in its tooltip.
pub(super) fn name_label(ui: &mut Ui, name: &str) -> Response {
    let fitted = fitted_beside(ui, name, 0.0);
    let is_whole = fitted == name;
    let label = ui.add(Label::new(fitted).extend());
    if is_whole { label } else { label.on_hover_text(name) }
}

/// The names of some effectors; of more than two, only the first.
pub(super) fn listed(scene: &Scene, effectors: &[usize]) -> String {
    listed_names(scene, effectors.iter().map(|&at| &scene.effectors[at].name[..]))
}

/// The names of some joints or effectors as people know them; of more than two, only the first.
pub(super) fn listed_names<'a>(scene: &Scene, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("“{}”", scene.shown_name(name))).collect();
    match &names[..] {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, others @ ..] => format!("{first} and {} others", others.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn names_are_told_apart_without_what_they_have_in_common() {
        assert_eq!(common_start(&["panda_joint1", "panda_joint2", "panda_finger_joint1"]), "panda_".len());
        assert_eq!(common_start(&["puppet:Hips", "puppet:Spine"]), "puppet:".len());
        assert_eq!(common_start(&["arm_", "arm_x"]), 0);
        assert_eq!(common_start(&["arm.1", "leg.1"]), 0);
        assert_eq!(common_start(&["arm.1", "arm.2"]), 0);
        assert_eq!(common_start(&["élan_a", "élan_b"]), "élan_".len());
        assert_eq!(common_start(&["alone_1"]), 0);
        assert_eq!(common_start(&[]), 0);
    }

    #[test]
    fn names_lose_numbers_that_do_not_tell_them_apart() {
        let fox = ["b_Head_05", "b_LeftHand_011", "b_LeftFoot02_018", "_rootJoint"];
        assert_eq!(told_apart(&fox), ["b_Head", "b_LeftHand", "b_LeftFoot02", "_rootJoint"]);
        assert_eq!(told_apart(&fox[..3]), ["Head", "LeftHand", "LeftFoot02"]);
        for names in [&["joint_1", "joint_2", "tool"][..], &["arm_1_2", "arm_1_3"], &["_1", "_2"], &["arm_x"], &[]] {
            assert_eq!(told_apart(names), names);
        }
    }

    #[test]
    fn a_name_keeps_its_ends_and_its_width() {
        let context = Context::default();
        let _ = context.run(egui::RawInput::default(), |_| {});
        let font = FontId::proportional(13.0);
        let width = |text: &str| {
            let text = text.to_owned();
            context.fonts_mut(|fonts| fonts.layout_no_wrap(text, font.clone(), egui::Color32::WHITE).size().x)
        };
        let mut random = Random::new(4);
        for _ in 0..300 {
            let length = random.range(1.0, 40.0) as usize;
            let name: String = (0..length).map(|_| char::from(random.range(97.0, 123.0) as u8)).collect();
            let room = random.range(30.0, 200.0) as f32;
            let text = fitted(&context, &name, &font, room);
            assert!(width(&text) <= room, "{name} in {room}: {text}");
            match text.split_once('…') {
                None => assert_eq!(text, name),
                Some((head, tail)) => {
                    assert!(name.starts_with(head) && name.ends_with(tail), "{name}: {text}");
                    assert!(width(&name) > room && head.chars().count() - tail.chars().count() <= 1, "{text}");
                }
            }
        }
        let [left, right] =
            ["panda_finger_joint1", "panda_finger_joint2"].map(|name| fitted(&context, name, &font, 90.0));
        assert_ne!(left, right);
    }

    #[test]
    fn common_ends_begin_at_a_separator_and_leave_a_name() {
        for (names, end) in [
            (&["wheel_left_joint", "wheel_right_joint", "arm_1_joint"][..], 6),
            (&["left_arm", "right_arm"], 4),
            (&["forearm", "arm"], 0),
            (&["a_joint", "_joint"], 0),
            (&["only_joint"], 0),
        ] {
            assert_eq!(common_end(names), end, "{names:?}");
        }
    }
}
