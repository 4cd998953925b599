//! The section about the selected effector and its target.

use super::effectors;
use super::freedom::freedom;
use super::section::{SceneKind, section};
use crate::hud::help::keyed;
use crate::hud::number::{MAX_LENGTH, as_shown, brief, changed_in_steps, drags, number};
use crate::hud::spoken::{name_by_hint, name_control};
use crate::hud::style::{TIGHT, checkbox, quiet};
use crate::session::command::Section;
use crate::session::numbers::ROUNDING;
use crate::session::{Command, EffectorCommand, PathShape, RotationCommand, Session, SessionCommand};
use crate::view::Viewer;
use egui::{Align, Id, Layout, RichText, Ui, vec2};
use fabrik3d_ik::goals::GoalRank;
use fabrik3d_ik::queries::angle_between;
use fabrik3d_scene::{EffectorMode, Unit, fixed};
use glam::{DQuat, DVec3, EulerRot};
use std::f64::consts::TAU;

/// Largest weight that the panel offers; commands accept any.
const MAX_WEIGHT: f64 = 10.0;
/// Smaller angles would be shown as -180.0, degrees.
const NEARLY_HALF_TURN: f64 = -179.95;
/// Smaller angles are not shown, degrees. Test: `where_roll_and_yaw_share_an_axis_an_effector_on_its_target_shows_the_same_angles`.
const NOT_SHOWN: f64 = 0.1;
/// Where the angles are that were entered last.
const ENTERED: &str = "entered angles";
/// What roll, pitch and yaw turn about.
const ANGLES: &str = "Turns about the world's fixed x, then y, then z, as in URDF";

/// The effectors, and what to do with the target of the selected one. The rest is below "More".
pub(super) fn target(ui: &mut Ui, viewer: &Viewer, kind: SceneKind, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let Some(at) = session.selected() else {
        ui.label("This scene has no effector. Select a joint and add one.");
        return;
    };
    if session.targets().len() > 1 {
        effectors::effectors(ui, viewer, commands);
    }
    if let Some(unknown) = &session.scene().assets.unknown_body {
        effectors::unknown_body(ui, session.scene(), unknown);
    }
    jumps(ui, session, at, kind, commands);
    if kind != SceneKind::Character {
        path(ui, session, commands);
    }
    if kind == SceneKind::Robot {
        numbers(ui, session, at, commands);
    }
    section(ui, viewer, (Section::MoreTarget, RichText::new("More"), false), commands, |ui, commands| {
        mode(ui, session, at, commands);
        if kind == SceneKind::Character {
            path(ui, session, commands);
        }
        if kind != SceneKind::Robot {
            numbers(ui, session, at, commands);
        }
        freedom(ui, session, at, commands);
    });
}

/// Presets and random targets; for what is posed, back to the pose in which it opened.
fn jumps(ui: &mut Ui, session: &Session, at: usize, kind: SceneKind, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[at];
    let mut give = |command| commands.push(Command::Session(command));
    ui.horizontal_wrapped(|ui| {
        let reset = "Back to the pose in which the scene opens ({reset})";
        if (kind != SceneKind::Chain || session.targets().len() > 1)
            && ui.button("Opening pose").on_hover_text(keyed(ui, reset)).clicked()
        {
            give(SessionCommand::Reset);
        }
        if !effector.presets.is_empty() {
            ui.label("Presets");
        }
        for number in 1..=effector.presets.len() {
            let button = ui.button(number.to_string()).on_hover_text(format!(
                "The target of the selected effector jumps to place {number} of the scene (key {number})"
            ));
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
fn numbers(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    // Those of a lesson's steps are in the picture only.
    let frame = session.tool_frame(at).filter(|_| session.lesson().is_none());
    let rotation = session.target(at).rotation();
    let names = match session.scene().length_unit() {
        Some(_) => ["x (m)", "y (m)", "z (m)"],
        None => ["x", "y", "z"],
    };
    heading(ui, names, "In the world");
    position(ui, session, at, commands);
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
        let [x, y, z, w] = frame.rotation.to_array().map(|part| fixed(part, 5));
        let asked = rotation.map(|rotation| shown_angles(ui, rotation));
        let turn = angles_near(frame.rotation, asked).to_array().map(|angle| Unit::Degrees.text(angle));
        effector(ui, turn, &format!("{ANGLES}\nAs a quaternion (x y z w): {x} {y} {z} {w}"));
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
fn position(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let Some(place) = session.target(at).place() else { return };
    let size = session.step_size();
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
    let angles = shown_angles(ui, rotation);
    if let Some((angles, is_dragged)) = three_fields(ui, (1, 0.5, "°"), angles, hints) {
        let turned = from_roll_pitch_yaw(angles);
        ui.data_mut(|data| data.insert_temp(Id::new(ENTERED), (turned, angles)));
        let by = (turned * rotation.conjugate()).to_scaled_axis().map(f64::to_degrees);
        commands.push(Command::Session(SessionCommand::Rotation(match is_dragged {
            true => RotationCommand::Turn(by),
            false => RotationCommand::Set(turned),
        })));
    }
}

/// The angles of the target's rotation. A rotation has several triples of angles: the one that was entered stays.
fn shown_angles(ui: &Ui, rotation: DQuat) -> DVec3 {
    let last: Option<(DQuat, DVec3)> = ui.data(|data| data.get_temp(Id::new(ENTERED)));
    let angles = last.filter(|(of, _)| angle_between(*of, rotation) < ROUNDING).map(|(_, angles)| angles);
    angles.unwrap_or_else(|| roll_pitch_yaw(rotation))
}

/// The angles of a rotation, in the triple that is nearest to these angles, if there are any.
fn angles_near(rotation: DQuat, others: Option<DVec3>) -> DVec3 {
    let own = roll_pitch_yaw(rotation);
    let Some(others) = others else { return own };
    let same = DVec3::new(own.x + 180.0, 180.0 - own.y, own.z + 180.0);
    // At a pitch of a right angle roll and yaw turn about the same axis.
    let shared = |way: f64| DVec3::new(own.x + way * (others.z - own.z), own.y, others.z);
    let is_same = |angles: &DVec3| angle_between(from_roll_pitch_yaw(*angles), rotation).to_degrees() < NOT_SHOWN;
    let triples = [own, same].into_iter().chain([1.0, -1.0].map(shared).into_iter().filter(is_same));
    let near = triples.map(|angles| angles + ((others - angles) / 360.0).round() * 360.0);
    near.min_by(|a, b| a.distance(others).total_cmp(&b.distance(others))).unwrap_or(own)
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
        name_by_hint(&response, &hints[axis]);
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
        ui.spacing_mut().item_spacing.x = TIGHT;
        ui.spacing_mut().interact_size.y = height;
        let width = 0.25 * (ui.available_width() - 3.0 * TIGHT);
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

fn from_roll_pitch_yaw(angles: DVec3) -> DQuat {
    let [roll, pitch, yaw] = angles.to_array().map(f64::to_radians);
    DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll)
}

/// The name and the hint of the switch for a target that is only preferred, and of the same for an ankle above toes.
const PREFERRED: (&str, &str) = ("preferred", "The target takes what freedom the others leave, and is never missed");
const HEEL: (&str, &str) =
    ("heel may rise", "The foot stands on its toes where it would keep the body from a target while it is flat");

/// Whether the effector is pinned or free, and its weight.
fn mode(ui: &mut Ui, session: &Session, at: usize, commands: &mut Vec<Command>) {
    let effector = &session.scene().effectors[at];
    let give = |commands: &mut Vec<Command>, command| commands.push(Command::Session(command));
    ui.horizontal(|ui| {
        // Several effectors have their states in the list above.
        let modes =
            [("pinned", EffectorMode::Pinned, effectors::PINNED), ("free", EffectorMode::Free, effectors::FREE)];
        for (name, mode, hint) in modes.into_iter().filter(|_| session.targets().len() == 1) {
            let chosen = effector.hold == mode;
            if ui
                .selectable_label(chosen, name)
                .on_hover_text(keyed(ui, &format!("{hint} ({{effector.pin}})")))
                .clicked()
                && !chosen
            {
                give(commands, SessionCommand::Effector(EffectorCommand::Pin(Some((effector.name.clone(), mode)))));
            }
        }
        let hint = "Importance when not all targets can be reached; 0: the target is ignored";
        let weight = changed_in_steps(effector.weight, commands, |weight| {
            let field = number(ui.ctx(), weight).speed(0.01).range(0.0..=MAX_WEIGHT).max_decimals(2);
            let field = ui.add(field.prefix("weight "));
            name_control(ui.ctx(), field.id, "weight");
            field.on_hover_text(hint)
        });
        if let Some(weight) = weight {
            give(commands, SessionCommand::Effector(EffectorCommand::Weight(effector.name.clone(), weight)));
        }
        let (name, hint) = if session.has_heel(at) { HEEL } else { PREFERRED };
        let mut preferred = effector.rank == Some(GoalRank::Preferred);
        if checkbox(ui, &mut preferred, name).on_hover_text(hint).changed() {
            let rank = preferred.then_some(GoalRank::Preferred);
            give(commands, SessionCommand::Effector(EffectorCommand::Rank(effector.name.clone(), rank)));
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
    use crate::hud::test_input::{click, frame, key, letters};
    use egui::{Context, Event, Key, pos2};
    use fabrik3d_ik::random::Random;

    #[test]
    fn half_a_turn_has_one_sign_and_every_rotation_its_angles() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            // Near half a turn about z, from either side.
            let near = DQuat::from_rotation_z(std::f64::consts::PI + random.range(-5e-4, 5e-4));
            assert_eq!(Unit::Degrees.text(roll_pitch_yaw(near).z), "180.0°");
            let rotation = random.rotation();
            assert!(from_roll_pitch_yaw(roll_pitch_yaw(rotation)).angle_between(rotation) < 1e-6);
            // The triple that other angles of the same rotation are in.
            let asked = DVec3::from_array(std::array::from_fn(|_| random.range(-180.0, 180.0)));
            let near = angles_near(from_roll_pitch_yaw(asked), Some(asked));
            assert!(near.distance(asked) < 1e-4, "{near} {asked}");
        }
    }

    #[test]
    fn where_roll_and_yaw_share_an_axis_an_effector_on_its_target_shows_the_same_angles() {
        let mut random = Random::new(5);
        for pitch in [90.0, -90.0] {
            for _ in 0..500 {
                let asked = DVec3::new(random.range(-180.0, 180.0), pitch, random.range(-180.0, 180.0));
                // Within the usual tolerance for orientations.
                let off = DQuat::from_scaled_axis(random.direction() * random.range(0.0, 4e-4));
                let near = angles_near(off * from_roll_pitch_yaw(asked), Some(asked));
                assert!((near - asked).abs().max_element() < 0.15, "{near} {asked}");
            }
        }
    }

    #[test]
    fn the_angles_that_were_typed_stay() {
        let (context, pitch, mut rotation) = (Context::default(), pos2(190.0, 9.0), DQuat::IDENTITY);
        let mut texts = String::new();
        // The area has its size from the second frame on.
        let before = vec![Event::PointerMoved(pitch); 3].into_iter().chain(click(pitch));
        // A pitch beyond a right angle also is a smaller one with half a turn of roll and yaw.
        for event in before.chain(letters("120")).chain([key(Key::Enter), Event::PointerGone]) {
            let mut commands = Vec::new();
            let output = frame(&context, vec2(400.0, 300.0), vec![event], |ui| {
                ui.set_width(300.0);
                orientation(ui, rotation, &mut commands);
            });
            for command in commands {
                let Command::Session(SessionCommand::Rotation(RotationCommand::Set(to))) = command else {
                    panic!("unexpected: {command:?}")
                };
                rotation = to;
            }
            texts = format!("{:?}", output.shapes);
        }
        assert!(rotation.angle_between(DQuat::from_rotation_y(120_f64.to_radians())) < 1e-6, "{rotation}");
        assert!(texts.contains("120.0°") && !texts.contains("180.0°"), "{texts}");
    }
}
