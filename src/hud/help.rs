//! The help overlay: the bindings, as the table that binds them says.

use super::style::quiet;
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show};
use crate::view::HelpLine;
use egui::{Align2, RichText, ScrollArea, Ui};

/// Width of a column, points.
const COLUMN: f32 = 372.0;

/// The overlay with all keys and mouse actions, in as many columns as there is room for, three at most.
pub(super) fn help(context: &egui::Context, lines: &[HelpLine], commands: &mut Vec<Command>) {
    let room = context.content_rect().size() - egui::vec2(24.0, 24.0);
    let frame = egui::Frame::window(&context.style()).fill(context.style().visuals.window_fill.to_opaque());
    let margin = frame.total_margin().sum();
    let columns = (((room.x - margin.x) / COLUMN) as usize).clamp(1, 3);
    let is_narrow = room.x - margin.x < COLUMN;
    egui::Window::new("help")
        .title_bar(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .order(egui::Order::Foreground)
        .frame(frame)
        .show(context, |ui| {
            ui.set_width((columns as f32 * COLUMN).min(room.x - margin.x));
            ui.set_max_height(room.y - margin.y);
            ui.horizontal(|ui| {
                ui.heading("Keys and mouse");
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.button("Close (Esc)").clicked() {
                        commands.push(Command::Display(DisplayCommand::Show(Show::Help, false)));
                    }
                });
            });
            ui.separator();
            let height = room.y - margin.y - ui.cursor().top() + ui.min_rect().top();
            ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = 0.0;
                    for (at, column) in balanced(lines, columns).into_iter().enumerate() {
                        ui.vertical(|ui| {
                            ui.set_width(ui.available_width().min(COLUMN));
                            list(ui, column, at, is_narrow);
                        });
                    }
                });
            });
        });
}

/// One column: groups with their lines; where it is narrow, keys stand below what they do.
fn list(ui: &mut Ui, lines: &[HelpLine], column: usize, is_narrow: bool) {
    for (at, group) in lines.chunk_by(|a, b| a.group == b.group).enumerate() {
        if at > 0 {
            ui.add_space(8.0);
        }
        ui.label(RichText::new(group[0].group).strong());
        if is_narrow {
            for line in group {
                ui.add(egui::Label::new(RichText::new(&line.what).color(quiet(ui))).wrap());
                ui.indent(&line.what, |ui| ui.add(egui::Label::new(&line.keys).wrap()));
            }
            continue;
        }
        egui::Grid::new((column, at)).num_columns(2).spacing([14.0, 3.0]).show(ui, |ui| {
            for line in group {
                ui.colored_label(quiet(ui), &line.what);
                ui.label(&line.keys);
                ui.end_row();
            }
        });
    }
}

/// Whole groups in up to `count` columns, so that the tallest column is as short as can be.
fn balanced(lines: &[HelpLine], count: usize) -> Vec<&[HelpLine]> {
    let height = |lines: &[HelpLine]| {
        // A heading with its space is about as tall as two lines.
        lines.len() + 2 * lines.chunk_by(|a, b| a.group == b.group).count()
    };
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
            let tallest = |parts: &[&[HelpLine]]| parts.iter().map(|part| height(part)).max();
            if tallest(&parts) < tallest(&best) {
                best = parts;
            }
        }
    }
    best
}
