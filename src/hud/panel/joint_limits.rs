//! The limits of the selected joint, and how to change them.

use super::section::{INDENT, copy_lines, hint};
use crate::hud::help::keyed;
use crate::hud::style::quiet;
use egui::Ui;
use fabrik3d_ik::Kind;
use fabrik3d_scene::{JointValue, Scene};

/// Whether a value is one of the two tilts of a ball.
pub(super) fn is_tilt(value: &JointValue) -> bool {
    value.name.starts_with("tilt")
}

/// The limits of a value of a joint, and how to change them. A tilt `narrows` if there is less of it while the joint also tilts
/// the other way.
pub(super) fn limits_text(ui: &mut Ui, scene: &Scene, joint: usize, value: &JointValue, narrows: bool) {
    let limits = ui.colored_label(quiet(ui), range_text(value));
    let description = &scene.skeleton.joints()[joint];
    let name = &description.name;
    let key = match (&description.kind, value.name) {
        (Kind::Ball { .. }, "twist") => "twist=[LOW,HIGH]",
        (Kind::Ball { .. }, _) => "swing=[TOWARD_X,TOWARD_Y,AWAY_FROM_X,AWAY_FROM_Y]",
        _ => "range=[LOW,HIGH]",
    };
    let option = format!("or as it opens: --set joint.{name}.{key}, in degrees");
    let how = match scene.limits_file_name() {
        None => format!("Change them in the file; {option}"),
        Some(_) if is_own(scene, joint) => format!("Change them with the lines to copy below; {option}"),
        Some(file) => keyed(
            ui,
            &format!(
                "For other limits, write lines like these to a text file {file} beside the figure, in degrees from the axes \
                 that --no-body-limits shows, and read the figure again ({{reload}}):\n\n[[joint]]\nname = \"{name}\"\nswing = 60"
            ),
        ),
    };
    let less = if narrows { "Less while the joint tilts the other way too. " } else { "" };
    hint(ui, &limits, &format!("{less}{how}"));
}

/// Whether the axes of a joint are those of its file. The limits of a person turn them to where the joint bends.
fn is_own(scene: &Scene, joint: usize) -> bool {
    let is_free = matches!(scene.skeleton.kind(joint), Kind::Fixed | Kind::Free);
    !is_free && !scene.assets.human_limits.joints.contains(&joint)
}

/// A button that copies the limits of a joint of a character for its limits file, if they mean the same there.
pub(super) fn limits_lines(ui: &mut Ui, scene: &Scene, joint: usize) {
    let Some(file) = scene.limits_file_name().filter(|_| is_own(scene, joint)) else { return };
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
