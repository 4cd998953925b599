//! The panel of a race: the error of each method by iteration.

use super::curve::{FLOOR, REFINEMENT, caption, curve, decades, log, marks, refines, tolerance};
use super::help::{key_hints, ways_to_move};
use super::info::{Info, KeyName};
use super::names::what_it_is;
use super::style::{AROUND, MARGIN, SMALL, color32, fixed_window, key_button, panel_frame, quiet, still_plot};
use crate::session::lesson::Round;
use crate::session::numbers::{digits, power_of_ten};
use crate::session::race::{Lane, Race, RaceCommand};
use crate::session::{Command, SessionCommand};
use crate::view::{Palette, Viewer};
use egui::{Align, Align2, Color32, Grid, Label, Pos2, Rangef, RichText, Shape, Ui, Vec2, vec2};
use egui_plot::{AxisHints, MarkerShape};
use fabrik3d_ik::Stop;
use fabrik3d_scene::meaning;

/// Width of the panel, points.
const WIDTH: f32 = 326.0;
/// Height of a row and of everything except the table in the panel of a narrow picture, points. That is at the bottom and has no chart.
const ROW: f32 = 17.0;
const OTHER: f32 = 80.0;
/// Grid line distances at which their numbers become visible and fully opaque, points.
const LABELS: Rangef = Rangef { min: 8.0, max: 12.0 };
/// Least distance of the grid lines for powers of ten, points, which has room for their numbers.
const LINE_DISTANCE: f32 = 20.0;
/// Largest number of steps in the chart for which each round has a marker.
const MAX_MARKED: usize = 20;

/// Width at the right and height at the bottom that the panel takes from a picture of this size, points.
pub(super) fn span(race: &Race, size: Vec2) -> [f32; 2] {
    let rows = race.lanes().len() + usize::from(has_headings(size));
    if size.x < SMALL.x { [0.0, ROW * rows as f32 + OTHER] } else { [WIDTH + AROUND, 0.0] }
}

/// Whether the table in a picture of this size has headings.
fn has_headings(size: Vec2) -> bool {
    size.x >= SMALL.x || size.y >= SMALL.y
}

/// What the numbers of the table mean.
const EFFORT: &str = "Iterations of the method; after the plus sign, refinement steps.";
const ERROR: &str = "Largest distance between an effector and its target, as a fraction of its reach";
/// Height of everything in the side panel except the chart, with space for four methods, and range of the chart's height, points.
const BESIDES_CHART: f32 = 258.0;
/// Height of the hints below it, points.
const HINTS: f32 = 64.0;
const CHART_HEIGHTS: Rangef = Rangef { min: 80.0, max: 480.0 };

/// Lays out the panel at the top right or, in a narrow picture, at the bottom.
pub(super) fn race(
    context: &egui::Context,
    viewer: &Viewer,
    info: &Info,
    key: KeyName<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(race) = viewer.session().race() else { return };
    let palette = viewer.display().theme.palette();
    let room = context.content_rect().size();
    let is_narrow = room.x < SMALL.x;
    let has_hints = info.interactive && !is_narrow && room.y >= BESIDES_CHART + HINTS + CHART_HEIGHTS.min;
    let frame = panel_frame(context);
    let width = WIDTH.min(room.x - 2.0 * MARGIN - frame.total_margin().sum().x);
    let panel = if is_narrow {
        let frame = frame.inner_margin(egui::Margin::symmetric(12, 6));
        fixed_window("race", Align2::CENTER_BOTTOM, [0.0, -MARGIN], frame)
    } else {
        fixed_window("race", Align2::RIGHT_TOP, [-MARGIN, MARGIN], frame)
    };
    panel.show(context, |ui| {
        ui.set_width(width);
        if is_narrow {
            ui.spacing_mut().interact_size.y = 15.0;
            ui.spacing_mut().item_spacing.y = 2.0;
        } else {
            ui.heading("Comparison of methods");
        }
        if race.is_idle() {
            ui.add(Label::new(idle(key)).wrap());
        } else {
            if !is_narrow {
                let any_refines = race.lanes().iter().any(|lane| refines(&lane.rounds));
                let caption = caption(any_refines, ", the number after the plus sign");
                let caption = format!("One solve of each, {}. {caption}", race.start().in_words());
                ui.add(Label::new(RichText::new(caption).small().color(quiet(ui))).wrap());
                let hints = if has_hints { HINTS } else { 0.0 };
                curves(ui, race, &palette, CHART_HEIGHTS.clamp(room.y - BESIDES_CHART - hints));
            }
            table(ui, race, &palette, room);
        }
        if has_hints {
            let moves = format!("{} All methods then start again.", ways_to_move(viewer));
            ui.add(Label::new(RichText::new(moves).color(quiet(ui))).wrap());
            key_hints(ui, key, &[("target.random", "random target")], commands);
        }
        ui.horizontal(|ui| buttons(ui, race, key, commands));
    });
}

/// Buttons: restart, close.
fn buttons(ui: &mut Ui, race: &Race, key: KeyName<'_>, commands: &mut Vec<Command>) {
    let mut give = |command| commands.push(Command::Session(SessionCommand::Race(command)));
    if ui.button("Restart").clicked() {
        give(RaceCommand::Start(race.methods()));
    }
    if ui.add(key_button(ui, "Close", key("cancel").as_deref())).clicked() {
        give(RaceCommand::Off);
    }
}

fn shade(palette: &Palette, lane: usize) -> Color32 {
    color32(palette.chain(lane))
}

/// What to do if all targets are already reached.
fn idle(key: KeyName<'_>) -> String {
    let random = key("target.random").map(|key| format!(" or press {key} for a random one")).unwrap_or_default();
    format!(
        "All targets are reached, so no method has anything to do. Drag a target{random}; then all methods start from the \
         current pose."
    )
}

/// Marker of a lane, in addition to its colour.
fn mark(lane: usize) -> MarkerShape {
    [MarkerShape::Circle, MarkerShape::Square, MarkerShape::Up, MarkerShape::Diamond][lane % 4]
}

/// The marker as a shape outside the chart.
fn painted(mark: MarkerShape, center: Pos2, radius: f32, color: Color32) -> Shape {
    let corner = |(x, y): (f32, f32)| center + radius * vec2(x, y);
    let corners: &[(f32, f32)] = match mark {
        MarkerShape::Square => &[(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)],
        MarkerShape::Up => &[(0.0, -1.0), (1.0, 0.8), (-1.0, 0.8)],
        MarkerShape::Diamond => &[(0.0, -1.1), (1.1, 0.0), (0.0, 1.1), (-1.1, 0.0)],
        _ => return Shape::circle_filled(center, radius, color),
    };
    Shape::convex_polygon(corners.iter().copied().map(corner).collect(), color, egui::Stroke::NONE)
}

/// The number of steps that the chart shows after `steps` steps, and the distance of its grid lines. Both
/// take round values: 5, 10, 20, 50, ...
fn span_of(steps: usize) -> (usize, usize) {
    let mut power = 1;
    loop {
        for (factor, lines) in [(5, 5), (10, 5), (20, 4)] {
            let span = factor * power;
            if span >= steps {
                return (span, span / lines);
            }
        }
        power *= 10;
    }
}

/// The chart with the curves so far. Its vertical range fits the whole race; its horizontal range grows with the race.
fn curves(ui: &mut Ui, race: &Race, palette: &Palette, height: f32) {
    let done: Vec<&[Round]> = race.lanes().iter().map(|lane| &lane.rounds[..=lane.newest(race.rounds())]).collect();
    let steps = |rounds: &[Round]| rounds.last().map_or(0, |round| round.effort.steps());
    let (span, step) = span_of(done.iter().map(|rounds| steps(rounds)).max().unwrap_or(0) as usize);
    // The tolerance is always visible.
    let errors = race.lanes().iter().flat_map(|lane| lane.rounds.iter().map(|round| round.error));
    let (bottom, top) = decades(errors.chain([race.tolerance]));
    still_plot("residuals", height)
        .include_x(0.0)
        .include_x(span as f64)
        .include_y(bottom)
        .include_y(top)
        .x_grid_spacer(move |_| marks(0.0, span as f64, step as f64))
        .custom_x_axes(vec![AxisHints::new_x().formatter(|mark, _| format!("{:.0}", mark.value)).label_spacing(LABELS)])
        .y_grid_spacer(move |_| {
            let lines = f64::from((height / LINE_DISTANCE).floor().max(1.0));
            marks(bottom, top, ((top - bottom) / lines).ceil().max(1.0))
        })
        .custom_y_axes(vec![
            AxisHints::new_y()
                .formatter(|mark, _| {
                    let sign = if mark.value <= log(FLOOR) { "≤" } else { "" };
                    format!("{sign}{}", power_of_ten(mark.value))
                })
                .min_thickness(46.0)
                .label_spacing(LABELS),
        ])
        .show(ui, |plot| {
            tolerance(plot, race.tolerance);
            let every = if span <= MAX_MARKED { 1 } else { step };
            for (number, (lane, rounds)) in race.lanes().iter().zip(&done).enumerate() {
                curve(plot, lane.method.name(), rounds, every, (shade(palette, number), mark(number)));
            }
        });
}

/// One row per method, with headings and how the method ended where a picture of this size has room.
fn table(ui: &mut Ui, race: &Race, palette: &Palette, room: Vec2) {
    Grid::new("lanes").num_columns(4).spacing([MARGIN, ui.spacing().item_spacing.y.min(3.0)]).show(ui, |ui| {
        if has_headings(room) {
            ui.label("");
            for heading in ["iterations", "distance"] {
                ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
                    ui.colored_label(quiet(ui), RichText::new(heading).small())
                });
            }
            ui.end_row();
        }
        for (number, lane) in race.lanes().iter().enumerate() {
            let newest = lane.newest(race.rounds());
            let round = lane.rounds[newest];
            ui.horizontal(|ui| {
                let (dot, _) = ui.allocate_exact_size(vec2(10.0, 10.0), egui::Sense::hover());
                ui.painter().add(painted(mark(number), dot.center(), 4.5, shade(palette, number)));
                ui.label(lane.method.name()).on_hover_text(what_it_is(lane.method));
            });
            let effort = format!("{EFFORT} {REFINEMENT}");
            for (number, hint) in [(round.effort.to_string(), &effort[..]), (digits(round.error), ERROR)] {
                ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
                    ui.monospace(number).on_hover_text(hint)
                });
            }
            if room.x >= SMALL.x {
                let state = if newest < lane.last() { "running" } else { word(lane) };
                let state_label = ui.colored_label(quiet(ui), state);
                if newest == lane.last() && lane.report.stop == Stop::IterationLimit {
                    let unmet = lane.unmet().map(|unmet| format!(", and {}", unmet.clause)).unwrap_or_default();
                    state_label.on_hover_text(format!("It came to the limit of iterations{unmet}."));
                }
            }
            ui.end_row();
        }
    });
}

/// How the method of a lane ended.
fn word(lane: &Lane) -> &'static str {
    match lane.report.stop {
        // A small distance is not all.
        Stop::IterationLimit | Stop::Interrupted => lane.unmet().map_or("gave up", |unmet| unmet.word),
        stop => meaning(stop).what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_range_fits_the_race_in_round_steps() {
        let mut last = 0;
        for rounds in 0..30_000 {
            let (span, step) = span_of(rounds);
            assert!(span >= rounds && span >= last && span % step == 0 && span / step <= 5, "{rounds}: {span} {step}");
            assert!(span as f64 <= (2.5 * rounds as f64).max(5.0), "{rounds}: {span}");
            last = span;
        }
    }

    #[test]
    fn no_two_lanes_have_the_same_marker() {
        for lane in 0..4 {
            assert!((0..lane).all(|other| mark(other) != mark(lane)));
        }
    }
}
