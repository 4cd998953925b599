//! The list of effectors, how each of them is held, and what is missing to know the figure as a person.

use super::joints::filter;
use super::section::{copy_lines, hint};
use super::{LIST, MANY};
use crate::hud::help::keyed;
use crate::hud::labels::point_at;
use crate::hud::names::{fitted_beside, full_name};
use crate::hud::number::length_suffix;
use crate::hud::spoken::name_part;
use crate::hud::style::{WARNING, color32, dot, legible, quiet};
use crate::session::numbers::{VISIBLE, digits};
use crate::session::{Command, EffectorCommand, Session, SessionCommand};
use crate::view::Viewer;
use crate::view::sizes::{figure_colors, has_many_targets, target_color};
use egui::{Align, Button, CollapsingHeader, Layout, RichText, Sense, Stroke, Ui, vec2};
use fabrik3d_scene::{EffectorMode, Scene, UnknownBody};

/// What the two states of an effector mean.
pub(super) const PINNED: &str = "Pinned: it stays on its target, and what is not pinned gives way";
pub(super) const FREE: &str = "Free: it moves with the body until it is moved or pinned";
const SOFT: &str = "Soft pin: it gives way to the others, since its weight, under More, is below 1";
const HELD: &str = "Held for now: it stays on its target until another one is moved, and is free then";
const OFF: &str = "It gives way: its target is this far away";
const FOLLOWS: &str = "Its target follows a recording: the list under Motion says what of it";
const GOES_ALONG: &str = "Pinned, but it moves along while its foot is moved or the body follows a recording";

/// The list of effectors; of many, closed at first.
pub(super) fn effectors(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let (session, scene) = (viewer.session(), viewer.session().scene());
    let all = 0..scene.effectors.len();
    if all.len() <= MANY {
        return list(ui, viewer, &all.collect::<Vec<_>>(), commands);
    }
    let title = format!("{} effectors", all.len());
    CollapsingHeader::new(title).id_salt("effectors").show(ui, |ui| {
        let wanted = filter(ui);
        let is_wanted = |at: &usize| scene.shown_name(&scene.effectors[*at].name).to_lowercase().contains(&wanted);
        let found: Vec<usize> = all.filter(|at| wanted.is_empty() || is_wanted(at)).collect();
        let selected = session.selected().filter(|at| !found[..found.len().min(LIST)].contains(at));
        let shown: Vec<usize> = found.iter().copied().take(LIST).chain(selected).collect();
        list(ui, viewer, &shown, commands);
        let note = match found.len() {
            0 => "No effector has that name.".to_owned(),
            found if found > LIST => format!("and {} more: type part of the name", found - LIST),
            _ => return,
        };
        ui.colored_label(quiet(ui), RichText::new(note).small());
    });
}

/// A line for each effector: a click on its name selects it, one on its state pins or frees it.
fn list(ui: &mut Ui, viewer: &Viewer, listed: &[usize], commands: &mut Vec<Command>) {
    let (session, scene) = (viewer.session(), viewer.session().scene());
    let mut give = |command| commands.push(Command::Session(command));
    let selected = session.selected();
    let colors = figure_colors(viewer);
    for &at in listed {
        let effector = &scene.effectors[at];
        ui.horizontal(|ui| {
            name_part(ui, scene.shown_name(&effector.name));
            // Of many effectors, targets look alike, but not their figures.
            let color = if has_many_targets(scene.effectors.len()) { colors[at] } else { target_color(viewer, at) };
            let color = color32(color);
            let (word, other, meaning, action) = state(session, at);
            if effector.hold == EffectorMode::Free && session.is_free(at) {
                let (place, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
                ui.painter().circle_stroke(place.center(), 3.0, Stroke::new(1.5, color));
            } else {
                dot(ui, color);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if session.is_driven(at) {
                    ui.small("follows").on_hover_text(FOLLOWS);
                } else if session.goes_along(at) {
                    ui.small("moves along").on_hover_text(GOES_ALONG);
                } else if ui
                    .small_button(word)
                    .on_hover_text(keyed(ui, &format!("{meaning}. {action} ({{effector.pin}})")))
                    .clicked()
                {
                    give(SessionCommand::Effector(EffectorCommand::Pin(Some((effector.name.clone(), other)))));
                }
                if let Some(gap) = off(session, at) {
                    ui.label(RichText::new(gap).small().color(legible(ui.visuals(), WARNING))).on_hover_text(OFF);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let name = scene.shown_name(&effector.name);
                    let fitted = fitted_beside(ui, name, 2.0 * ui.spacing().button_padding.x);
                    let row = ui.add(Button::selectable(selected == Some(at), fitted));
                    let full = full_name(name, &effector.name);
                    hint(ui, &row, &format!("{full}: select this effector. Keys and presets then move its target"));
                    if row.hovered() {
                        point_at(ui.ctx(), name, session.displayed_tip(at));
                    }
                    if row.clicked() {
                        give(SessionCommand::EffectorSelect(effector.name.clone()));
                    }
                });
            });
        });
    }
}

/// The word for how an effector is held, what a click on it changes that to, what the word means, and what a click does.
fn state(session: &Session, at: usize) -> (&'static str, EffectorMode, &'static str, &'static str) {
    let effector = &session.scene().effectors[at];
    match effector.hold {
        EffectorMode::Pinned if effector.is_soft() => {
            ("soft pin", EffectorMode::Free, SOFT, "Click to free it; click again to pin it firmly, with weight 1")
        }
        EffectorMode::Pinned => ("pinned", EffectorMode::Free, PINNED, "Click to free it"),
        EffectorMode::Free if session.is_free(at) => ("free", EffectorMode::Pinned, FREE, "Click to pin it here"),
        EffectorMode::Free => ("held", EffectorMode::Pinned, HELD, "Click to pin it"),
    }
}

/// How far what is pinned is from its target, if anybody can see it. The status tells it of the selected effector. The pose of a
/// lesson is another one.
fn off(session: &Session, at: usize) -> Option<String> {
    let (scene, effector) = (session.scene(), &session.scene().effectors[at]);
    let gap = session.residual(at).filter(|gap| *gap > VISIBLE * scene.effector_size(effector))?;
    let unit = length_suffix(scene);
    (effector.hold == EffectorMode::Pinned && Some(at) != session.selected() && session.lesson().is_none())
        .then(|| format!("{}{unit} off", digits(gap)))
}

/// Why the figure is not known as a person, and lines to copy for a file that names its parts.
pub(super) fn unknown_body(ui: &mut Ui, scene: &Scene, unknown: &UnknownBody) {
    let note = ui.colored_label(quiet(ui), RichText::new(unknown.note()).small());
    let (lines, file) = (unknown.lines().join("\n"), scene.limits_file_name().unwrap_or_default());
    if lines.is_empty() {
        note.on_hover_text(format!("If it is a person, {}", unknown.remedy(&file)));
        return;
    }
    let hint = format!(
        "Paste them into a text file {file} beside the figure. Replace the words in capitals, such as HEAD, with the names of its joints, \
         which the window shows ({{toggle names}}). The ankle is often the last but one of a leg, above the toes. Left is the figure's own left. Then read the figure again ({{reload}}).\n\n[names]\n{lines}"
    );
    let comment =
        "# Replace each word in capitals with the name of that joint in this figure. Then read the figure again.";
    copy_lines(ui, ("lines", &file), format!("[names]\n{comment}\n{lines}\n"), &hint);
}
