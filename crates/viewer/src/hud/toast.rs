//! Short messages that disappear by themselves, and the words of errors in them.

use super::spoken::{name_part, read_changes};
use super::style::{BAD, GOOD, MARGIN, WARNING, panel_area, quiet, settle};
use crate::session::command::AppCommand;
use crate::session::{Command, CommandError, Remark};
use crate::view::Bindings;
use egui::accesskit::Live;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, CursorIcon, Sense, TextStyle, WidgetInfo, WidgetType};
use fabrik3d_scene::EffectorError;

/// Severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToastKind {
    /// A success.
    Done,
    /// A success with restrictions.
    Warned,
    /// A failure.
    Failed,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Toast {
    /// The text.
    pub text: String,
    /// The severity.
    pub kind: ToastKind,
    /// Unique number among all messages of the same [`Toasts`].
    pub number: u64,
    /// Seconds until it disappears.
    left: f64,
    /// Whether no picture has shown it yet. The time before the first picture does not count.
    is_new: bool,
    /// Whether undo makes it untrue.
    is_remark: bool,
}

/// Largest number of messages. Of more, the least severe one is dropped; of equal ones, the oldest.
const MAX_TOASTS: usize = 3;
/// Duration of a success message and of other messages, seconds.
pub(super) const SHORT: f64 = 4.0;
const LONG: f64 = 10.0;

/// The visible messages.
#[derive(Clone, Debug, Default)]
pub struct Toasts {
    list: Vec<Toast>,
    /// The last messages, also those that are gone, to show them again.
    last: Vec<Toast>,
    last_number: u64,
}

impl Toasts {
    /// Adds a success message.
    pub fn done(&mut self, text: impl Into<String>) {
        self.add(text.into(), ToastKind::Done, false);
    }

    /// Adds a warning.
    pub fn warned(&mut self, text: impl Into<String>) {
        self.add(text.into(), ToastKind::Warned, false);
    }

    /// Adds a failure message.
    pub fn failed(&mut self, text: impl Into<String>) {
        self.add(text.into(), ToastKind::Failed, false);
    }

    /// Adds what a command reports although it is carried out.
    pub fn remarked(&mut self, remark: &Remark) {
        self.add(remark.to_string(), if remark.is_warning() { ToastKind::Warned } else { ToastKind::Done }, true);
    }

    /// Removes what commands have reported that are undone now.
    pub fn retract_remarks(&mut self) {
        self.last.retain(|toast| !toast.is_remark);
        self.list.retain(|toast| !toast.is_remark);
    }

    /// Shows the last messages again.
    pub fn recall(&mut self) {
        if self.last.is_empty() {
            return self.done("There was no message yet.");
        }
        for Toast { text, kind, is_remark, .. } in self.last.clone() {
            self.add(text, kind, is_remark);
        }
    }

    /// Removes the message with this number, or all messages. Returns whether there was one.
    pub fn dismiss(&mut self, number: Option<u64>) -> bool {
        let before = self.list.len();
        self.list.retain(|toast| number.is_some_and(|number| toast.number != number));
        self.list.len() < before
    }

    /// Removes the message with this text, which is no longer true.
    pub fn retract(&mut self, text: &str) {
        self.last.retain(|toast| toast.text != text);
        self.list.retain(|toast| toast.text != text);
    }

    /// Whether a message is a warning or a failure.
    pub fn has_problem(&self) -> bool {
        self.list.iter().any(|toast| toast.kind != ToastKind::Done)
    }

    /// Adds a message. An equal visible message is replaced.
    fn add(&mut self, text: String, kind: ToastKind, is_remark: bool) {
        let text = sentences(&quoted(&text));
        let left = if kind == ToastKind::Done { SHORT } else { LONG };
        self.list.retain(|toast| toast.text != text);
        self.last_number += 1;
        let toast = Toast { text, kind, number: self.last_number, left, is_new: true, is_remark };
        self.last.retain(|before| before.text != toast.text);
        self.last.push(toast.clone());
        if self.last.len() > MAX_TOASTS {
            self.last.remove(0);
        }
        self.list.push(toast);
        if self.list.len() > MAX_TOASTS {
            let least = (0..self.list.len()).min_by_key(|&at| self.list[at].kind);
            self.list.remove(least.unwrap_or(0));
        }
    }

    /// Advances the time by `dt` seconds and removes expired messages.
    pub fn tick(&mut self, dt: f64) {
        for toast in &mut self.list {
            toast.left -= if std::mem::take(&mut toast.is_new) { 0.0 } else { dt };
        }
        self.list.retain(|toast| toast.left > 0.0);
    }

    /// Seconds until the next message disappears.
    pub fn next_end(&self) -> Option<f64> {
        self.list.iter().map(|toast| toast.left).min_by(f64::total_cmp)
    }

    /// The messages, oldest first.
    pub fn list(&self) -> &[Toast] {
        &self.list
    }
}

/// Names between backticks, as the terminal shows them, between quotation marks.
#[must_use]
pub fn quoted(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // An unpaired backtick is part of the text.
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let marked =
        parts.iter().enumerate().map(|(at, part)| if at % 2 == 0 { (*part).to_owned() } else { format!("“{part}”") });
    marked.collect()
}

/// Every line of a text of several lines as a sentence: errors have their remedy in a second line.
fn sentences(text: &str) -> String {
    if !text.contains('\n') {
        return sentence(text.to_owned());
    }
    let line = |line: &str| {
        let end = if line.trim().ends_with(['.', ':', '?', '!']) { "" } else { "." };
        sentence(line.trim().to_owned()) + end
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Capitalizes the first letter, unless the first word is a name, for example of a file or a key.
pub(super) fn sentence(text: String) -> String {
    let word = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', ';']);
    let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase());
    if is_plain && !word.is_empty() { text[..1].to_ascii_uppercase() + &text[1..] } else { text }
}

/// The message for the window, which names keys, while the errors themselves name commands for authors of scripts. `label`
/// names a key of the user's keyboard.
#[must_use]
pub fn error_message(error: &CommandError, bindings: &Bindings, label: impl Fn(&str) -> Option<String>) -> String {
    let key = |words: &str| bindings.key_for(&words.parse().ok()?, &label);
    match error {
        CommandError::NoJoint => match key("joint.next") {
            Some(key) => format!("No joint is selected: click one, or press {key}."),
            None => "No joint is selected: click one.".to_owned(),
        },
        CommandError::NoMotion => match key("motion.open") {
            Some(key) => format!("No recorded motion is open: press {key} to open one."),
            None => "No recorded motion is open: drop a file on the window.".to_owned(),
        },
        CommandError::Effector(error @ EffectorError::Immovable(_)) => match key("base.toggle") {
            Some(key) => format!("{error}. If it is the base, {key} lets it float."),
            None => error.to_string(),
        },
        // A window has no arguments.
        CommandError::Misfit(file, misfit) => {
            format!("{file}: {misfit}. [names] in a limits file says which joint is which part.")
        }
        CommandError::NothingToShow => {
            "No recorded joint has the same name as a joint of the scene, so the recording cannot be shown. \
             Under Motion in the side panel, effectors can follow it."
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// Maximum width of a message, points.
const MAX_WIDTH: f32 = 560.0;
/// Minimum space between two panels for messages, points.
const MIN_WIDTH: f32 = 200.0;

/// Lays out the messages between the panels, the newest one last. A click removes a message.
pub(super) fn toasts(context: &egui::Context, toasts: &[Toast], interactive: bool, commands: &mut Vec<Command>) {
    if toasts.is_empty() {
        return;
    }
    let (place, offset, width) = spot(context);
    let id = egui::Id::new("toasts");
    let before = context.memory(|memory| memory.area_rect(id));
    let sense = if interactive { Sense::CLICK } else { Sense::hover() };
    let shown = egui::Area::new(id)
        .anchor(place, offset)
        .order(egui::Order::Tooltip)
        .interactable(interactive)
        .sense(sense)
        .show(context, |ui| {
            name_part(ui, "Messages");
            for toast in toasts {
                let color = match toast.kind {
                    ToastKind::Done => GOOD,
                    ToastKind::Warned => WARNING,
                    ToastKind::Failed => BAD,
                };
                let frame = egui::Frame::window(ui.style()).inner_margin(egui::Margin::symmetric(12, 8));
                let shown = ui.vertical_centered(|ui| {
                    frame.stroke(egui::Stroke::new(1.5, color)).show(ui, |ui| {
                        ui.set_max_width(width - 26.0);
                        let font = TextStyle::Body.resolve(ui.style());
                        let mut job = LayoutJob::default();
                        job.append(&toast.text, 0.0, TextFormat::simple(font.clone(), ui.visuals().text_color()));
                        if interactive {
                            job.append("×", 10.0, TextFormat::simple(font, quiet(ui)));
                        }
                        let live = if toast.kind == ToastKind::Failed { Live::Assertive } else { Live::Polite };
                        read_changes(&ui.label(job), live);
                    })
                });
                if !interactive {
                    continue;
                }
                // The frame senses nothing: with its id, what is here would lose the focus.
                let response = ui.interact(shown.inner.response.rect, id.with(toast.number), Sense::click());
                let response = response.on_hover_cursor(CursorIcon::PointingHand);
                response
                    .widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("Close: {}", toast.text)));
                if response.clicked() {
                    commands.push(Command::App(AppCommand::Dismiss(Some(toast.number))));
                }
            }
        });
    settle(context, before, Some(shown.response.rect));
}

/// Anchor, offset and width of the messages: at the bottom, where no head is, between the side panels and above a lesson or a
/// race.
fn spot(context: &egui::Context) -> (Align2, [f32; 2], f32) {
    let window = context.content_rect();
    let panels = ["status", "panel", "panel-tab", "race"].into_iter().filter_map(|name| panel_area(context, name));
    let [mut left, mut right] = [window.left(), window.right()];
    for panel in panels.filter(|panel| panel.top() < window.center().y) {
        match panel.center().x < window.center().x {
            true => left = left.max(panel.right()),
            false => right = right.min(panel.left()),
        }
    }
    if right - left < MIN_WIDTH + 2.0 * MARGIN {
        return (Align2::CENTER_BOTTOM, [0.0, -MARGIN], MAX_WIDTH.min(window.width() - 2.0 * MARGIN));
    }
    let below = ["lesson", "race"].into_iter().filter_map(|name| panel_area(context, name));
    let foot = below.map(|panel| panel.top()).filter(|top| *top > window.center().y).fold(window.bottom(), f32::min);
    let offset = [0.5 * (left + right) - window.center().x, foot - window.bottom() - MARGIN];
    (Align2::CENTER_BOTTOM, offset, MAX_WIDTH.min(right - left - 2.0 * MARGIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(toasts: &Toasts) -> Vec<&str> {
        toasts.list().iter().map(|toast| toast.text.as_str()).collect()
    }

    #[test]
    fn messages_start_with_a_capital_letter_except_for_names() {
        for (text, expected) in [
            ("there is nothing to step through", "There is nothing to step through"),
            ("joint, that is", "Joint, that is"),
            ("arm.toml: is no scene", "arm.toml: is no scene"),
            ("Saved x", "Saved x"),
            ("The base `link 0` is fixed", "The base “link 0” is fixed"),
            ("`a` reaches `b`", "“a” reaches “b”"),
            ("a single ` stays", "A single ` stays"),
            ("", ""),
            ("\u{e9}t\u{e9}", "\u{e9}t\u{e9}"),
        ] {
            let mut toasts = Toasts::default();
            toasts.failed(text);
            assert_eq!(texts(&toasts), [expected]);
        }
    }

    #[test]
    fn the_number_of_messages_is_limited_and_failures_outlive_successes() {
        let mut toasts = Toasts::default();
        toasts.failed("A");
        for k in 0..20 {
            toasts.done(format!("Done {k}"));
            assert!(toasts.list().len() <= MAX_TOASTS);
        }
        assert_eq!(texts(&toasts), ["A", "Done 18", "Done 19"]);
        toasts.failed("B");
        toasts.failed("C");
        toasts.failed("D");
        assert_eq!(texts(&toasts), ["B", "C", "D"]);
    }

    #[test]
    fn messages_end_by_themselves_and_can_be_dismissed() {
        let mut toasts = Toasts::default();
        toasts.failed("Long");
        toasts.tick(100.0);
        assert_eq!(toasts.next_end(), Some(LONG), "the time before the first picture does not count");
        toasts.tick(LONG);
        assert!(toasts.list().is_empty());
        toasts.failed("Other");
        toasts.failed("Short");
        let number = toasts.list()[0].number;
        assert!(toasts.has_problem() && toasts.dismiss(Some(number)) && !toasts.dismiss(Some(number)));
        assert_eq!(texts(&toasts), ["Short"]);
        assert!(toasts.dismiss(None) && !toasts.has_problem() && !toasts.dismiss(None));
    }

    #[test]
    fn the_last_messages_come_back_except_those_that_are_untrue_now() {
        let mut toasts = Toasts::default();
        for text in ["A", "B", "C", "D"] {
            toasts.failed(text);
            toasts.tick(0.0);
            toasts.tick(LONG);
        }
        toasts.retract("C");
        assert!(toasts.list().is_empty());
        for _ in 0..2 {
            toasts.recall();
            assert_eq!(texts(&toasts), ["B", "D"]);
        }
        assert!(toasts.list().iter().all(|toast| toast.left == LONG));
    }

    #[test]
    fn window_messages_name_keys_and_script_errors_name_commands() {
        let bindings = Bindings::default();
        for (error, key) in [(CommandError::NoJoint, "]"), (CommandError::NoMotion, "Ctrl+M")] {
            let text = error_message(&error, &bindings, |_| None);
            assert!(text.contains(key) && !text.contains('`'), "{text}");
            assert!(error.to_string().contains('`'), "script errors name a command: {error}");
        }
        assert!(!error_message(&CommandError::NothingToShow, &bindings, |_| None).contains('`'));
        let setting = CommandError::NotFinite;
        assert_eq!(error_message(&setting, &bindings, |_| None), setting.to_string());
    }
}
