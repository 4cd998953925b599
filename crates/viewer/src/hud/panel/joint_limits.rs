//! The limits of the selected joint, and how to change them.

use super::section::{copy_lines, hint};
use crate::hud::style::{MARGIN, quiet};
use egui::Ui;
use fabrik3d_ik::{Joint, Kind};
use fabrik3d_scene::{JointValue, Scene};

/// Whether a value is one of the two tilts of a ball.
pub(super) fn is_tilt(value: &JointValue) -> bool {
    value.name.starts_with("tilt")
}

/// The limits of a value of a joint, and how to change them. A tilt `narrows` if there is less of it while the joint also tilts
/// the other way.
pub(super) fn limits_text(ui: &mut Ui, scene: &Scene, joint: usize, value: &JointValue, narrows: bool) {
    let limits = ui.colored_label(quiet(ui), range_text(value));
    let Joint { name, kind, .. } = &scene.skeleton.joints()[joint];
    let key = match (kind, value.name) {
        (Kind::Ball { .. }, "twist") => "twist=[LOW,HIGH]",
        (Kind::Ball { .. }, _) => "swing=[TOWARD_X,TOWARD_Y,AWAY_FROM_X,AWAY_FROM_Y]",
        _ => "range=[LOW,HIGH]",
    };
    let place = if scene.limits_file_name().is_some() { "with the lines to copy below" } else { "in the file" };
    let option = match is_own(scene, joint) {
        true => format!("; or as it opens: --set joint.{name}.{key}, in degrees"),
        false => String::new(),
    };
    let less = if narrows { "Less while the joint tilts the other way too. " } else { "" };
    hint(ui, &limits, &format!("{less}Change them {place}{option}"));
}

/// Whether the axes of a joint are those of its file. The limits of a person turn them to where the joint bends.
fn is_own(scene: &Scene, joint: usize) -> bool {
    !scene.assets.human_limits.joints.contains(&joint)
}

/// A button that copies the limits of a joint of a character for its limits file; for a joint with those of a person, similar ones.
pub(super) fn limits_lines(ui: &mut Ui, scene: &Scene, joint: usize) {
    let kind = scene.skeleton.kind(joint);
    let Some(file) = scene.limits_file_name().filter(|_| !matches!(kind, Kind::Fixed | Kind::Free)) else { return };
    let is_own = is_own(scene, joint);
    let meaning = match kind {
        Kind::Ball { swing: Some(swing), .. } if is_own && swing.tilts() != [swing.tilts()[0]; 4] => {
            "degrees, for a swing toward x, toward y, away from x and away from y, and for a twist about the link"
        }
        Kind::Ball { .. } => {
            "degrees, for a swing to any side of the link in the file's own pose, and for a twist about it"
        }
        _ => "the lowest and the highest value, angles in degrees",
    };
    let effect = match is_own {
        true => "are then all limits of this joint",
        false => "replace the limits of a person, so an elbow or a knee no longer bends one way only",
    };
    let lines = scene.limits_lines(joint);
    let hint = format!(
        "Add them to a text file {file} beside the figure and change the numbers: {meaning}. They {effect}. \
         Read the figure again ({{reload}}).\n\n{lines}"
    );
    ui.horizontal(|ui| {
        ui.add_space(MARGIN);
        copy_lines(ui, ("limits", &file), lines, &hint);
    });
}

pub(super) fn range_text(value: &JointValue) -> String {
    match value.range {
        Some((low, high)) if low == high => format!("fixed at {}", value.unit.text(low)),
        Some((low, high)) => format!("{} to {}", value.unit.text(low), value.unit.text(high)),
        None => "no limit".to_owned(),
    }
}
