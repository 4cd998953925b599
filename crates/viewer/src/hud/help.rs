//! Keys: the help overlay, generated from the table of key bindings, and hints in panels.

use super::info::KeyName;
use super::spoken;
use super::style::{MARGIN, NO_BREAK, SCROLL_BAR, TIGHT, beside_keys, frame_focus, key_button, key_cap, quiet};
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show, fit};
use crate::view::{Bindings, HelpLine, MotionAxes, Viewer};
use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align2, Color32, Context, CursorIcon, Galley, Id, Key, Label, LayerId, Order, RichText, ScrollArea, Sense,
    TextEdit, TextStyle, Ui, Vec2, WidgetInfo, WidgetType, vec2,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The title of the overlay.
const TITLE: &str = "Keys and mouse";
/// Gap between two columns, points.
const COLUMN_GAP: f32 = 2.0 * MARGIN;
/// Space above the heading of a group, points.
const GROUP_SPACE: f32 = 2.0 * TIGHT;
/// Height of the line that indicates more content, points.
const FOOT: f32 = 28.0;
/// Height of the heading, points.
const HEAD: f32 = 40.0;
/// Smallest width of descriptions and of wrapped key lists, points.
const MIN_WIDTH: f32 = 48.0;
/// What stands between a modifier and its keys.
const PLUS: &str = "\u{a0}+\u{a0}";
/// Where the words are that are searched for, and the width of their field, points.
const SEARCH: &str = "help-search";
const SEARCH_WIDTH: f32 = 140.0;
/// Opacity of the shade behind the overlay.
const SHADE: u8 = 110;

/// Widths of the descriptions and of the keys, points.
#[derive(Clone, Copy)]
struct Widths {
    what: f32,
    keys: f32,
}

/// How the lines stand.
struct Plan {
    columns: usize,
    widths: Widths,
}

impl Plan {
    /// As few columns as have room for all lines without scrolling. Descriptions stay whole where that is possible, and no key is
    /// divided.
    fn of(ui: &Ui, lines: &[HelpLine], room: Vec2) -> Self {
        let widest = Widths::of(ui, lines);
        let place = room.x - SCROLL_BAR + COLUMN_GAP;
        let narrowest = Widths { keys: lines.iter().map(|line| widest_part(ui, line)).fold(0.0, f32::max), ..widest };
        let most = (place / (narrowest.column() + COLUMN_GAP)).floor().max(1.0) as usize;
        let plan = |columns: usize| {
            let mut widths = widest;
            widths.shrink_to(place / columns as f32 - COLUMN_GAP);
            Plan { columns, widths }
        };
        let fits = |plan: &Plan| tallest(&plan.columns(&groups(ui, lines, plan.widths))) <= room.y;
        (1..most).map(plan).find(fits).unwrap_or_else(|| plan(most))
    }

    /// Width of all columns, points.
    fn width(&self) -> f32 {
        self.columns as f32 * (self.widths.column() + COLUMN_GAP) - COLUMN_GAP + SCROLL_BAR
    }

    /// Distributes whole groups over the columns so that the tallest one is as short as possible.
    fn columns<'a>(&self, groups: &'a [Group<'a>]) -> Vec<&'a [Group<'a>]> {
        // There are few groups: try all partitions.
        let all = (1..=self.columns).flat_map(|count| partitions(groups, count));
        all.min_by(|a, b| tallest(a).total_cmp(&tallest(b))).unwrap_or_default()
    }
}

fn laid_out(ui: &Ui, job: LayoutJob) -> Arc<Galley> {
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// Lines below one heading, and their height with it, points.
struct Group<'a> {
    lines: &'a [HelpLine],
    height: f32,
}

/// The lines by their headings.
fn groups<'a>(ui: &Ui, lines: &'a [HelpLine], widths: Widths) -> Vec<Group<'a>> {
    let font = TextStyle::Body.resolve(ui.style());
    let heading = ui.text_style_height(&TextStyle::Body) + TIGHT;
    let height = |line: &HelpLine| {
        let what = LayoutJob::simple(line.what.clone(), font.clone(), Color32::WHITE, widths.what);
        let mut keys = keys(ui, line);
        keys.wrap.max_width = widths.keys;
        [what, keys].map(|job| laid_out(ui, job).size().y).into_iter().fold(0.0, f32::max)
    };
    let groups = lines.chunk_by(|a, b| a.group == b.group);
    groups.map(|lines| Group { lines, height: heading + lines.iter().map(height).sum::<f32>() }).collect()
}

/// Width of the widest part of the keys that no line break divides, points.
fn widest_part(ui: &Ui, line: &HelpLine) -> f32 {
    let galley = laid_out(ui, keys(ui, line));
    let glyphs: Vec<_> = galley.rows.iter().flat_map(|row| &row.glyphs).collect();
    let parts = glyphs.split(|glyph| glyph.chr == ' ').filter_map(|part| Some((part.first()?, part.last()?)));
    parts.map(|(first, last)| last.max_x() - first.pos.x).fold(0.0, f32::max).ceil() + 1.0
}

impl Widths {
    fn of(ui: &Ui, lines: &[HelpLine]) -> Self {
        let font = TextStyle::Body.resolve(ui.style());
        let width = |job: LayoutJob| laid_out(ui, job).size().x.ceil() + 1.0;
        let widest = |job: &dyn Fn(&HelpLine) -> LayoutJob| lines.iter().map(|it| width(job(it))).fold(0.0, f32::max);
        let what = |line: &HelpLine| LayoutJob::simple_singleline(line.what.clone(), font.clone(), Color32::WHITE);
        Widths { what: widest(&what), keys: widest(&|line| keys(ui, line)) }
    }

    fn column(self) -> f32 {
        self.what + MARGIN + self.keys
    }

    /// Makes a column at most this wide: long key lists wrap, and where that is not enough, descriptions too.
    fn shrink_to(&mut self, column: f32) {
        let keys = self.keys.min(MIN_WIDTH).max(column - self.what - MARGIN).min(self.keys);
        self.what = self.what.min((column - keys - MARGIN).max(MIN_WIDTH));
        self.keys = keys;
    }
}

/// The overlay with all keys and mouse actions in columns. The mouse wheel, PgUp, PgDn, Home and End scroll it if it does not
/// fit.
pub(super) fn help(
    context: &Context,
    lines: &[HelpLine],
    is_interactive: bool,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let window = context.content_rect();
    let words: String = context.data(|data| data.get_temp(Id::new(SEARCH))).unwrap_or_default();
    let found: Vec<HelpLine> =
        lines.iter().filter(|line| fit(&words, &line.what, &line.searched()).is_some()).cloned().collect();
    // Over the panels, under the overlay.
    let shade = context.layer_painter(LayerId::new(Order::Middle, Id::new("help-shade")));
    shade.rect_filled(window, 0.0, Color32::from_black_alpha(SHADE));
    let frame = egui::Frame::window(&context.style());
    let room = window.size() - vec2(2.0 * MARGIN, 2.0 * MARGIN) - frame.total_margin().sum();
    egui::Window::new(TITLE)
        .id(Id::new("help"))
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .order(Order::Foreground)
        .frame(frame)
        .show(context, |ui| {
            // What is searched for changes no column.
            let plan = Plan::of(ui, lines, room - vec2(0.0, HEAD));
            let groups = groups(ui, &found, plan.widths);
            let columns = plan.columns(&groups);
            ui.set_width(plan.width().min(room.x));
            ui.set_max_height(room.y);
            ui.horizontal(|ui| heading(ui, is_interactive.then_some(&words[..]), key, commands));
            ui.separator();
            let height = room.y - ui.cursor().top() + ui.min_rect().top();
            let height = if tallest(&columns) > height { height - FOOT } else { height };
            let shown = ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                scroll_by_keys(ui, height);
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = COLUMN_GAP;
                    for column in columns {
                        ui.vertical(|ui| list(ui, column, plan.widths));
                    }
                });
            });
            let left = shown.content_size.y - shown.inner_rect.height() - shown.state.offset.y;
            if shown.content_size.y > shown.inner_rect.height() + 0.5 {
                let text =
                    if left > 0.5 { "More below: mouse wheel, PgDn" } else { "End; scroll back: mouse wheel, PgUp" };
                ui.add_space(2.0);
                ui.vertical_centered(|ui| ui.colored_label(quiet(ui), text));
            }
        });
}

/// The title, the field for words to search for if there is one, and how to close the overlay.
fn heading(ui: &mut Ui, words: Option<&str>, key: KeyName<'_>, commands: &mut Vec<Command>) {
    ui.heading(TITLE);
    if let Some(words) = words {
        search(ui, words);
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        if ui.add(key_button(ui, "Close", key("cancel").as_deref())).clicked() {
            commands.push(Command::Display(DisplayCommand::Show(Show::Help, false)));
        }
    });
}

/// The field for the words that a line must have; and how to find commands without a key.
fn search(ui: &mut Ui, words: &str) {
    let mut text = words.to_owned();
    let edit = TextEdit::singleline(&mut text).desired_width(SEARCH_WIDTH).hint_text("Search");
    let field = ui.add(edit).on_hover_text(keyed(ui, "Words of what you want to do. All commands ({palette})"));
    frame_focus(ui, &field);
    spoken::name_control(ui.ctx(), field.id, "Search");
    // What is typed once the help is open are words.
    let is_new = ui.data(|data| data.get_temp::<String>(Id::new(SEARCH))).is_none();
    if is_new {
        field.request_focus();
    }
    if field.changed() || is_new {
        ui.data_mut(|data| data.insert_temp(Id::new(SEARCH), text));
    }
}

/// Forgets what was searched for, once the help is closed.
pub(super) fn forget_search(context: &Context) {
    context.data_mut(|data| data.remove_temp::<String>(Id::new(SEARCH)));
}

/// Scrolls by a page, or to an end.
fn scroll_by_keys(ui: &Ui, page: f32) {
    const ALL: f32 = 1e5;
    let page = 0.9 * page;
    for (key, shift) in [(Key::PageDown, -page), (Key::PageUp, page), (Key::End, -ALL), (Key::Home, ALL)] {
        if ui.input(|input| input.key_pressed(key)) {
            ui.scroll_with_delta_animation(vec2(0.0, shift), egui::style::ScrollAnimation::none());
        }
    }
}

/// One column of groups; the keys of all lines are aligned.
fn list(ui: &mut Ui, groups: &[Group<'_>], widths: Widths) {
    ui.set_width(widths.column());
    // Lines have their space in themselves.
    ui.spacing_mut().item_spacing = vec2(MARGIN, 0.0);
    for (at, Group { lines, .. }) in groups.iter().enumerate() {
        if at > 0 {
            ui.add_space(GROUP_SPACE);
        }
        ui.label(RichText::new(lines[0].group).strong());
        ui.add_space(TIGHT);
        for line in *lines {
            ui.horizontal_top(|ui| {
                let what = Label::new(RichText::new(&line.what).color(quiet(ui)));
                ui.scope(|ui| {
                    ui.set_width(widths.what);
                    ui.add(what);
                });
                ui.scope(|ui| {
                    ui.set_max_width(widths.keys);
                    ui.add(Label::new(keys(ui, line)).wrap());
                });
            });
        }
    }
}

/// The keys of a line. A line break comes only between two keys.
fn keys(ui: &Ui, line: &HelpLine) -> LayoutJob {
    let text = beside_keys(ui, ui.visuals().text_color());
    let mut job = LayoutJob::default();
    if !line.actions.is_empty() {
        // Words alone are as high as a description.
        let height = text.line_height.filter(|_| !line.chords.is_empty());
        job.append(&line.actions.join("; "), 0.0, TextFormat { line_height: height, ..text.clone() });
    }
    for chords in &line.chords {
        if let [name] = &chords.names[..] {
            if !job.is_empty() {
                job.append("  ", 0.0, text.clone());
            }
            key_cap(ui, &format!("{}{name}", chords.prefix), &mut job);
            continue;
        }
        for (at, name) in chords.names.iter().enumerate() {
            if !job.is_empty() {
                job.append(if at == 0 { "  " } else { " " }, 0.0, text.clone());
            }
            if at == 0 && !chords.prefix.is_empty() {
                key_cap(ui, chords.prefix.trim_end_matches(['+', ' ']), &mut job);
                job.append(if chords.prefix.ends_with('+') { PLUS } else { NO_BREAK }, 0.0, text.clone());
            }
            key_cap(ui, name, &mut job);
        }
    }
    // All last lines are equally high, whatever is in them.
    job.append(" ", 0.0, text);
    job
}

/// All ways to divide the groups into this number of columns.
fn partitions<'a>(groups: &'a [Group<'a>], count: usize) -> Vec<Vec<&'a [Group<'a>]>> {
    if count == 1 {
        return vec![vec![groups]];
    }
    let divided = (1..groups.len()).map(|end| groups.split_at(end));
    let columns = divided.flat_map(|(first, rest)| {
        partitions(rest, count - 1).into_iter().map(move |others| [vec![first], others].concat())
    });
    columns.collect()
}

/// Height of the tallest column, points.
fn tallest(columns: &[&[Group<'_>]]) -> f32 {
    let height = |groups: &[Group<'_>]| {
        groups.iter().map(|group| group.height).sum::<f32>() + GROUP_SPACE * groups.len().saturating_sub(1) as f32
    };
    columns.iter().map(|groups| height(groups)).fold(0.0, f32::max)
}

/// How to move a target.
pub(super) fn ways_to_move(viewer: &Viewer) -> String {
    let ball = if viewer.session().targets().len() > 1 { "Drag a ball." } else { "Drag the ball." };
    match viewer.display().motion_axes {
        MotionAxes::View => format!("{ball} Arrow keys: left, right, away, closer. PgUp, PgDn: up, down."),
        MotionAxes::World => format!("{ball} Arrow keys, PgUp and PgDn: along the axes of the world."),
        MotionAxes::Local => format!("{ball} Arrow keys, PgUp and PgDn: along the effector's own axes."),
    }
}

/// The keys of some commands, drawn as keys and named as on the user's keyboard, each with what it does. A click does it too.
pub(super) fn key_hints(ui: &mut Ui, key: KeyName<'_>, hints: &[(&str, &str)], commands: &mut Vec<Command>) {
    let row = |ui: &mut Ui| {
        for (command, what) in hints {
            let Some(name) = key(command) else { continue };
            let mut job = LayoutJob::default();
            key_cap(ui, &name, &mut job);
            job.append(&format!(" {what}").replace(' ', NO_BREAK), 0.0, beside_keys(ui, quiet(ui)));
            // In one piece: a second line would be a control of its own.
            let hint = ui.add(Label::new(job).extend().selectable(false).sense(Sense::click()));
            hint.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("{what} ({name})")));
            if hint.on_hover_cursor(CursorIcon::PointingHand).clicked() {
                commands.extend(command.parse::<Command>());
            }
        }
    };
    ui.scope(|ui| {
        // Lines are as high as their texts.
        ui.spacing_mut().interact_size.y = 0.0;
        ui.horizontal_wrapped(row);
    });
}

/// The key bindings, and the labels of the bound keys.
type Keys = (Arc<Bindings>, Arc<HashMap<String, String>>);

/// Shares the keys with the hints of a pass.
pub(super) fn share_keys(context: &Context, bindings: &Arc<Bindings>, label: impl Fn(&str) -> Option<String>) {
    let labels = bindings.codes().filter_map(|code| Some((code.to_owned(), label(code)?))).collect();
    let keys: Keys = (bindings.clone(), Arc::new(labels));
    context.data_mut(|data| data.insert_temp(Id::NULL, keys));
}

/// A hint with the name of the key in the place of each command: `Play ({motion.toggle})`. A command without a key leaves
/// nothing.
pub(super) fn keyed(ui: &Ui, hint: &str) -> String {
    let keys = ui.data(|data| data.get_temp::<Keys>(Id::NULL));
    let key = |command: &str| {
        let (bindings, labels) = keys.as_ref()?;
        bindings.key_for(&command.parse().ok()?, |code| labels.get(code).cloned())
    };
    let mut parts = hint.split(" ({");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (command, rest) in parts.filter_map(|part| part.split_once("})")) {
        text += &key(command).map_or_else(String::new, |key| format!(" ({key})"));
        text += rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hud::test_input::frame;

    /// What a hint reads with these changes of the keys.
    fn read(hint: &str, changes: &[(&str, &str)]) -> String {
        let changes = changes.iter().map(|(chord, action)| ((*chord).to_owned(), (*action).to_owned())).collect();
        let (context, mut text) = (Context::default(), String::new());
        share_keys(&context, &Arc::new(Bindings::with_changes(&changes).0), |_| None);
        let _ = frame(&context, vec2(100.0, 100.0), Vec::new(), |ui| text = keyed(ui, hint));
        text
    }

    #[test]
    fn hints_name_the_keys_that_are_bound() {
        let hint = "Play ({motion.toggle}), or wait ({pause.toggle}).";
        assert_eq!(read(hint, &[]), "Play (P), or wait (Space).");
        let changes = [("KeyP", "none"), ("F9", "motion.toggle"), ("Space", "none")];
        assert_eq!(read(hint, &changes), "Play (F9), or wait.");
    }

    #[test]
    fn every_command_in_a_hint_has_a_key() {
        for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/hud/panel")).expect("sources") {
            let source = std::fs::read_to_string(file.expect("a file").path()).expect("text");
            // Braces are doubled in what is formatted.
            let source = source.replace("{{", "{").replace("}}", "}");
            for (command, _) in source.split("({").skip(1).filter_map(|part| part.split_once("})")) {
                assert!(read(&format!("a ({{{command}}})"), &[]).len() > 3, "{command} has no key");
            }
        }
    }

    #[test]
    fn columns_keep_to_their_width_and_no_part_of_them_vanishes() {
        for (what, keys) in [(100.0, 200.0), (300.0, 20.0), (300.0, 300.0), (30.0, 30.0)] {
            for column in [20.0, 90.0, 150.0, 320.0, 1000.0] {
                let mut widths = Widths { what, keys };
                let before = widths.column();
                widths.shrink_to(column);
                let Widths { what: new_what, keys: new_keys } = widths;
                assert!(new_what >= what.min(MIN_WIDTH) && new_keys >= keys.min(MIN_WIDTH), "{new_what} {new_keys}");
                assert!(
                    widths.column() <= before.min(column.max(2.0 * MIN_WIDTH + MARGIN)) + 1e-3,
                    "{what} {keys} {column}"
                );
                assert!(before > column || (new_what, new_keys) == (what, keys));
            }
        }
    }
}
