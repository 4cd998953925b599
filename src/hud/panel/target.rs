//! The section about the selected effector and its target.

use super::LIST;
use super::freedom::freedom;
use super::section::{SceneKind, hint, section};
use crate::hud::help::keyed;
use crate::hud::labels::point_at;
use crate::hud::names::{fitted_beside, full_name};
use crate::hud::number::{as_shown, brief, changed_in_steps, drags, length_suffix, number};
use crate::hud::status::VISIBLE;
use crate::hud::style::{WARNING, checkbox, color32, dot, legible, quiet};
use crate::session::command::Section;
use crate::session::numbers::digits;
use crate::session::{Command, EffectorCommand, PathShape, RotationCommand, Session, SessionCommand};
use crate::view::Viewer;
use crate::view::sizes::target_color;
use egui::{Align, Button, Layout, RichText, Sense, Stroke, Ui, vec2};
use fabrik3d_scene::{EffectorMode, Unit, UnknownBody};
use glam::{DQuat, DVec3, EulerRot};
use std::f64::consts::TAU;

/// Largest weight that the panel offers; commands accept any.
const MAX_WEIGHT: f64 = 10.0;
/// Most characters of a position, in its column.
const MAX_LENGTH: usize = 7;
/// Space between the columns of the frame, points.
const GAP: f32 = 4.0;
/// Smaller angles would be shown as -180.0, degrees.
const NEARLY_HALF_TURN: f64 = -179.95;
/// What roll, pitch and yaw turn about.
const ANGLES: &str = "Turns about the world's fixed x, then y, then z, as in URDF";
/// What the two states of an effector mean.
const PINNED: &str = "Pinned: the target stays in place and the solver moves the effector to it ({effector.pin})";
const SOFT: &str = "Pinned softly: it gives way to the others, since its weight, under More, is below 1. To hold it, free it and \
                    pin it again ({effector.pin})";
const OFF: &str = "It gives way: its target is this far away";
const FOLLOWS: &str = "Its target follows a recording: the list under Motion says what of it";
const GOES_ALONG: &str = "Pinned, but it moves along while its foot is moved or the body follows a recording";
const FREE: &str = "Free: the effector moves with the body until it is moved or pinned ({effector.pin})";
const HELD: &str =
    "Free, but it stays on its target until another one is moved. Pin it to keep it there ({effector.pin})";

/// The effectors, and what to do with the target of the selected one. The rest is below "More".
pub(super) fn target(ui: &mut Ui, viewer: &Viewer, kind: SceneKind, commands: &mut Vec<Command>) {
    let session = viewer.session();
    if session.scene().effectors.is_empty() {
        ui.label("This scene has no effector. Select a joint and add one.");
        return;
    }
    if session.targets().len() > 1 {
        effectors(ui, viewer, commands);
    }
    if let Some(unknown) = &session.scene().assets.unknown_body {
        unknown_body(ui, unknown);
    }
    jumps(ui, session, kind, commands);
    if kind != SceneKind::Character {
        path(ui, session, commands);
    }
    if kind == SceneKind::Robot {
        numbers(ui, session, commands);
    }
    section(ui, viewer, (Section::MoreTarget, RichText::new("More"), false), commands, |ui, commands| {
        mode(ui, session, commands);
        if kind == SceneKind::Character {
            path(ui, session, commands);
        }
        if kind != SceneKind::Robot {
            numbers(ui, session, commands);
        }
        freedom(ui, session, commands);
    });
}

/// Why the figure is not known as a person, and lines to copy for a file that names its parts.
fn unknown_body(ui: &mut Ui, unknown: &UnknownBody) {
    let note = ui.colored_label(quiet(ui), RichText::new(unknown.note()).small());
    let (lines, file) = (unknown.lines().join("\n"), &unknown.limits_file);
    if lines.is_empty() {
        note.on_hover_text(format!("If it is a person, {}", unknown.remedy()));
        return;
    }
    let hint = format!(
        "Paste them into a text file {file} beside the figure. Replace JOINT, WRIST and ANKLE by the names of its joints, which \
         the window can show ({{toggle names}}). Then read the figure again ({{reload}}).\n\n[names]\n{lines}"
    );
    let button = ui.button(RichText::new(format!("Copy lines for {file}")).small()).on_hover_text(keyed(ui, &hint));
    if button.clicked() {
        ui.ctx().copy_text(format!("[names]\n{lines}\n"));
    }
}

/// A line for each effector: a click on its name selects it, one on its state pins or frees it.
fn effectors(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let (session, scene) = (viewer.session(), viewer.session().scene());
    let mut give = |command| commands.push(Command::Session(command));
    let selected = session.selected();
    let beyond = (selected >= LIST).then_some(selected);
    for at in (0..scene.effectors.len().min(LIST)).chain(beyond) {
        let effector = &scene.effectors[at];
        ui.horizontal(|ui| {
            let color = color32(target_color(viewer, at));
            let (word, other, meaning) = state(session, at);
            match word {
                "free" => {
                    let (place, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
                    ui.painter().circle_stroke(place.center(), 3.0, Stroke::new(1.5, color));
                }
                _ => dot(ui, color),
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if session.is_driven(at) {
                    ui.small("follows").on_hover_text(FOLLOWS);
                } else if session.goes_along(at) {
                    ui.small("moves along").on_hover_text(GOES_ALONG);
                } else if ui
                    .small_button(word)
                    .on_hover_text(keyed(ui, &format!("{meaning}. A click changes it.")))
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
                    let row = ui.add(Button::selectable(selected == at, fitted));
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
    let more = scene.effectors.len().saturating_sub(LIST);
    if more > 0 {
        ui.colored_label(quiet(ui), RichText::new(format!("and {more} more: Tab selects the next one")).small());
    }
}

/// The word for how an effector is held, what a click on it changes that to, and what the word means.
fn state(session: &Session, at: usize) -> (&'static str, EffectorMode, &'static str) {
    let effector = &session.scene().effectors[at];
    match effector.hold {
        EffectorMode::Pinned if effector.is_soft() => ("soft pin", EffectorMode::Free, SOFT),
        EffectorMode::Pinned => ("pinned", EffectorMode::Free, PINNED),
        EffectorMode::Free if session.is_free(at) => ("free", EffectorMode::Pinned, FREE),
        EffectorMode::Free => ("held", EffectorMode::Pinned, HELD),
    }
}

/// How far what is pinned is from its target, if anybody can see it. The status tells it of the selected effector.
fn off(session: &Session, at: usize) -> Option<String> {
    let (scene, effector) = (session.scene(), &session.scene().effectors[at]);
    let gap = session.residual(at).filter(|gap| *gap > VISIBLE * scene.effector_size(effector))?;
    let unit = length_suffix(scene);
    (effector.hold == EffectorMode::Pinned && at != session.selected()).then(|| format!("{}{unit} off", digits(gap)))
}

/// Presets and random targets; for a character, back to the pose in which it opened.
fn jumps(ui: &mut Ui, session: &Session, kind: SceneKind, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[session.selected()];
    let mut give = |command| commands.push(Command::Session(command));
    ui.horizontal_wrapped(|ui| {
        let reset = "Back to the pose in which the scene opened ({reset})";
        if kind == SceneKind::Character && ui.button("Opening pose").on_hover_text(keyed(ui, reset)).clicked() {
            give(SessionCommand::Reset);
        }
        if !effector.presets.is_empty() {
            ui.label("Presets");
        }
        for number in 1..=effector.presets.len() {
            let button = ui.button(number.to_string()).on_hover_text(format!("Jump to preset {number}"));
            if button.clicked() {
                give(SessionCommand::TargetPreset(number));
            }
        }
        let random = "The target of the selected effector jumps to a random place within reach ({target.random})";
        if ui.button("Random").on_hover_text(keyed(ui, random)).clicked() {
            give(SessionCommand::TargetRandom);
        }
    });
}

/// The path along which the target moves.
fn path(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let mut give = |command| commands.push(Command::Session(command));
    ui.horizontal(|ui| {
        ui.label("Path");
        let running = session.target_path();
        if ui.selectable_label(running.is_none(), "none").on_hover_text("The target stays where it is").clicked() {
            give(SessionCommand::TargetPath(None));
        }
        for (name, shape) in PathShape::NAMES {
            let hint = match shape {
                PathShape::Circle => "The target runs along a horizontal circle around the base",
                PathShape::Figure8 => "The target runs along a figure eight",
                PathShape::Line => "The target runs back and forth along a line",
            };
            let name = if shape == PathShape::Figure8 { "figure 8" } else { name };
            if ui.selectable_label(running == Some(shape), name).on_hover_text(hint).clicked() {
                give(SessionCommand::TargetPath(Some(shape)));
            }
        }
    });
}

/// Target and effector in numbers, and whether the orientation counts.
fn numbers(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    // Those of a lesson's steps are in the picture only.
    let frame = session.tool_frame(session.selected()).filter(|_| session.lesson().is_none());
    let rotation = session.target(session.selected()).rotation();
    let names = match session.scene().length_unit() {
        Some(_) => ["x (m)", "y (m)", "z (m)"],
        None => ["x", "y", "z"],
    };
    heading(ui, names, "In the world");
    position(ui, session, commands);
    if let Some(frame) = frame {
        let place = frame.position.to_array().map(|at| brief(at, 3, MAX_LENGTH));
        effector(
            ui,
            place,
            "The effector is the point of the figure that goes to the target. Its position in the world",
        );
    }
    // Above the rows that it adds, so that it stays under the pointer.
    let hint = "Makes the current orientation part of the target; turn it with the rings, or Ctrl and the arrow keys ({target.rotation toggle})";
    if checkbox(ui, &mut rotation.is_some(), "Match orientation").on_hover_text(keyed(ui, hint)).changed() {
        commands.push(Command::Session(SessionCommand::Rotation(RotationCommand::Toggle)));
    }
    if rotation.is_some() || frame.is_some() {
        heading(ui, ["roll", "pitch", "yaw"], ANGLES);
    }
    if let Some(rotation) = rotation {
        orientation(ui, rotation, commands);
    }
    if let Some(frame) = frame {
        let [x, y, z, w] = frame.rotation.to_array();
        let turn = roll_pitch_yaw(frame.rotation).to_array().map(|angle| Unit::Degrees.text(angle));
        effector(ui, turn, &format!("{ANGLES}\nAs a quaternion (x y z w): {x:.5} {y:.5} {z:.5} {w:.5}"));
    }
}

/// The names of three columns.
fn heading(ui: &mut Ui, names: [&str; 3], hint: &str) {
    columns(ui, ("", 10.0), |ui, axis, _| {
        ui.colored_label(quiet(ui), RichText::new(names[axis]).small()).on_hover_text(hint);
    });
}

/// Three numbers of the effector.
fn effector(ui: &mut Ui, numbers: [String; 3], hint: &str) {
    columns(ui, ("Effector", 14.0), |ui, axis, _| drop(ui.monospace(&numbers[axis]).on_hover_text(hint)));
}

/// The target's coordinates. Dragging a number moves the target smoothly, typing one makes it jump.
fn position(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(place) = session.target(session.selected()).place() else { return };
    let size = session.size_of_selected();
    // Coordinates in millimetres need fewer decimals, and have no room for more.
    let decimals = if size < 50.0 { 3 } else { 1 };
    let hints = ["x", "y", "z"].map(|axis| format!("{axis} of the target in the world: drag, or click and type"));
    if let Some((moved, is_dragged)) = three_fields(ui, (decimals, 0.005 * size, ""), place, hints) {
        commands.push(Command::Session(match is_dragged {
            true => SessionCommand::TargetMove(moved - place),
            false => SessionCommand::TargetSet(None, moved),
        }));
    }
}

/// The target's angles. Dragging a number turns the target smoothly, typing one makes it jump.
fn orientation(ui: &mut Ui, rotation: DQuat, commands: &mut Vec<Command>) {
    let hints = ["Roll, about x", "Pitch, about y", "Yaw, about z"].map(|hint| format!("{hint}. {ANGLES}"));
    if let Some((angles, is_dragged)) = three_fields(ui, (1, 0.5, "°"), roll_pitch_yaw(rotation), hints) {
        let [roll, pitch, yaw] = angles.to_array().map(f64::to_radians);
        let turned = DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll);
        let by = (turned * rotation.conjugate()).to_scaled_axis().map(f64::to_degrees);
        commands.push(Command::Session(SessionCommand::Rotation(match is_dragged {
            true => RotationCommand::Turn(by),
            false => RotationCommand::Set(turned),
        })));
    }
}

/// Three numbers of the target with this number of decimals, change per point of dragging, and unit. Returns the numbers after
/// a change, and whether one of them is dragged.
fn three_fields(
    ui: &mut Ui,
    (decimals, speed, unit): (usize, f64, &str),
    values: DVec3,
    hints: [String; 3],
) -> Option<(DVec3, bool)> {
    let mut changed = None;
    columns(ui, ("Target", 18.0), |ui, axis, column| {
        let shown = as_shown(values[axis], decimals, f64::NEG_INFINITY..=f64::INFINITY);
        let mut value = shown;
        let field = number(ui.ctx(), &mut value).speed(speed).fixed_decimals(decimals).suffix(unit);
        let response = ui.add_sized([column, 18.0], field).on_hover_text(&hints[axis]);
        if value != shown {
            let mut after = values;
            after[axis] = value;
            changed = Some((after, drags(&response)));
        }
    });
    changed
}

/// A row of this name and height with one thing for each of three axes, which gets the number of the axis and the width of its
/// column.
fn columns(ui: &mut Ui, (name, height): (&str, f32), mut each: impl FnMut(&mut Ui, usize, f32)) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        ui.spacing_mut().interact_size.y = height;
        let width = 0.25 * (ui.available_width() - 3.0 * GAP);
        for column in 0..4 {
            let align = if column == 0 { Layout::left_to_right } else { Layout::right_to_left };
            ui.allocate_ui_with_layout(vec2(width, height), align(Align::Center), |ui| {
                ui.set_min_width(width);
                match column {
                    0 => drop(ui.colored_label(quiet(ui), name)),
                    _ => each(ui, column - 1, width),
                }
            });
        }
    });
}

/// The angles of a rotation about the world's fixed x, then y, then z, in degrees, as URDF has them. Half a turn is shown as
/// 180, whichever way it goes.
fn roll_pitch_yaw(rotation: DQuat) -> DVec3 {
    let (yaw, pitch, roll) = rotation.to_euler(EulerRot::ZYX);
    let shown = |angle: f64| if angle.to_degrees() < NEARLY_HALF_TURN { angle + TAU } else { angle };
    DVec3::new(roll, pitch, yaw).map(|angle| shown(angle).to_degrees())
}

/// Whether the effector is pinned or free, and its weight.
fn mode(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[session.selected()];
    let give = |commands: &mut Vec<Command>, command| commands.push(Command::Session(command));
    ui.horizontal(|ui| {
        // Several effectors have their states in the list above.
        let modes = [("pinned", EffectorMode::Pinned, PINNED), ("free", EffectorMode::Free, FREE)];
        for (name, mode, hint) in modes.into_iter().filter(|_| session.targets().len() == 1) {
            let chosen = effector.hold == mode;
            if ui.selectable_label(chosen, name).on_hover_text(keyed(ui, hint)).clicked() && !chosen {
                give(commands, SessionCommand::Effector(EffectorCommand::Pin(Some((effector.name.clone(), mode)))));
            }
        }
        let hint = "Importance when not all targets can be reached; 0: the target is ignored";
        let weight = changed_in_steps(effector.weight, commands, |weight| {
            let field = number(ui.ctx(), weight).speed(0.01).range(0.0..=MAX_WEIGHT).max_decimals(2);
            ui.add(field.prefix("weight ")).on_hover_text(hint)
        });
        if let Some(weight) = weight {
            give(commands, SessionCommand::Effector(EffectorCommand::Weight(effector.name.clone(), weight)));
        }
    });
    ui.horizontal(|ui| {
        let hint = "Moving this target moves all targets ({effector.all})";
        if checkbox(ui, &mut session.all_selected(), "Move all").on_hover_text(keyed(ui, hint)).changed() {
            give(commands, SessionCommand::Effector(EffectorCommand::All));
        }
        if ui
            .button("Remove effector")
            .on_hover_text(keyed(ui, "Removes the selected effector ({effector.remove})"))
            .clicked()
        {
            give(commands, SessionCommand::Effector(EffectorCommand::Remove(Some(effector.name.clone()))));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::random::Random;

    #[test]
    fn half_a_turn_has_one_sign_and_every_rotation_its_angles() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            // Near half a turn about z, from either side.
            let near = DQuat::from_rotation_z(std::f64::consts::PI + random.range(-5e-4, 5e-4));
            assert_eq!(Unit::Degrees.text(roll_pitch_yaw(near).z), "180.0°");
            let rotation = random.rotation();
            let [roll, pitch, yaw] = roll_pitch_yaw(rotation).to_array().map(f64::to_radians);
            assert!(DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll).angle_between(rotation) < 1e-6);
        }
    }
}
