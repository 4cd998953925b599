//! The help overlay: the bindings, as the table that binds them says.

use super::style::quiet;
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show};
use crate::view::HelpLine;
use egui::{Align2, Color32, Context, Id, Key, LayerId, Order, RichText, ScrollArea, TextStyle, Ui, vec2};

/// Between what keys do and the keys, and between two columns of both, points.
const GAP: f32 = 14.0;
const BETWEEN: f32 = 28.0;
/// Above a group, and between two lines, points.
const ABOVE: f32 = 8.0;
const LINES: f32 = 3.0;
/// Room for the bar that scrolls, points.
const BAR: f32 = 12.0;
/// Height of the line that tells that there is more, points.
const FOOT: f32 = 28.0;
/// Height of the heading, points.
const HEAD: f32 = 40.0;
/// So much narrower than its longest line may a column be, points.
const WRAPPED: f32 = 60.0;
/// How dark it gets behind the overlay.
const SHADE: u8 = 110;

/// Widths of what keys do and of the keys, points.
#[derive(Clone, Copy)]
struct Widths {
    what: f32,
    keys: f32,
}

impl Widths {
    fn of(ui: &Ui, lines: &[HelpLine]) -> Self {
        let font = TextStyle::Body.resolve(ui.style());
        let width = |text: &str| {
            ui.fonts_mut(|fonts| fonts.layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x).ceil()
                + 1.0
        };
        let widest = |text: fn(&HelpLine) -> &str| lines.iter().map(|line| width(text(line))).fold(0.0, f32::max);
        Widths { what: widest(|line| &line.what), keys: widest(|line| &line.keys) }
    }

    fn column(self) -> f32 {
        self.what + GAP + self.keys
    }
}

/// The overlay with all keys and mouse actions, in as many columns as there is room for, three at most. What does not fit
/// is scrolled to, with the wheel or with PgUp and PgDn, Home and End.
pub(super) fn help(context: &Context, lines: &[HelpLine], commands: &mut Vec<Command>) {
    let window = context.content_rect();
    // Over the panels, under the overlay.
    let shade = context.layer_painter(LayerId::new(Order::Middle, Id::new("help-shade")));
    shade.rect_filled(window, 0.0, Color32::from_black_alpha(SHADE));
    let room = window.size() - vec2(24.0, 24.0);
    let frame = egui::Frame::window(&context.style()).fill(context.style().visuals.window_fill.to_opaque());
    let room = room - frame.total_margin().sum();
    egui::Window::new("help")
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .order(Order::Foreground)
        .frame(frame)
        .show(context, |ui| {
            let mut widths = Widths::of(ui, lines);
            let place = room.x - BAR + BETWEEN;
            let most = (place / (widths.column() - WRAPPED + BETWEEN)).floor().clamp(1.0, 3.0) as usize;
            // Not more columns than it takes.
            let line = ui.text_style_height(&TextStyle::Body) + LINES;
            let fits = |columns: usize| tallest(&balanced(lines, columns)) as f32 * line < room.y - HEAD - FOOT;
            let columns = (1..most).find(|columns| fits(*columns)).unwrap_or(most) as f32;
            // Where columns are too wide, the longest keys wrap.
            widths.keys -= (widths.column() + BETWEEN - place / columns).max(0.0);
            ui.set_width((columns * (widths.column() + BETWEEN) - BETWEEN + BAR).min(room.x));
            ui.set_max_height(room.y);
            ui.horizontal(|ui| {
                ui.heading("Keys and mouse");
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.button("Close (Esc)").clicked() {
                        commands.push(Command::Display(DisplayCommand::Show(Show::Help, false)));
                    }
                });
            });
            ui.separator();
            let height = room.y - ui.cursor().top() + ui.min_rect().top() - FOOT;
            let shown = ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                scroll_by_keys(ui, height);
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = BETWEEN;
                    for column in balanced(lines, columns as usize) {
                        ui.vertical(|ui| list(ui, column, widths));
                    }
                });
            });
            let left = shown.content_size.y - shown.inner_rect.height() - shown.state.offset.y;
            if shown.content_size.y > shown.inner_rect.height() + 0.5 {
                let text =
                    if left > 0.5 { "More below: mouse wheel, PgDn" } else { "The end; back: mouse wheel, PgUp" };
                ui.add_space(2.0);
                ui.vertical_centered(|ui| ui.colored_label(quiet(ui), text));
            }
        });
}

/// Moves what is seen by a page, or to an end.
fn scroll_by_keys(ui: &Ui, page: f32) {
    const ALL: f32 = 1e5;
    let page = 0.9 * page;
    for (key, way) in [(Key::PageDown, -page), (Key::PageUp, page), (Key::End, -ALL), (Key::Home, ALL)] {
        if ui.input(|input| input.key_pressed(key)) {
            ui.scroll_with_delta_animation(vec2(0.0, way), egui::style::ScrollAnimation::none());
        }
    }
}

/// One column: groups with their lines, keys below each other.
fn list(ui: &mut Ui, lines: &[HelpLine], widths: Widths) {
    ui.set_width(widths.what + GAP + widths.keys);
    ui.spacing_mut().item_spacing = vec2(GAP, LINES);
    for (at, group) in lines.chunk_by(|a, b| a.group == b.group).enumerate() {
        if at > 0 {
            ui.add_space(ABOVE);
        }
        ui.label(RichText::new(group[0].group).strong());
        for line in group {
            ui.horizontal_top(|ui| {
                let what = egui::Label::new(RichText::new(&line.what).color(quiet(ui)));
                ui.scope(|ui| {
                    ui.set_width(widths.what);
                    ui.add(what);
                });
                ui.scope(|ui| {
                    ui.set_max_width(widths.keys);
                    ui.add(egui::Label::new(&line.keys).wrap());
                });
            });
        }
    }
}

/// Whole groups in up to `count` columns, so that the tallest column is as short as can be.
fn balanced(lines: &[HelpLine], count: usize) -> Vec<&[HelpLine]> {
    let ends: Vec<usize> = lines
        .chunk_by(|a, b| a.group == b.group)
        .scan(0, |end, group| {
            *end += group.len();
            Some(*end)
        })
        .collect();
    // Few groups: every way to part them can be tried.
    let mut best: Vec<&[HelpLine]> = vec![lines];
    let mut ways: Vec<Vec<usize>> = vec![vec![0]];
    for _ in 1..count {
        let longer = ways.iter().flat_map(|way| {
            let last = way.last().copied().unwrap_or(0);
            ends.iter()
                .filter(move |end| **end > last && **end < lines.len())
                .map(move |end| [way.as_slice(), &[*end]].concat())
        });
        ways = longer.collect();
        for way in &ways {
            let starts = way.iter().copied();
            let stops = way.iter().copied().skip(1).chain([lines.len()]);
            let parts: Vec<&[HelpLine]> = starts.zip(stops).map(|(start, stop)| &lines[start..stop]).collect();
            if tallest(&parts) < tallest(&best) {
                best = parts;
            }
        }
    }
    best
}

/// Lines in the longest column.
fn tallest(columns: &[&[HelpLine]]) -> usize {
    // A heading with its space is about as tall as two lines.
    let height = |lines: &[HelpLine]| lines.len() + 2 * lines.chunk_by(|a, b| a.group == b.group).count();
    columns.iter().map(|lines| height(lines)).max().unwrap_or(0)
}
