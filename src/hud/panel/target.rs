//! The section about the selected effector and its target.

use super::freedom::freedom;
use crate::hud::number::{begins_step, brief, number};
use crate::hud::style::quiet;
use crate::session::{Command, EffectorCommand, PathShape, RotationCommand, Session, SessionCommand};
use crate::view::Viewer;
use egui::{Align, Grid, Layout, Ui};
use fabrik3d_scene::{EffectorMode, Unit};
use glam::EulerRot;

/// Largest weight that the panel offers; commands accept any.
const MAX_WEIGHT: f64 = 10.0;
/// Most characters of a position, in its column.
const MAX_LENGTH: usize = 8;
/// Space between the columns of the frame, points.
const GAP: f32 = 4.0;

/// Presets, random targets, paths, mode, weight and orientation.
pub(super) fn target(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let Some(effector) = session.scene().effectors.get(session.selected()) else {
        ui.label("This scene has no effector.");
        return;
    };
    let mut give = |command| commands.push(Command::Session(command));
    ui.horizontal_wrapped(|ui| {
        for number in 1..=effector.presets.len() {
            let button = ui.button(number.to_string()).on_hover_text(format!("Jump to preset {number}"));
            if button.clicked() {
                give(SessionCommand::TargetPreset(number));
            }
        }
        if ui.button("Random").on_hover_text("Jump to a random reachable target (R)").clicked() {
            give(SessionCommand::TargetRandom);
        }
    });
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
            if ui.selectable_label(running == Some(shape), name).on_hover_text(hint).clicked() {
                give(SessionCommand::TargetPath(Some(shape)));
            }
        }
    });
    mode(ui, session, commands);
    let mut give = |command| commands.push(Command::Session(command));
    if session.lesson().is_none() {
        frame(ui, session);
    }
    let mut has_rotation = session.target(session.selected()).rotation().is_some();
    let toggle = ui.checkbox(&mut has_rotation, "Match orientation");
    if toggle
        .on_hover_text(
            "Makes the current orientation part of the target; turn it with the rings, or Ctrl and the arrow keys (O)",
        )
        .changed()
    {
        give(SessionCommand::Rotation(RotationCommand::Toggle));
    }
    freedom(ui, session, commands);
}

/// Position and orientation of the effector in numbers. Those of a lesson's steps are in the picture only.
fn frame(ui: &mut Ui, session: &Session) {
    let Some(frame) = session.tool_frame(session.selected()) else { return };
    let (yaw, pitch, roll) = frame.rotation.to_euler(EulerRot::ZYX);
    let [x, y, z, w] = frame.rotation.to_array();
    let place = frame.position.to_array().map(|at| brief(at, 3, MAX_LENGTH));
    let turn = [roll, pitch, yaw].map(|angle| Unit::Degrees.text(angle.to_degrees()));
    let lines = [
        ("Position", place, "Position of the effector in the world: x, y, z".to_owned()),
        (
            "Rotation",
            turn,
            format!(
                "Orientation of its joint in the world: roll, pitch, yaw (about the world's x, y, z, in this order).\n\
                 As a quaternion: {x:.5} {y:.5} {z:.5} {w:.5}"
            ),
        ),
    ];
    let column = 0.25 * (ui.available_width() - 3.0 * GAP);
    Grid::new("tool").num_columns(4).min_col_width(column).max_col_width(column).spacing([GAP, 2.0]).show(ui, |ui| {
        for (name, numbers, hint) in lines {
            ui.colored_label(quiet(ui), name).on_hover_text(&hint);
            for number in numbers {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.monospace(number).on_hover_text(&hint));
            }
            ui.end_row();
        }
    });
}

/// Whether the effector is pinned or free, and its weight.
fn mode(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[session.selected()];
    let mut give = |command| commands.push(Command::Session(command));
    ui.horizontal(|ui| {
        let modes = [
            ("pinned", EffectorMode::Pinned, "The target stays in place and the solver moves the effector to it (I)"),
            ("free", EffectorMode::Free, "The effector moves with the body until it is moved or pinned (I)"),
        ];
        for (name, mode, hint) in modes {
            let chosen = effector.hold == mode;
            if ui.selectable_label(chosen, name).on_hover_text(hint).clicked() && !chosen {
                give(SessionCommand::Effector(EffectorCommand::Pin(Some((effector.name.clone(), mode)))));
            }
        }
        let mut weight = effector.weight;
        let field = number(&mut weight).speed(0.01).range(0.0..=MAX_WEIGHT).max_decimals(2).prefix("weight ");
        let hint = "Importance when not all targets can be reached; 0: the target is ignored";
        let field = ui.add(field).on_hover_text(hint);
        if begins_step(&field, weight != effector.weight) {
            give(SessionCommand::TargetGrab);
        }
        if weight != effector.weight {
            give(SessionCommand::Effector(EffectorCommand::Weight(effector.name.clone(), weight)));
        }
    });
    ui.horizontal(|ui| {
        let mut all = session.all_selected();
        if ui.checkbox(&mut all, "Move all").on_hover_text("Moving this target moves all targets (Ctrl+A)").changed() {
            give(SessionCommand::Effector(EffectorCommand::All));
        }
        if ui.button("Remove").on_hover_text("Remove this effector (Delete)").clicked() {
            give(SessionCommand::Effector(EffectorCommand::Remove(Some(effector.name.clone()))));
        }
    });
}
