//! The settings of the solver and of the smoothing.

use crate::hud::number::number;
use crate::hud::style::quiet;
use crate::session::lesson::LessonCommand;
use crate::session::numbers::digits;
use crate::session::race::{Race, RaceCommand};
use crate::session::{Command, SessionCommand};
use crate::view::Viewer;
use egui::{Button, ComboBox, Grid, Slider, Ui};
use fabrik3d_ik::Method;

/// Width of everything beside a slider, points.
const BESIDE_SLIDER: f32 = 166.0;

/// Method, tolerance, iterations, smoothing and speed; lessons and comparisons.
pub(super) fn solver(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let scene = viewer.session().scene();
    let mut give = |command| commands.push(Command::Session(command));
    let set = |key: &str, value: String| SessionCommand::Set(key.to_owned(), value);
    ui.spacing_mut().slider_width = ui.available_width() - BESIDE_SLIDER;
    Grid::new("solver").num_columns(2).spacing([10.0, 5.0]).show(ui, |ui| {
        ui.colored_label(quiet(ui), "Method").on_hover_text("Next: C");
        let chosen = viewer.session().chosen_method();
        ComboBox::from_id_salt("method").selected_text(chosen.name()).wrap().show_ui(ui, |ui| {
            for method in Method::ALL {
                let label = Button::selectable(method == chosen, method.name());
                let label = ui.add_enabled(crate::solve::method_applies(scene, method), label);
                if label.on_disabled_hover_text("Only for single chains without limits").clicked() {
                    give(SessionCommand::Method(method));
                }
            }
        });
        ui.end_row();

        ui.colored_label(quiet(ui), "Tolerance")
            .on_hover_text("Distance to the target that counts as reached, in arm lengths");
        let mut tolerance = scene.settings.tolerance;
        let slider = Slider::new(&mut tolerance, 1e-9..=1e-1)
            .logarithmic(true)
            .smallest_positive(1e-9)
            .update_while_editing(false);
        ui.add(slider.custom_formatter(|value, _| digits(value)));
        if tolerance != scene.settings.tolerance {
            give(set("solver.tolerance", format!("{tolerance:e}")));
        }
        ui.end_row();

        ui.colored_label(quiet(ui), "Iterations\nper frame")
            .on_hover_text("Pairs of backward and forward passes per picture on the screen");
        let mut iterations = scene.iterations_per_frame.get();
        ui.add(number(&mut iterations).range(1..=1000).speed(0.1));
        if iterations != scene.iterations_per_frame.get() {
            give(set("solver.iterations_per_frame", iterations.to_string()));
        }
        ui.end_row();

        ui.colored_label(quiet(ui), "Smoothing").on_hover_text("Duration of the transition to a new solved pose");
        let mut seconds = scene.smoothing.duration;
        ui.add(Slider::new(&mut seconds, 0.0..=5.0).suffix(" s").max_decimals(2).update_while_editing(false));
        if seconds != scene.smoothing.duration {
            give(set("smoothing.duration", format!("{seconds:.3}")));
        }
        ui.end_row();

        let hint = "Links keep clear of each other and of obstacles: Shift+M";
        ui.colored_label(quiet(ui), "Keep clear").on_hover_text(hint);
        ui.horizontal(|ui| {
            let mut on = scene.keep_clear.is_some();
            if ui.checkbox(&mut on, "").on_hover_text(hint).changed() {
                give(SessionCommand::KeepClear(Some(on)));
            }
            if let Some(nearest) = viewer.session().clearance() {
                let [first, second] = scene.near_parts(&nearest);
                ui.monospace(digits(nearest.distance)).on_hover_text(format!("{first} and {second} are nearest"));
            }
        });
        ui.end_row();

        ui.colored_label(quiet(ui), "Speed").on_hover_text("Slower, faster: - +");
        ui.horizontal(|ui| {
            if ui.small_button("-").clicked() {
                give(SessionCommand::Speed(0.5));
            }
            ui.monospace(format!("{}x", viewer.session().speed()));
            if ui.small_button("+").clicked() {
                give(SessionCommand::Speed(2.0));
            }
            let pause = if viewer.session().paused() { "Resume" } else { "Pause" };
            if ui.small_button(pause).clicked() {
                give(SessionCommand::TogglePause);
            }
        });
        ui.end_row();

        ui.colored_label(quiet(ui), "Learn");
        ui.vertical(|ui| {
            if ui.small_button("Step by step").on_hover_text("Step through the solve: . and ,").clicked() {
                give(SessionCommand::Lesson(LessonCommand::Next));
            }
            if ui
                .small_button("Compare methods")
                .on_hover_text("Four methods solve for the same target: Shift+C")
                .clicked()
            {
                give(SessionCommand::Race(RaceCommand::Start(Race::USUAL.to_vec())));
            }
        });
        ui.end_row();
    });
}
