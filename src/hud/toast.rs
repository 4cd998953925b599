//! Short messages that disappear by themselves.

use super::areas;
use super::style::quiet;
use crate::session::Command;
use crate::session::command::{AppCommand, SessionCommand};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, CursorIcon, Sense, TextStyle};

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
    /// The topic: the family of the command that caused the message, if any.
    topic: Option<String>,
    /// Whether undo takes back what it reports.
    is_undoable: bool,
    /// Seconds since it became visible, and seconds until it disappears.
    age: f64,
    left: f64,
    /// Whether no picture has shown it yet. The time before the first picture does not count.
    is_new: bool,
}

/// Largest number of messages. Of more, the least severe one is dropped; of equal ones, the oldest.
const MAX_TOASTS: usize = 3;
/// Minimum duration of a success message and of other messages, seconds.
const SHORT: f64 = 3.5;
const LONG: f64 = 7.0;
/// Reading speed in characters per second, and seconds until reading begins.
const READING_SPEED: f64 = 18.0;
const READING_DELAY: f64 = 3.0;
/// Minimum duration of a failure message whose topic comes up again, seconds.
const MIN_SECONDS: f64 = 1.5;

/// The visible messages.
#[derive(Clone, Debug, Default)]
pub struct Toasts {
    list: Vec<Toast>,
    /// Topic of new messages, and whether undo takes back what they report.
    topic: Option<String>,
    is_undoable: bool,
    last_number: u64,
}

impl Toasts {
    /// Adds a success message.
    pub fn done(&mut self, text: impl Into<String>) {
        self.add(text.into(), ToastKind::Done, SHORT);
    }

    /// Adds a warning.
    pub fn warned(&mut self, text: impl Into<String>) {
        self.add(text.into(), ToastKind::Warned, LONG);
    }

    /// Adds a failure message.
    pub fn failed(&mut self, text: impl Into<String>) {
        self.add(text.into(), ToastKind::Failed, LONG);
    }

    /// Makes a command, or none, the topic of new messages. Removes earlier failures of commands of the same family,
    /// such as `joint.select` and `joint.next`: the new command succeeds or reports a new failure. Undo and redo remove
    /// what commands to the scene reported: it may no longer be true.
    pub fn set_topic(&mut self, command: Option<&Command>) {
        if let Some(Command::Session(SessionCommand::Undo | SessionCommand::Redo)) = command {
            self.list.retain(|toast| !toast.is_undoable || toast.kind == ToastKind::Failed);
        }
        self.is_undoable = matches!(command, Some(Command::Session(_)));
        self.topic = command.map(|command| {
            let words = command.to_string();
            words.split(['.', ' ']).next().unwrap_or_default().to_owned()
        });
        let topic = &self.topic;
        let over = |toast: &&mut Toast| topic.is_some() && toast.kind == ToastKind::Failed && toast.topic == *topic;
        for toast in self.list.iter_mut().filter(over) {
            toast.left = toast.left.min(MIN_SECONDS - toast.age);
        }
        self.drop_old();
    }

    /// Removes the message with this number, or all messages. Returns whether there was one.
    pub fn dismiss(&mut self, number: Option<u64>) -> bool {
        let before = self.list.len();
        self.list.retain(|toast| number.is_some_and(|number| toast.number != number));
        self.list.len() < before
    }

    /// Removes the message with this text, which is no longer true.
    pub fn retract(&mut self, text: &str) {
        self.list.retain(|toast| toast.text != text);
    }

    /// Whether a message is a warning or a failure.
    pub fn has_problem(&self) -> bool {
        self.list.iter().any(|toast| toast.kind != ToastKind::Done)
    }

    /// Adds a message. An equal visible message is replaced.
    fn add(&mut self, text: String, kind: ToastKind, least: f64) {
        let text = sentence(quoted(&text));
        let left = least.max(READING_DELAY + text.chars().count() as f64 / READING_SPEED);
        self.list.retain(|toast| toast.text != text);
        self.last_number += 1;
        let (number, topic, is_undoable) = (self.last_number, self.topic.clone(), self.is_undoable);
        self.list.push(Toast { text, kind, number, topic, is_undoable, age: 0.0, left, is_new: true });
        if self.list.len() > MAX_TOASTS {
            let least = (0..self.list.len()).min_by_key(|&at| self.list[at].kind);
            self.list.remove(least.unwrap_or(0));
        }
    }

    /// Advances the time by `dt` seconds and removes expired messages.
    pub fn tick(&mut self, dt: f64) {
        for toast in &mut self.list {
            let shown = if std::mem::take(&mut toast.is_new) { 0.0 } else { dt };
            toast.left -= shown;
            toast.age += shown;
        }
        self.drop_old();
    }

    fn drop_old(&mut self) {
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
fn quoted(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // An unpaired backtick is part of the text.
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    let marked =
        parts.iter().enumerate().map(|(at, part)| if at % 2 == 0 { (*part).to_owned() } else { format!("“{part}”") });
    marked.collect()
}

/// Capitalizes the first letter, unless the first word is a name, for example of a file or a key.
fn sentence(text: String) -> String {
    let word = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', ';']);
    let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase());
    if is_plain && !word.is_empty() { text[..1].to_ascii_uppercase() + &text[1..] } else { text }
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
    let window = context.content_rect();
    // Beside the panels at the top, or at the bottom where they leave too little room.
    let panels = ["status", "panel", "panel-tab", "race"].into_iter().filter_map(|name| areas::shown(context, name));
    let top = panels.filter(|panel| panel.top() < window.center().y);
    let [mut left, mut right] = [window.left(), window.right()];
    for panel in top {
        match panel.center().x < window.center().x {
            true => left = left.max(panel.right()),
            false => right = right.min(panel.left()),
        }
    }
    let has_room = right - left >= MIN_WIDTH + 24.0;
    let (place, [left, right]) = if has_room {
        (Align2::CENTER_TOP, [left, right])
    } else {
        (Align2::CENTER_BOTTOM, [window.left(), window.right()])
    };
    let width = MAX_WIDTH.min(right - left - 24.0);
    let offset = [0.5 * (left + right) - window.center().x, if has_room { 12.0 } else { -12.0 }];
    egui::Area::new(egui::Id::new("toasts"))
        .anchor(place, offset)
        .order(egui::Order::Tooltip)
        .interactable(interactive)
        .show(context, |ui| {
            for toast in toasts {
                let color = match toast.kind {
                    ToastKind::Done => Color32::from_rgb(0, 158, 115),
                    ToastKind::Warned => Color32::from_rgb(230, 159, 0),
                    ToastKind::Failed => Color32::from_rgb(213, 94, 0),
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
                        ui.label(job);
                    })
                });
                if !interactive {
                    continue;
                }
                let response = shown.inner.response.interact(Sense::click()).on_hover_cursor(CursorIcon::PointingHand);
                if response.clicked() {
                    commands.push(Command::App(AppCommand::Dismiss(Some(toast.number))));
                }
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &str) -> Command {
        words.parse().expect("a command")
    }

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
    fn a_failure_ends_with_the_next_command_of_its_family_after_a_minimum_duration() {
        let mut toasts = Toasts::default();
        let fail = |toasts: &mut Toasts, words: &str, text: &str| {
            toasts.set_topic(Some(&command(words)));
            toasts.failed(text);
            toasts.set_topic(None);
        };
        fail(&mut toasts, "open nothing.toml", "nothing.toml: there is no such file");
        fail(&mut toasts, "target.preset 9", "There is no number 9");
        toasts.warned("Two joints have the same name");
        for _ in 0..120 {
            toasts.tick(1.0 / 60.0);
        }
        toasts.set_topic(Some(&command("joint.none")));
        assert_eq!(toasts.list().len(), 3, "unrelated messages stay");
        toasts.set_topic(Some(&command("target.set 1 2 3")));
        assert_eq!(texts(&toasts), ["nothing.toml: there is no such file", "Two joints have the same name"]);
        toasts.set_topic(Some(&command("open demo.toml")));
        toasts.done("Opened");
        assert_eq!(texts(&toasts), ["Two joints have the same name", "Opened"]);
        // Immediately after: the message stays for its minimum duration.
        fail(&mut toasts, "target.preset 9", "There is no number 9");
        toasts.set_topic(Some(&command("target.preset 1")));
        assert_eq!(toasts.list().len(), 3);
        for _ in 0..120 {
            toasts.tick(1.0 / 60.0);
        }
        assert_eq!(texts(&toasts), ["Two joints have the same name", "Opened"]);
    }

    #[test]
    fn undo_removes_what_commands_to_the_scene_reported() {
        for words in ["undo", "redo"] {
            let mut toasts = Toasts::default();
            toasts.set_topic(Some(&command("save arm.toml")));
            toasts.done("Saved arm.toml");
            toasts.set_topic(Some(&command("base.toggle")));
            toasts.done("The base is fixed");
            toasts.set_topic(Some(&command("target.preset 9")));
            toasts.failed("There is no number 9");
            toasts.set_topic(Some(&command(words)));
            assert_eq!(texts(&toasts), ["Saved arm.toml", "There is no number 9"]);
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
    fn messages_stay_long_enough_to_read_and_can_be_dismissed() {
        let mut toasts = Toasts::default();
        let text = "a word ".repeat(40);
        toasts.failed(text.clone());
        toasts.tick(100.0);
        let seconds = toasts.next_end().expect("the time before the first picture does not count");
        assert!(text.len() as f64 / seconds < READING_SPEED, "{seconds} s for {} letters", text.len());
        toasts.failed("Short");
        let number = toasts.list()[0].number;
        assert!(toasts.has_problem() && toasts.dismiss(Some(number)) && !toasts.dismiss(Some(number)));
        assert_eq!(texts(&toasts), ["Short"]);
        assert!(toasts.dismiss(None) && !toasts.has_problem() && !toasts.dismiss(None));
    }
}
