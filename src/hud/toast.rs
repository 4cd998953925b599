//! Short messages that go away by themselves.

use super::style::quiet;
use crate::session::Command;
use crate::session::command::AppCommand;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, CursorIcon, Sense, TextStyle};

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToastKind {
    /// Something was done.
    Done,
    /// Something was done, though not all of it.
    Warned,
    /// Something could not be done.
    Failed,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// How serious it is.
    pub kind: ToastKind,
    /// No other message of the same [`Toasts`] has it.
    pub number: u64,
    /// What it is about: the family of the command that it answers; none: no command.
    about: Option<String>,
    /// Seconds for which it has been seen, and for which it is still to be seen.
    age: f64,
    left: f64,
    /// Whether no picture has shown it yet: what went before the first is no time to read it in.
    is_new: bool,
}

/// Messages that are kept: of more the least serious goes, of equal ones the oldest.
const MOST: usize = 3;
/// Seconds that a message that something was done is seen, and others.
const SHORT: f64 = 3.5;
const LONG: f64 = 7.0;
/// Letters read in a second, and seconds until reading begins.
const PACE: f64 = 18.0;
const START: f64 = 3.0;
/// Seconds that a complaint is seen even when what it was about has succeeded since.
const GLANCE: f64 = 1.5;

/// The messages that are still to be seen.
#[derive(Clone, Debug, Default)]
pub struct Toasts {
    list: Vec<Toast>,
    /// What is said from now on is about this.
    about: Option<String>,
    said: u64,
}

impl Toasts {
    /// Says that something was done.
    pub fn done(&mut self, text: impl Into<String>) {
        self.say(text.into(), ToastKind::Done, SHORT);
    }

    /// Says what was left out.
    pub fn warned(&mut self, text: impl Into<String>) {
        self.say(text.into(), ToastKind::Warned, LONG);
    }

    /// Says what could not be done, and why.
    pub fn failed(&mut self, text: impl Into<String>) {
        self.say(text.into(), ToastKind::Failed, LONG);
    }

    /// A command is about to be carried out, or none: what is said from now on is about it. Earlier complaints about
    /// commands of its family (`joint.select` is of that of `joint.next`) are over, whether it succeeds or fails anew.
    pub fn turn_to(&mut self, command: Option<&Command>) {
        self.about = command.map(|command| {
            let words = command.to_string();
            words.split(['.', ' ']).next().unwrap_or_default().to_owned()
        });
        let about = &self.about;
        let over = |toast: &&mut Toast| about.is_some() && toast.kind == ToastKind::Failed && toast.about == *about;
        for toast in self.list.iter_mut().filter(over) {
            toast.left = toast.left.min(GLANCE - toast.age);
        }
        self.drop_old();
    }

    /// Takes the message of this number away, or all of them; whether there was one.
    pub fn dismiss(&mut self, number: Option<u64>) -> bool {
        let before = self.list.len();
        self.list.retain(|toast| number.is_some_and(|number| toast.number != number));
        self.list.len() < before
    }

    /// Whether a message complains of something.
    pub fn complain(&self) -> bool {
        self.list.iter().any(|toast| toast.kind != ToastKind::Done)
    }

    /// What is still to be seen is not said twice, only longer.
    fn say(&mut self, text: String, kind: ToastKind, least: f64) {
        let text = sentence(text);
        let left = least.max(START + text.chars().count() as f64 / PACE);
        self.list.retain(|toast| toast.text != text);
        self.said += 1;
        let (number, about) = (self.said, self.about.clone());
        self.list.push(Toast { text, kind, number, about, age: 0.0, left, is_new: true });
        if self.list.len() > MOST {
            let least = (0..self.list.len()).min_by_key(|&at| self.list[at].kind);
            self.list.remove(least.unwrap_or(0));
        }
    }

    /// `dt` seconds later: messages whose time is over are gone.
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

    /// Seconds until the next message goes away.
    pub fn next_end(&self) -> Option<f64> {
        self.list.iter().map(|toast| toast.left).min_by(f64::total_cmp)
    }

    /// The messages, oldest first.
    pub fn list(&self) -> &[Toast] {
        &self.list
    }
}

/// A text as it begins a line: with a capital letter, unless its first word is a name of something: a file, a key.
fn sentence(text: String) -> String {
    let word = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', ';']);
    let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase());
    if is_plain && !word.is_empty() { text[..1].to_ascii_uppercase() + &text[1..] } else { text }
}

/// Widest message, points.
const WIDEST: f32 = 560.0;

/// Lays the messages out at the top, where nothing else lies, the newest at the lowest place. A click takes one away.
pub(super) fn toasts(context: &egui::Context, toasts: &[Toast], interactive: bool, commands: &mut Vec<Command>) {
    if toasts.is_empty() {
        return;
    }
    let width = WIDEST.min(context.content_rect().width() - 24.0);
    egui::Area::new(egui::Id::new("toasts"))
        .anchor(Align2::CENTER_TOP, [0.0, 12.0])
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
                let fill = ui.visuals().window_fill.to_opaque();
                let shown = ui.vertical_centered(|ui| {
                    frame.fill(fill).stroke(egui::Stroke::new(1.5, color)).show(ui, |ui| {
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
    fn messages_begin_with_a_capital_letter_names_are_left_alone() {
        for (text, expected) in [
            ("there is nothing to step through", "There is nothing to step through"),
            ("joint, that is", "Joint, that is"),
            ("arm.toml: is no scene", "arm.toml: is no scene"),
            ("Saved x", "Saved x"),
            ("", ""),
            ("\u{e9}t\u{e9}", "\u{e9}t\u{e9}"),
        ] {
            let mut toasts = Toasts::default();
            toasts.failed(text);
            assert_eq!(texts(&toasts), [expected]);
        }
    }

    #[test]
    fn a_complaint_ends_with_the_next_command_of_its_family_but_not_before_it_was_seen() {
        let mut toasts = Toasts::default();
        let fail = |toasts: &mut Toasts, words: &str, text: &str| {
            toasts.turn_to(Some(&command(words)));
            toasts.failed(text);
            toasts.turn_to(None);
        };
        fail(&mut toasts, "open nothing.toml", "nothing.toml: there is no such file");
        fail(&mut toasts, "target.preset 9", "There is no number 9");
        toasts.warned("Nobody asked");
        for _ in 0..120 {
            toasts.tick(1.0 / 60.0);
        }
        toasts.turn_to(Some(&command("joint.none")));
        assert_eq!(toasts.list().len(), 3, "what has nothing to do with it stays");
        toasts.turn_to(Some(&command("target.set 1 2 3")));
        assert_eq!(texts(&toasts), ["nothing.toml: there is no such file", "Nobody asked"]);
        toasts.turn_to(Some(&command("open demo.toml")));
        toasts.done("Opened");
        assert_eq!(texts(&toasts), ["Nobody asked", "Opened"]);
        // At once: it stays for a glance.
        fail(&mut toasts, "target.preset 9", "There is no number 9");
        toasts.turn_to(Some(&command("target.preset 1")));
        assert_eq!(toasts.list().len(), 3);
        for _ in 0..120 {
            toasts.tick(1.0 / 60.0);
        }
        assert_eq!(texts(&toasts), ["Nobody asked", "Opened"]);
    }

    #[test]
    fn messages_never_pile_up_and_complaints_outlive_what_was_done() {
        let mut toasts = Toasts::default();
        toasts.failed("A");
        for k in 0..20 {
            toasts.done(format!("Done {k}"));
            assert!(toasts.list().len() <= MOST);
        }
        assert_eq!(texts(&toasts), ["A", "Done 18", "Done 19"]);
        toasts.failed("B");
        toasts.failed("C");
        toasts.failed("D");
        assert_eq!(texts(&toasts), ["B", "C", "D"]);
    }

    #[test]
    fn messages_are_seen_long_enough_to_be_read_and_can_be_dismissed() {
        let mut toasts = Toasts::default();
        let text = "a word ".repeat(40);
        toasts.failed(text.clone());
        toasts.tick(100.0);
        let seconds = toasts.next_end().expect("the time before the first picture does not count");
        assert!(text.len() as f64 / seconds < PACE, "{seconds} s for {} letters", text.len());
        toasts.failed("Short");
        let number = toasts.list()[0].number;
        assert!(toasts.complain() && toasts.dismiss(Some(number)) && !toasts.dismiss(Some(number)));
        assert_eq!(texts(&toasts), ["Short"]);
        assert!(toasts.dismiss(None) && !toasts.complain() && !toasts.dismiss(None));
    }
}
