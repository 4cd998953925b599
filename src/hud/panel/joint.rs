//! The values of the selected joint, with sliders between its limits.

use super::tree::joint_name;
use crate::hud::number::{as_shown, begins_step, number};
use crate::hud::style::quiet;
use crate::session::{Command, EffectorCommand, JointCommand, SessionCommand};
use crate::view::Viewer;
use egui::{Color32, Grid, RichText, Slider, Ui};
use fabrik3d_ik::{Joint, Kind, Mimic};
use fabrik3d_scene::{JointValue, Unit};

/// Fraction of the range within which a value counts as at its limit.
const AT_LIMIT: f64 = 1e-3;
/// Width of the number, and of everything beside the slider, points.
const NUMBER: f32 = 66.0;
const BESIDE_SLIDER: f32 = 140.0;
/// Change of a number per point of dragging: degrees, and fraction of the reach for lengths.
const ANGLE_SPEED: f64 = 0.5;
const LENGTH_SPEED: f64 = 0.002;

/// Name and values of a joint in the displayed pose.
pub(super) fn joint(ui: &mut Ui, viewer: &Viewer, joint: usize, commands: &mut Vec<Command>) {
    let session = viewer.session();
    let description = &session.scene().skeleton.joints()[joint];
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(joint_name(viewer, joint)).strong());
        if let Some(mimic) = description.mimic {
            ui.colored_label(quiet(ui), "follows");
            let leader = &session.scene().skeleton.joints()[mimic.joint].name;
            let link =
                ui.link(session.scene().shown_name(leader)).on_hover_text("Select the joint that moves this one");
            if link.clicked() {
                commands.push(Command::Session(SessionCommand::Joint(JointCommand::Select(leader.clone()))));
            }
        }
    });
    let joint_values = session.scene().joint_values(joint, session.displayed());
    if joint_values.is_empty() {
        ui.colored_label(quiet(ui), "fixed: does not move");
    }
    let slider = ui.available_width() - BESIDE_SLIDER;
    ui.add_enabled_ui(description.mimic.is_none(), |ui| {
        Grid::new("coordinates").num_columns(3).spacing([6.0, 3.0]).show(ui, |ui| {
            for (at, joint_value) in joint_values.iter().enumerate() {
                let Some(change) = show(ui, viewer, joint_value, description.mimic, slider) else { continue };
                let mut values: Vec<f64> = joint_values.iter().map(|joint_value| joint_value.value).collect();
                values[at] = change.value;
                let name = description.name.clone();
                let give = |command| Command::Session(SessionCommand::Joint(command));
                match change.kind {
                    ChangeKind::DragStart => commands.push(Command::Session(SessionCommand::TargetGrab)),
                    ChangeKind::Drag => commands.push(give(JointCommand::Glide(name, values))),
                    ChangeKind::Set => commands.push(give(JointCommand::Set(name, values))),
                }
            }
        });
    });
    if description.mimic.is_none() && description.kind != Kind::Fixed {
        stiffness(ui, description, slider, commands);
    }
    if ui
        .button("Add an effector")
        .on_hover_text("Adds an effector to this joint; it is free until it is moved or pinned (Insert)")
        .clicked()
    {
        let add = EffectorCommand::Add(Some(description.name.clone()), None);
        commands.push(Command::Session(SessionCommand::Effector(add)));
    }
    ui.add_space(4.0);
}

/// A slider for how much the joint resists.
fn stiffness(ui: &mut Ui, joint: &Joint, slider_width: f32, commands: &mut Vec<Command>) {
    let hint = "How much the joint resists: of two joints that can do the same, the less stiff one turns more";
    ui.horizontal(|ui| {
        ui.colored_label(quiet(ui), "stiffness").on_hover_text(hint);
        ui.spacing_mut().slider_width = slider_width;
        let mut stiffness = as_shown(joint.stiffness, 2, 0.0..=1.0);
        let shown = stiffness;
        let slider = Slider::new(&mut stiffness, 0.0..=1.0).fixed_decimals(2).update_while_editing(false);
        let slider = ui.add(slider).on_hover_text(hint);
        if begins_step(&slider, stiffness != shown) {
            commands.push(Command::Session(SessionCommand::TargetGrab));
        }
        if stiffness != shown {
            let command = JointCommand::Stiffness(joint.name.clone(), stiffness);
            commands.push(Command::Session(SessionCommand::Joint(command)));
        }
    });
}

/// How a joint follows another one: `1.06 times that value + 41.5°`.
fn law(mimic: Mimic, unit: Unit) -> String {
    let scale = as_shown(mimic.scale, 3, f64::NEG_INFINITY..=f64::INFINITY);
    let offset = if unit == Unit::Degrees { mimic.offset.to_degrees() } else { mimic.offset };
    let sign = if offset < 0.0 { '-' } else { '+' };
    let offset = unit.text(offset.abs());
    match (mimic.scale == 1.0, mimic.offset == 0.0) {
        (true, true) => "the same value".to_owned(),
        (true, false) => format!("that value {sign} {offset}"),
        (false, true) => format!("{scale} times that value"),
        (false, false) => format!("{scale} times that value {sign} {offset}"),
    }
}

/// A user's change of a value.
struct Change {
    value: f64,
    kind: ChangeKind,
}

/// The kind of a change.
enum ChangeKind {
    /// The pointer starts to drag the value.
    DragStart,
    /// The pointer drags the value.
    Drag,
    /// A number was typed, or the slider was clicked.
    Set,
}

/// One row: name, number, and a slider between the limits, or how the joint follows another one.
fn show(
    ui: &mut Ui,
    viewer: &Viewer,
    joint_value: &JointValue,
    mimic: Option<Mimic>,
    slider_width: f32,
) -> Option<Change> {
    ui.colored_label(quiet(ui), joint_value.name);
    // As many decimals as the field shows.
    let decimals = if joint_value.unit == Unit::Degrees { 1 } else { 4 };
    let (low, high) = joint_value.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let shown = as_shown(joint_value.value, decimals, low..=high);
    let mut value = shown;
    let near = AT_LIMIT * (high - low);
    let is_at_limit = joint_value.range.is_some() && (value - low <= near || high - value <= near);
    let warn = Color32::from_rgb(230, 159, 0);
    let field = ui
        .scope(|ui| {
            if is_at_limit {
                ui.visuals_mut().override_text_color = Some(warn);
            }
            let field = match joint_value.unit {
                Unit::Degrees => number(&mut value).speed(ANGLE_SPEED).suffix("°").fixed_decimals(1),
                Unit::Length => number(&mut value)
                    .speed(LENGTH_SPEED * viewer.session().size_of_selected())
                    .max_decimals(4)
                    .min_decimals(3),
            };
            ui.add_sized([NUMBER, 18.0], field.range(low..=high))
        })
        .inner
        .on_hover_text("Drag, or click and type");
    let slider = ui
        .vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            if let Some(mimic) = mimic {
                ui.colored_label(quiet(ui), RichText::new(law(mimic, joint_value.unit)).small());
                return None;
            }
            let ends = joint_value.range.or((joint_value.unit == Unit::Degrees).then_some((-180.0, 180.0)));
            let slider = ends.filter(|(low, high)| low < high).map(|(low, high)| {
                ui.spacing_mut().slider_width = slider_width;
                ui.spacing_mut().interact_size.y = 14.0;
                if is_at_limit {
                    ui.visuals_mut().selection.bg_fill = warn;
                }
                ui.add(Slider::new(&mut value, low..=high).show_value(false).smart_aim(false))
            });
            let text = match joint_value.range {
                Some((low, high)) => format!("{} to {}", joint_value.unit.text(low), joint_value.unit.text(high)),
                None => "no limit".to_owned(),
            };
            ui.colored_label(quiet(ui), RichText::new(text).small());
            slider
        })
        .inner;
    ui.end_row();
    let responses = || [Some(&field), slider.as_ref()].into_iter().flatten();
    // The first press on a slider already sets the value.
    let kind = if value != shown && responses().any(egui::Response::dragged) {
        ChangeKind::Drag
    } else if value != shown {
        ChangeKind::Set
    } else if responses().any(egui::Response::drag_started) {
        ChangeKind::DragStart
    } else {
        return None;
    };
    Some(Change { value, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followers_say_their_law() {
        let of = |scale, offset, unit| law(Mimic { joint: 0, scale, offset }, unit);
        assert_eq!(of(1.0, 0.0, Unit::Length), "the same value");
        assert_eq!(of(-1.0, 0.0, Unit::Degrees), "-1 times that value");
        assert_eq!(of(1.0, -0.02, Unit::Length), "that value - 0.020");
        assert_eq!(of(1.05851, 0.72349796, Unit::Degrees), "1.059 times that value + 41.5°");
    }
}
