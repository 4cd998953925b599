//! The dials of the selected joint: what it stands at, between its limits, to be turned by hand.

use super::tree::joint_name;
use crate::hud::style::quiet;
use crate::session::{Command, EffectorCommand, JointCommand, SessionCommand};
use crate::view::Viewer;
use egui::{Color32, DragValue, Grid, RichText, Slider, Ui};
use fabrik3d_scene::{Dial, Unit};

/// Share of a range within which a coordinate counts as at its end.
const AT_LIMIT: f64 = 1e-3;
/// Widths of a dial's number and of its slider, points.
const NUMBER: f32 = 66.0;
const TRACK: f32 = 118.0;
/// Degrees that a number changes by for each point that it is dragged; of lengths, the share of the reach.
const PACE: f64 = 0.5;
const LENGTH_PACE: f64 = 0.002;

/// Name, kind and dials of a joint in the displayed pose.
pub(super) fn joint(ui: &mut Ui, stage: &Viewer, joint: usize, commands: &mut Vec<Command>) {
    let session = stage.session();
    let description = &session.scene().skeleton.joints()[joint];
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(joint_name(stage, joint)).strong());
        if let Some(mimic) = description.mimic {
            let leader = &session.scene().skeleton.joints()[mimic.joint].name;
            ui.colored_label(quiet(ui), format!("follows {leader}"));
        }
    });
    let dials = session.scene().dials(joint, session.displayed());
    if dials.is_empty() {
        ui.colored_label(quiet(ui), "fixed: it does not move");
    }
    ui.add_enabled_ui(description.mimic.is_none(), |ui| {
        Grid::new("coordinates").num_columns(3).spacing([6.0, 3.0]).show(ui, |ui| {
            for (at, dial) in dials.iter().enumerate() {
                let Some(turned) = show(ui, stage, dial) else { continue };
                let mut values: Vec<f64> = dials.iter().map(|dial| dial.value).collect();
                values[at] = turned.value;
                let name = description.name.clone();
                let give = |command| Command::Session(SessionCommand::Joint(command));
                match turned.by {
                    Hand::Begins => commands.push(Command::Session(SessionCommand::TargetGrab)),
                    Hand::Drags => commands.push(give(JointCommand::Glide(name, values))),
                    Hand::Tells => commands.push(give(JointCommand::Set(name, values))),
                }
            }
        });
    });
    if ui.button("Put an effector here").on_hover_text("It is free until it is moved or pinned (Insert)").clicked() {
        let add = EffectorCommand::Add(Some(description.name.clone()), None);
        commands.push(Command::Session(SessionCommand::Effector(add)));
    }
    ui.add_space(4.0);
}

/// What was done to a dial.
struct Turned {
    value: f64,
    by: Hand,
}

/// How.
enum Hand {
    /// The pointer takes hold of it.
    Begins,
    /// The pointer turns it.
    Drags,
    /// A number was typed, or a place of the track clicked on.
    Tells,
}

/// One line: name, number, and a slider between the limits.
fn show(ui: &mut Ui, stage: &Viewer, dial: &Dial) -> Option<Turned> {
    ui.colored_label(quiet(ui), dial.name);
    let mut value = dial.value;
    let (low, high) = dial.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let near = AT_LIMIT * (high - low);
    let is_stopped = dial.range.is_some() && (value - low <= near || high - value <= near);
    let warn = Color32::from_rgb(230, 159, 0);
    let number = ui
        .scope(|ui| {
            if is_stopped {
                ui.visuals_mut().override_text_color = Some(warn);
            }
            let field = match dial.unit {
                Unit::Degrees => DragValue::new(&mut value).speed(PACE).suffix("°").fixed_decimals(1),
                Unit::Length => DragValue::new(&mut value)
                    .speed(LENGTH_PACE * stage.session().reach_of_selected())
                    .max_decimals(4)
                    .min_decimals(3),
            };
            ui.add_sized([NUMBER, 18.0], field.range(low..=high))
        })
        .inner
        .on_hover_text("Drag, or click and type");
    let track = ui
        .vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let ends = dial.range.or((dial.unit == Unit::Degrees).then_some((-180.0, 180.0)));
            let track = ends.filter(|(low, high)| low < high).map(|(low, high)| {
                ui.spacing_mut().slider_width = TRACK;
                ui.spacing_mut().interact_size.y = 14.0;
                if is_stopped {
                    ui.visuals_mut().selection.bg_fill = warn;
                }
                ui.add(Slider::new(&mut value, low..=high).show_value(false).smart_aim(false))
            });
            let text = match dial.range {
                Some((low, high)) => format!("{} to {}", dial.unit.text(low), dial.unit.text(high)),
                None => "no limit".to_owned(),
            };
            ui.colored_label(quiet(ui), RichText::new(text).small());
            track
        })
        .inner;
    ui.end_row();
    let responses = || [Some(&number), track.as_ref()].into_iter().flatten();
    // The first press on a track sets it already.
    let by = if responses().any(|response| response.changed() && response.dragged()) {
        Hand::Drags
    } else if responses().any(egui::Response::changed) {
        Hand::Tells
    } else if responses().any(egui::Response::drag_started) {
        Hand::Begins
    } else {
        return None;
    };
    Some(Turned { value, by })
}
