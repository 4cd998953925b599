//! The help overlay: the bindings, as the table that binds them says.

use super::style::quiet;
use crate::session::Command;
use crate::session::command::{DisplayCommand, Show};
use crate::view::Bindings;
use egui::{Align2, RichText};

/// The overlay with all keys and mouse actions, in two columns.
pub(super) fn help(context: &egui::Context, label: impl Fn(&str) -> Option<String>, commands: &mut Vec<Command>) {
    let lines = Bindings::help(label);
    let mut groups: Vec<(&str, Vec<_>)> = Vec::new();
    for line in &lines {
        match groups.last_mut() {
            Some((group, members)) if *group == line.group => members.push(line),
            _ => groups.push((line.group, vec![line])),
        }
    }
    let half = groups.len().div_ceil(2).min(2);
    egui::Window::new("Keys and mouse")
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .frame(egui::Frame::window(&context.style()).fill(context.style().visuals.window_fill.to_opaque()))
        .max_height(context.content_rect().height() - 24.0)
        .vscroll(true)
        .show(context, |ui| {
            ui.horizontal_top(|ui| {
                for side in [&groups[..half], &groups[half..]] {
                    ui.vertical(|ui| {
                        for (group, members) in side {
                            ui.add_space(4.0);
                            ui.label(RichText::new(*group).strong());
                            egui::Grid::new(*group).num_columns(2).spacing([18.0, 3.0]).show(ui, |ui| {
                                for line in members {
                                    ui.colored_label(quiet(ui), line.what);
                                    ui.label(&line.keys);
                                    ui.end_row();
                                }
                            });
                        }
                    });
                    ui.add_space(24.0);
                }
            });
            ui.add_space(6.0);
            if ui.button("Close (Esc)").clicked() {
                commands.push(Command::Display(DisplayCommand::Show(Show::Help, false)));
            }
        });
}
