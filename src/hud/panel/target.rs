//! Where the selected effector can be sent.

use crate::session::{Command, PathShape, RotationCommand, SessionCommand};
use crate::view::Stage;
use egui::Ui;

/// Presets, random places, paths and orientation.
pub(super) fn target(ui: &mut Ui, stage: &Stage, commands: &mut Vec<Command>) {
    let session = stage.session();
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
        if ui.button("Random").on_hover_text("Jump to a random place within reach (R)").clicked() {
            give(SessionCommand::TargetRandom);
        }
    });
    ui.horizontal(|ui| {
        ui.label("Path");
        let running = session.target_path();
        if ui.selectable_label(running.is_none(), "none").clicked() {
            give(SessionCommand::TargetPath(None));
        }
        for (name, shape) in PathShape::NAMES {
            if ui.selectable_label(running == Some(shape), name).clicked() {
                give(SessionCommand::TargetPath(Some(shape)));
            }
        }
    });
    let mut wanted = session.targets()[session.selected()].rotation.is_some();
    let toggle = ui.checkbox(&mut wanted, "Orientation matters");
    if toggle.on_hover_text("Keep the orientation of now, then turn it: rings, or Ctrl with the arrows (O)").changed() {
        give(SessionCommand::Rotation(RotationCommand::Toggle));
    }
}
