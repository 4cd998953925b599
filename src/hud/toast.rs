//! Short messages that go away by themselves.

use egui::{Align2, Color32, RichText};

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    left: f64,
    /// Whether no picture has shown it yet: what went before the first is no time to read it in.
    is_new: bool,
}

/// The messages that are still to be seen.
#[derive(Clone, Debug, Default)]
pub struct Toasts(Vec<Toast>);

impl Toasts {
    /// Says that something was done.
    pub fn done(&mut self, text: impl Into<String>) {
        self.say(text.into(), ToastKind::Done, 3.5);
    }

    /// Says what was left out.
    pub fn warned(&mut self, text: impl Into<String>) {
        self.say(text.into(), ToastKind::Warned, 7.0);
    }

    /// Says what could not be done, and why.
    pub fn failed(&mut self, text: impl Into<String>) {
        self.say(text.into(), ToastKind::Failed, 7.0);
    }

    /// What is still to be seen is not said twice, only longer.
    fn say(&mut self, text: String, kind: ToastKind, left: f64) {
        let text = sentence(text);
        self.0.retain(|toast| toast.text != text);
        self.0.push(Toast { text, kind, left, is_new: true });
    }

    /// `dt` seconds later: messages whose time is over are gone.
    pub fn tick(&mut self, dt: f64) {
        for toast in &mut self.0 {
            let shown = if std::mem::take(&mut toast.is_new) { 0.0 } else { dt };
            toast.left -= shown;
        }
        self.0.retain(|toast| toast.left > 0.0);
    }

    /// Seconds until the next message goes away.
    pub fn next_end(&self) -> Option<f64> {
        self.0.iter().map(|toast| toast.left).min_by(f64::total_cmp)
    }

    /// The messages, oldest first.
    pub fn list(&self) -> &[Toast] {
        &self.0
    }
}

/// A text as it begins a line: with a capital letter, unless its first word is a name of something: a file, a key.
fn sentence(text: String) -> String {
    let word = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', ';']);
    let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase());
    if is_plain && !word.is_empty() { text[..1].to_ascii_uppercase() + &text[1..] } else { text }
}

/// Messages that are seen at once.
const MOST: usize = 4;
/// Widest message, points.
const WIDEST: f32 = 560.0;

/// Lays the messages out at the top, where nothing else lies, the newest at the lowest place.
pub(super) fn toasts(context: &egui::Context, toasts: &[Toast]) {
    if toasts.is_empty() {
        return;
    }
    let width = WIDEST.min(context.content_rect().width() - 24.0);
    egui::Area::new(egui::Id::new("toasts"))
        .anchor(Align2::CENTER_TOP, [0.0, 12.0])
        .order(egui::Order::Tooltip)
        .interactable(false)
        .show(context, |ui| {
            for toast in &toasts[toasts.len().saturating_sub(MOST)..] {
                let color = match toast.kind {
                    ToastKind::Done => Color32::from_rgb(0, 158, 115),
                    ToastKind::Warned => Color32::from_rgb(230, 159, 0),
                    ToastKind::Failed => Color32::from_rgb(213, 94, 0),
                };
                let frame = egui::Frame::window(ui.style()).inner_margin(egui::Margin::symmetric(12, 8));
                let fill = ui.visuals().window_fill.to_opaque();
                ui.vertical_centered(|ui| {
                    frame.fill(fill).stroke(egui::Stroke::new(1.5, color)).show(ui, |ui| {
                        ui.set_max_width(width - 26.0);
                        ui.label(RichText::new(&toast.text));
                    });
                });
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_with_a_capital_letter_names_are_left_alone() {
        let mut toasts = Toasts::default();
        for text in [
            "there is nothing to step through",
            "joint, that is",
            "arm.toml: is no scene",
            "Saved x",
            "",
            "\u{e9}t\u{e9}",
        ] {
            toasts.failed(text);
        }
        let texts: Vec<&str> = toasts.list().iter().map(|toast| toast.text.as_str()).collect();
        let expected = [
            "There is nothing to step through",
            "Joint, that is",
            "arm.toml: is no scene",
            "Saved x",
            "",
            "\u{e9}t\u{e9}",
        ];
        assert_eq!(texts, expected);
    }
}
