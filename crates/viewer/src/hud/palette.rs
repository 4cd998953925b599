//! The list of all commands: found by words, chosen by keys or the mouse, with their arguments.

use super::spoken::name_control;
use super::style::{CENTERED_WIDTH, frame_focus};
use super::toast::quoted;
use crate::session::Command;
use crate::session::command::{choices, fit};
use egui::text::{CCursor, CCursorRange};
use egui::{
    Align, Align2, Button, Context, Event, Frame, Id, Key, Layout, Modal, Modifiers, RichText, ScrollArea, TextEdit,
    Ui, vec2,
};

/// Largest width of the list, the height of a line, and the most lines that are shown at once, points.
const LINE: f32 = 24.0;
const MOST_LINES: f32 = 12.0;
/// Distance from the edges of the window and everything except the list, points.
const AROUND: egui::Vec2 = vec2(60.0, 150.0);
/// Width of the lines of commands, points; the rest says what they do.
const COMMAND: f32 = 220.0;
/// Distance from the top of the window, points.
const TOP: f32 = 60.0;

/// An open list of all commands.
#[derive(Debug)]
pub struct CommandPalette {
    entries: Vec<Entry>,
    text: String,
    /// The chosen one of the found entries.
    chosen: usize,
    /// Whether the arrow keys have chosen it, so that the list must show it.
    scrolls: bool,
    /// Whether the cursor goes to the end of the text.
    to_end: bool,
    /// Why what was typed is no command.
    problem: Option<String>,
}

/// A command to choose.
#[derive(Debug)]
struct Entry {
    line: String,
    help: String,
    asks: Option<String>,
    /// The key that does the same.
    key: Option<String>,
}

impl CommandPalette {
    /// The list, with `key` for the key of a command, and the examples: what opens each, and its title.
    pub fn new(key: impl Fn(&Command) -> Option<String>, examples: &[(String, String)]) -> Self {
        let commands = choices().into_iter().map(|choice| Entry {
            key: choice.command().and_then(|command| key(&command)),
            line: choice.line,
            help: choice.help,
            asks: choice.asks,
        });
        let examples = examples.iter().map(|(name, title)| Entry {
            line: format!("open {name}"),
            help: format!("open the example “{title}”"),
            asks: None,
            key: None,
        });
        CommandPalette {
            entries: commands.chain(examples).collect(),
            text: String::new(),
            chosen: 0,
            scrolls: false,
            to_end: false,
            problem: None,
        }
    }

    /// The entries that fit the text, best first.
    fn found(&self) -> Vec<usize> {
        let mut fits: Vec<(usize, usize)> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| {
                let rest = format!("{} {}", entry.help, entry.key.as_deref().unwrap_or_default());
                Some((fit(&self.text, &entry.line, &rest)?, at))
            })
            .collect();
        fits.sort_unstable();
        fits.into_iter().map(|(_, at)| at).collect()
    }

    /// The entry whose arguments are being typed.
    fn asking(&self) -> Option<&Entry> {
        let name = self.text.split_once(' ').map(|(name, _)| name)?;
        self.entries.iter().find(|entry| entry.asks.is_some() && entry.line == name)
    }

    /// Lays out the list over everything else. Returns the command that was chosen; the inner one is none if it was closed without.
    pub fn show(&mut self, context: &Context) -> Option<Option<Command>> {
        let id = Id::new("palette");
        // A list that changes its length with every letter stays where it begins.
        let area = Modal::default_area(id).anchor(Align2::CENTER_TOP, [0.0, TOP]);
        let shown = Modal::new(id).area(area).frame(Frame::window(&context.style())).show(context, |ui| {
            name_control(ui.ctx(), ui.unique_id(), "All commands");
            self.contents(ui)
        });
        shown.inner.or(shown.backdrop_response.clicked().then_some(None))
    }

    /// What is in it.
    fn contents(&mut self, ui: &mut Ui) -> Option<Option<Command>> {
        let room = ui.ctx().content_rect().size() - AROUND;
        ui.set_width(CENTERED_WIDTH.min(room.x));
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            return Some(None);
        }
        let found = self.found();
        let (enters, step) = ui.input_mut(|input| {
            let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
            (pressed(Key::Enter), i32::from(pressed(Key::ArrowDown)) - i32::from(pressed(Key::ArrowUp)))
        });
        if step != 0 && !found.is_empty() {
            self.chosen = (self.chosen as i32 + step).rem_euclid(found.len() as i32) as usize;
            self.scrolls = true;
        }
        self.field(ui);
        if let Some(asks) = self.asking().and_then(|entry| entry.asks.clone()) {
            ui.weak(format!("It takes {}.", quoted(&asks)));
        }
        if let Some(problem) = &self.problem {
            ui.colored_label(ui.visuals().error_fg_color, problem);
        }
        ui.add_space(4.0);
        // While arguments are typed, no other command is in the way.
        let clicked = match self.asking() {
            Some(_) => None,
            None => self.list(ui, &found, room.y.min(MOST_LINES * LINE)),
        };
        let typed = (enters && self.text.contains(' ')).then(|| self.text.parse::<Command>());
        match (typed, clicked.or(enters.then_some(self.chosen))) {
            (Some(Ok(command)), _) => Some(Some(command)),
            (Some(Err(error)), _) if found.is_empty() || self.asking().is_some() => {
                self.problem = Some(quoted(&error.to_string()));
                None
            }
            (_, Some(at)) => found.get(at).and_then(|&entry| self.choose(entry)),
            _ => None,
        }
    }

    /// Takes an entry: its command, or its name to be completed.
    fn choose(&mut self, at: usize) -> Option<Option<Command>> {
        let entry = &self.entries[at];
        if entry.asks.is_none() {
            return Some(entry.line.parse().ok());
        }
        self.text = format!("{} ", entry.line);
        (self.to_end, self.chosen, self.problem) = (true, 0, None);
        None
    }

    fn field(&mut self, ui: &mut Ui) {
        let id = ui.id().with("words");
        let before = self.text.clone();
        if !ui.memory(|memory| memory.has_focus(id)) {
            // Letters that arrive before the field has the focus are not lost.
            self.text += &ui.input_mut(|input| taken_letters(&mut input.events));
            ui.memory_mut(|memory| memory.request_focus(id));
            self.to_end = true;
        }
        let edit = TextEdit::singleline(&mut self.text).id(id).lock_focus(true).desired_width(f32::INFINITY);
        let mut shown = edit.hint_text("What to do: theme, text size, examples, tolerance, …").show(ui);
        if self.text != before {
            (self.chosen, self.scrolls, self.problem) = (0, true, None);
        }
        if std::mem::take(&mut self.to_end) {
            let end = CCursor::new(self.text.chars().count());
            shown.state.cursor.set_char_range(Some(CCursorRange::one(end)));
            shown.state.store(ui.ctx(), id);
        }
        frame_focus(ui, &shown.response);
        name_control(ui.ctx(), id, "What to do");
    }

    /// The found entries. Returns the number of the one that was clicked.
    fn list(&mut self, ui: &mut Ui, found: &[usize], height: f32) -> Option<usize> {
        if found.is_empty() {
            ui.weak("No command has these words.");
            return None;
        }
        let mut clicked = None;
        let scrolls = std::mem::take(&mut self.scrolls);
        let list = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
        list.auto_shrink([false, true]).show(ui, |ui| {
            for (number, &at) in found.iter().enumerate() {
                let row = line(ui, &self.entries[at], number == self.chosen);
                if scrolls && number == self.chosen {
                    row.scroll_to_me(None);
                }
                if row.clicked() {
                    clicked = Some(number);
                }
            }
        });
        clicked
    }
}

/// A line of the list: the command, what it does, and its key.
fn line(ui: &mut Ui, entry: &Entry, is_chosen: bool) -> egui::Response {
    let width = ui.available_width();
    ui.horizontal(|ui| {
        let dots = if entry.asks.is_some() { " …" } else { "" };
        let text = RichText::new(format!("{}{dots}", entry.line)).monospace();
        // With a text at the right, even an empty one, a button begins at the left.
        let button = Button::selectable(is_chosen, text).truncate().shortcut_text("");
        let button = button.min_size(vec2(COMMAND.min(0.5 * width), 0.0));
        let row = ui.scope(|ui| {
            ui.set_max_width(COMMAND.min(0.5 * width));
            ui.add(button)
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(key) = &entry.key {
                ui.label(RichText::new(key).monospace().small());
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(&entry.help).weak()).truncate());
            });
        });
        row.inner
    })
    .inner
}

/// Removes the typed letters from the events of a frame.
pub fn taken_letters(events: &mut Vec<Event>) -> String {
    let mut letters = String::new();
    events.retain(|event| match event {
        Event::Text(text) => {
            letters.push_str(text);
            false
        }
        _ => true,
    });
    letters
}
