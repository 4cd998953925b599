//! The limits of the selected joint, and how to change them.

use super::section::{INDENT, copy_lines, hint};
use crate::hud::file_name;
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
    let place = match limits_file(scene) {
        None => "in the file".to_owned(),
        Some(_) if is_own(scene, joint) => "with the lines to copy below".to_owned(),
        Some(file) => {
            format!("in {file} beside the figure, which counts tilts from the axes that --no-body-limits shows")
        }
    };
    let name = &description.name;
    hint(ui, &limits, &format!("{alone}Change them {place}; or as it opens: --set joint.{name}.{key}, in degrees"));
}

/// The name of the limits file of a character.
fn limits_file(scene: &Scene) -> Option<String> {
    Some(file_name(&limits_path(scene.assets.source.as_deref()?)).into_owned())
}

/// Whether the axes of a joint are those of its file. The limits of a person turn them to where the joint bends.
fn is_own(scene: &Scene, joint: usize) -> bool {
    let is_free = matches!(scene.skeleton.kind(joint), Kind::Fixed | Kind::Free);
    !is_free && !scene.assets.human_limits.joints.contains(&joint)
}

/// A button that copies the limits of a joint of a character for its limits file, if they mean the same there.
pub(super) fn limits_lines(ui: &mut Ui, scene: &Scene, joint: usize) {
    let Some(file) = limits_file(scene).filter(|_| is_own(scene, joint)) else { return };
    let lines = scene.limits_lines(joint);
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
