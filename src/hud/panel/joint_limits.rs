//! The limits of the selected joint, and how to change them.

use super::section::{INDENT, copy_lines, hint};
use crate::hud::style::quiet;
use egui::Ui;
use fabrik3d_ik::Kind;
use fabrik3d_scene::{JointValue, Scene, limits_path};

/// Whether a value is one of the two tilts of a ball.
pub(super) fn is_tilt(value: &JointValue) -> bool {
    value.name.starts_with("tilt")
}

/// The limits of a value of a joint, and how to change them.
pub(super) fn limits_text(ui: &mut Ui, scene: &Scene, joint: usize, value: &JointValue) {
    let limits = ui.colored_label(quiet(ui), range_text(value));
    let description = &scene.skeleton.joints()[joint];
    let key = match (&description.kind, value.name) {
        (Kind::Ball { .. }, "twist") => "twist=[LOW,HIGH]",
        (Kind::Ball { .. }, _) => "swing=[TOWARD_X,TOWARD_Y,AWAY_FROM_X,AWAY_FROM_Y]",
        _ => "range=[LOW,HIGH]",
    };
    let alone = if is_tilt(value) { "Less while the joint tilts the other way too. " } else { "" };
    let place = if scene.assets.source.is_some() { "with the lines to copy below" } else { "in the file" };
    let name = &description.name;
    hint(ui, &limits, &format!("{alone}Change them {place}, or as it opens: --set joint.{name}.{key}, in degrees"));
}

/// A button that copies the limits of a joint of a character for its limits file.
pub(super) fn limits_lines(ui: &mut Ui, scene: &Scene, joint: usize) {
    let Some(file) = scene.assets.source.as_deref().map(limits_path) else { return };
    let (file, lines) = (file.file_name().unwrap_or_default().to_string_lossy(), scene.limits_lines(joint));
    let hint = format!(
        "Add them to a text file {file} beside the figure and change the numbers: degrees, for a swing toward x, toward y, away from x \
         and away from y. They are then all limits of this joint. Read the figure again ({{reload}}).\n\n{lines}"
    );
    ui.horizontal(|ui| {
        ui.add_space(INDENT);
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
