//! The coordinates of the selected joint, with their limits.

use super::tree::joint_name;
use crate::hud::style::quiet;
use crate::ik::{Coordinates, Kind};
use crate::session::{Command, EffectorCommand, SessionCommand};
use crate::view::Stage;
use egui::{Color32, CornerRadius, Grid, Rect, RichText, Sense, Ui, pos2, vec2};
use glam::DQuat;

/// Share of a range within which a coordinate counts as at its end.
const AT_LIMIT: f64 = 1e-3;

/// One coordinate: name, value, range, and what it is measured in.
struct Reading {
    name: &'static str,
    value: f64,
    range: Option<(f64, f64)>,
    unit: Unit,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Degrees,
    Length,
}

/// Name, kind and coordinates of a joint in the displayed pose.
pub(super) fn joint(ui: &mut Ui, stage: &Stage, joint: usize, commands: &mut Vec<Command>) {
    let session = stage.session();
    let description = &session.scene().skeleton.joints()[joint];
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(joint_name(stage, joint)).strong());
        if let Some(mimic) = description.mimic {
            let leader = &session.scene().skeleton.joints()[mimic.joint].name;
            ui.colored_label(quiet(ui), format!("follows {leader}"));
        }
    });
    let readings = readings(&description.kind, &session.displayed()[joint]);
    if readings.is_empty() {
        ui.colored_label(quiet(ui), "fixed: it does not move");
    }
    Grid::new("coordinates").num_columns(3).spacing([8.0, 3.0]).show(ui, |ui| {
        for reading in readings {
            ui.colored_label(quiet(ui), reading.name);
            let text = |value: f64| match reading.unit {
                Unit::Degrees => format!("{value:.1}°"),
                Unit::Length => format!("{value:.3}"),
            };
            let (low, high) = reading.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let near = AT_LIMIT * (high - low);
            let at_limit = reading.range.is_some() && (reading.value - low <= near || high - reading.value <= near);
            let warn = Color32::from_rgb(230, 159, 0);
            let value = RichText::new(text(reading.value)).monospace();
            ui.label(if at_limit { value.color(warn) } else { value });
            match reading.range {
                Some((low, high)) => {
                    ui.vertical(|ui| {
                        ui.spacing_mut().item_spacing.y = 0.0;
                        bar(ui, (reading.value - low) / (high - low).max(1e-12), at_limit.then_some(warn))
                            .on_hover_text(format!("{} to {}", text(low), text(high)));
                        let ends = RichText::new(format!("{} to {}", text(low), text(high))).small();
                        ui.colored_label(quiet(ui), ends);
                    });
                }
                None => {
                    ui.colored_label(quiet(ui), RichText::new("no limit").small());
                }
            }
            ui.end_row();
        }
    });
    if ui.button("Put an effector here").on_hover_text("It is free until it is moved or pinned (Insert)").clicked() {
        let add = EffectorCommand::Add(Some(description.name.clone()), None);
        commands.push(Command::Session(SessionCommand::Effector(add)));
    }
    ui.add_space(4.0);
}

/// A track with a mark at a share of its length.
fn bar(ui: &mut Ui, share: f64, color: Option<Color32>) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(vec2(112.0, 12.0), Sense::hover());
    let track = Rect::from_center_size(rect.center(), vec2(rect.width(), 4.0));
    let mark = pos2(rect.left() + rect.width() * share.clamp(0.0, 1.0) as f32, rect.center().y);
    let color = color.unwrap_or(ui.visuals().selection.bg_fill);
    ui.painter().rect_filled(track, CornerRadius::same(2), ui.visuals().widgets.inactive.bg_fill);
    ui.painter().circle_filled(mark, 4.5, color);
    response
}

/// The coordinates of a joint as people read them.
fn readings(kind: &Kind, coordinates: &Coordinates) -> Vec<Reading> {
    let degrees = |name, value: f64, range: Option<(f64, f64)>| Reading {
        name,
        value: value.to_degrees(),
        range: range.map(|(low, high)| (low.to_degrees(), high.to_degrees())),
        unit: Unit::Degrees,
    };
    let length = |name, value, range| Reading { name, value, range, unit: Unit::Length };
    let turn = |rotation: DQuat| degrees("turn", 2.0 * rotation.xyz().length().atan2(rotation.w.abs()), None);
    match kind {
        Kind::Ball { swing: None, twist: None } => vec![turn(coordinates.ball_rotation())],
        Kind::Ball { swing, twist } => {
            let [a, b] = coordinates.tilt();
            let tilts = swing.map(|swing| swing.tilts());
            let range = |axis: usize| tilts.map(|tilts| (-tilts[axis + 2], tilts[axis]));
            vec![
                degrees("tilt x", a, range(0)),
                degrees("tilt y", b, range(1)),
                degrees("twist", coordinates.twist(), twist.map(|twist| (twist.low(), twist.high()))),
            ]
        }
        Kind::Hinge { range, .. } => {
            vec![degrees("angle", coordinates.value(), range.map(|range| (range.low(), range.high())))]
        }
        Kind::Slide { range, .. } => {
            vec![length("way", coordinates.value(), range.map(|range| (range.low(), range.high())))]
        }
        Kind::Fixed => Vec::new(),
        Kind::Free => {
            let place = coordinates.free_position();
            let [x, y, z] = [("x", place.x), ("y", place.y), ("z", place.z)].map(|(name, at)| length(name, at, None));
            vec![x, y, z, turn(coordinates.free_rotation())]
        }
    }
}
