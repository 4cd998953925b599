//! The settings of the solver and of the smoothing.

use crate::hud::help::keyed;
use crate::hud::names::what_it_is;
use crate::hud::number::{changed, length_suffix, number};
use crate::hud::spoken::{name_control, name_part};
use crate::hud::style::{checkbox, quiet};
use crate::session::command::{DisplayCommand, Pace, PassesCommand, Show};
use crate::session::lesson::LessonCommand;
use crate::session::numbers::digits;
use crate::session::race::{Race, RaceCommand};
use crate::session::{Command, SessionCommand};
use crate::view::Viewer;
use egui::{Button, ComboBox, Grid, Slider, SliderClamping, Ui};
use fabrik3d_ik::settings::Method;
use fabrik3d_scene::fixed;

/// What the row of the passes does.
const PASSES: &str = "Shows where each backward and forward pass brings the figure while it moves ({toggle passes}), and lets the \
                      solver take them slowly ({passes.pace})";

/// Width of everything beside a slider, points.
const BESIDE_SLIDER: f32 = 166.0;

/// Method, tolerance, iterations, smoothing and speed; lessons and comparisons.
pub(super) fn solver(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    ui.spacing_mut().slider_width = ui.available_width() - BESIDE_SLIDER;
    let keep_clear = "Links keep clear of each other and of obstacles ({keep-clear})";
    Grid::new("solver").num_columns(2).spacing([10.0, 5.0]).show(ui, |ui| {
        let mut give = |command| commands.push(Command::Session(command));
        row(ui, "Method", "The method that solves the pose. A key chooses the next one ({method.next})", |ui| {
            method(ui, viewer, &mut give)
        });
        row(ui, "Tolerance", "Distance to the target that counts as reached, as a fraction of the reach", |ui| {
            tolerance(ui, viewer, &mut give);
        });
        let hint =
            "Most iterations in one frame on the screen. An iteration of FABRIK is a backward and a forward pass";
        row(ui, "Iterations", hint, |ui| {
            let iterations = changed(viewer.session().scene().iterations_per_frame.get(), |iterations| {
                ui.add(number(ui.ctx(), iterations).range(1..=1000).speed(0.1).prefix("at most ").suffix(" a frame"))
            });
            if let Some(iterations) = iterations {
                give(set("solver.iterations_per_frame", iterations.to_string()));
            }
        });
        row(ui, "Smoothing", "Duration of the transition to a new solved pose", |ui| {
            let seconds = changed(viewer.session().scene().smoothing.duration, |seconds| {
                let slider = Slider::new(seconds, 0.0..=5.0).clamping(SliderClamping::Edits);
                ui.add(slider.suffix(" s").max_decimals(2).update_while_editing(false))
            });
            if let Some(seconds) = seconds {
                give(set("smoothing.duration", format!("{seconds:.3}")));
            }
        });
        row(ui, "Keep clear", keep_clear, |ui| clearance(ui, viewer, &mut give));
        if viewer.session().offers_balance() {
            let is_idle = viewer.session().scene().balance && viewer.session().balance().is_none();
            let hint = if is_idle {
                "Nothing is pinned that the body could stand on: select a foot and press I."
            } else {
                "Keep the center of mass above the pinned feet as far as the targets allow it. H shows both."
            };
            row(ui, "Balance", hint, |ui| {
                let on = viewer.session().scene().balance;
                if let Some(on) = changed(on, |on| checkbox(ui, on, "")) {
                    give(set("balance", on.to_string()));
                }
            });
        }
        row(ui, "Speed", "Slower, faster (- and +)", |ui| speed(ui, viewer, &mut give));
        row(ui, "Passes", PASSES, |ui| passes(ui, viewer, commands));
        row(ui, "Learn", "", |ui| learn(ui, &mut |command| commands.push(Command::Session(command))));
    });
}

/// A name with a hint, and what belongs to it.
fn row(ui: &mut Ui, name: &str, hint: &str, content: impl FnOnce(&mut Ui)) {
    let label = ui.colored_label(quiet(ui), name);
    let named = |ui: &mut Ui| {
        name_part(ui, name);
        content(ui);
    };
    let (content, hint) = (ui.horizontal(named).response, keyed(ui, hint));
    if !hint.is_empty() {
        label.on_hover_text(&hint);
        content.on_hover_text(hint);
    }
    ui.end_row();
}

fn set(key: &str, value: String) -> SessionCommand {
    SessionCommand::Set(key.to_owned(), value)
}

fn method(ui: &mut Ui, viewer: &Viewer, give: &mut impl FnMut(SessionCommand)) {
    let chosen = viewer.session().chosen_method();
    ComboBox::from_id_salt("method").selected_text(chosen.name()).wrap().show_ui(ui, |ui| {
        for method in Method::ALL {
            let label = Button::selectable(method == chosen, method.name());
            let applies = crate::session::method_applies(viewer.session().scene(), method);
            let label = ui.add_enabled(applies, label);
            let label = label.on_disabled_hover_text("Only for single chains without limits");
            if label.on_hover_text(what_it_is(method)).clicked() {
                give(SessionCommand::Method(method));
            }
        }
    });
}

fn tolerance(ui: &mut Ui, viewer: &Viewer, give: &mut impl FnMut(SessionCommand)) {
    let tolerance = changed(viewer.session().scene().settings.tolerance, |tolerance| {
        let slider = Slider::new(tolerance, 1e-9..=1e-1).clamping(SliderClamping::Edits);
        let slider = slider.logarithmic(true).smallest_positive(1e-9);
        ui.add(slider.update_while_editing(false).custom_formatter(|value, _| digits(value)))
    });
    if let Some(tolerance) = tolerance {
        give(set("solver.tolerance", format!("{tolerance:e}")));
    }
}

/// The switch, and the parts that are nearest to each other.
fn clearance(ui: &mut Ui, viewer: &Viewer, give: &mut impl FnMut(SessionCommand)) {
    let scene = viewer.session().scene();
    ui.horizontal(|ui| {
        let on = scene.keep_clear.is_some();
        if let Some(on) = changed(on, |on| checkbox(ui, on, "")) {
            give(SessionCommand::KeepClear(Some(on)));
        }
        if let Some(nearest) = viewer.session().clearance() {
            let [first, second] = scene.near_parts(&nearest);
            let unit = length_suffix(scene);
            let text = format!("{}{unit} apart", fixed(nearest.distance, 4));
            let margin = format!("{}{unit}", digits(scene.margin()));
            let hint =
                format!("{first} and {second} are nearest. Links keep {margin} apart where the targets allow it");
            ui.monospace(text).on_hover_text(hint);
        }
    });
}

fn speed(ui: &mut Ui, viewer: &Viewer, give: &mut impl FnMut(SessionCommand)) {
    ui.horizontal(|ui| {
        let [slower, faster] = [("-", "Slower"), ("+", "Faster")];
        if signed(ui, slower) {
            give(SessionCommand::Speed(0.5));
        }
        ui.monospace(format!("{}x", viewer.session().speed()));
        if signed(ui, faster) {
            give(SessionCommand::Speed(2.0));
        }
        let pause = if viewer.session().paused() { "Resume" } else { "Pause" };
        if ui.small_button(pause).clicked() {
            give(SessionCommand::TogglePause);
        }
    });
}

/// A button with a sign, and what it is called. Returns whether it was clicked.
fn signed(ui: &mut Ui, (sign, called): (&str, &str)) -> bool {
    let button = ui.small_button(sign);
    name_control(ui.ctx(), button.id, called);
    button.clicked()
}

/// Whether passes are shown, of how many iterations, and how fast the solver takes them.
fn passes(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    let session = viewer.session();
    if let Some(on) = changed(viewer.display().shows(Show::Passes), |on| checkbox(ui, on, "")) {
        commands.push(Command::Display(DisplayCommand::Show(Show::Passes, on)));
    }
    let mut give = |command| commands.push(Command::Session(SessionCommand::Passes(command)));
    let count = changed(session.pass_iterations(), |count| ui.add(number(ui.ctx(), count).range(1..=4).speed(0.05)));
    if let Some(count) = count {
        give(PassesCommand::Iterations(count));
    }
    ComboBox::from_id_salt("pace").selected_text(pace_in_words(session.pace())).show_ui(ui, |ui| {
        for (_, pace) in Pace::NAMES {
            if ui.selectable_label(pace == session.pace(), pace_in_words(pace)).clicked() {
                give(PassesCommand::Pace(Some(pace)));
            }
        }
    });
}

fn pace_in_words(pace: Pace) -> &'static str {
    match pace {
        Pace::Full => "at full pace",
        Pace::Quarter => "at 1/4",
        Pace::Tenth => "at 1/10",
        Pace::Pass => "one a second",
    }
}

fn learn(ui: &mut Ui, give: &mut impl FnMut(SessionCommand)) {
    ui.vertical(|ui| {
        if ui.small_button("Step by step").on_hover_text(keyed(ui, "Step through the solve ({step.next})")).clicked() {
            give(SessionCommand::Lesson(LessonCommand::Next));
        }
        let compare = ui.small_button("Compare methods");
        if compare
            .on_hover_text(keyed(ui, "Four methods solve for the same target ({race accelerated textbook ccd dls})"))
            .clicked()
        {
            give(SessionCommand::Race(RaceCommand::Start(Race::USUAL.to_vec())));
        }
    });
}
