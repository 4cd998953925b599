//! The error of the selected effector on a logarithmic scale: by iteration, and over the last seconds.

use super::section::section;
use crate::hud::curve::{self, FLOOR, decades, log, marks};
use crate::hud::style::{MARGIN, color32, quiet, still_plot};
use crate::session::Command;
use crate::session::command::Section;
use crate::session::numbers::power_of_ten;
use crate::view::{Residuals, Viewer};
use egui::{Color32, Label, Response, RichText, TextStyle, Ui};
use egui_plot::{Line, MarkerShape, Plot, PlotPoints};

/// How many powers of ten the grid lines of a plot are apart.
const DECADES: f64 = 4.0;
/// Minimum range of the axis of steps.
const MIN_STEPS: u32 = 4;

/// The error by iteration and, below "More", over the last seconds.
pub(super) fn errors(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    iterations(ui, viewer);
    let more = RichText::new("More: the last few seconds");
    section(ui, viewer, (Section::MoreError, more, false), commands, |ui, _| residuals(ui, viewer));
}

/// The error by iteration of a whole solve, not only of the last frame.
fn iterations(ui: &mut Ui, viewer: &Viewer) {
    let rounds = &viewer.convergence.rounds[..];
    let Some(last) = rounds.last() else {
        let session = viewer.session();
        let reason = match () {
            () if session.targets().len() == 0 => "This scene has no effector.",
            () if session.is_moving() => "Appears when the figure has come to rest.",
            () => "There is no solve to show.",
        };
        // As high as the chart and its caption, so that nothing moves when they come.
        log_plot(ui, "iterations", log(FLOOR)).include_x(0.0).include_x(f64::from(MIN_STEPS)).show(ui, |_| {});
        caption(ui, reason, &meaning(viewer, true));
        return;
    };
    // Two steps: there is no space for more numbers.
    let step = f64::from(last.effort.steps().max(MIN_STEPS).div_ceil(2));
    // What is not reached stays near the start: small errors would leave no room to tell them apart.
    let tolerated = viewer.session().scene().settings.tolerance;
    let (bottom, _) = decades(rounds.iter().map(|round| round.error).chain([tolerated]));
    let bottom = (bottom / DECADES).floor() * DECADES;
    let plot = log_plot(ui, "iterations", bottom).include_x(0.0).include_x(2.0 * step);
    // As in a comparison.
    let color = color32(viewer.display().theme.palette().chain(0));
    plot.x_grid_spacer(move |_| marks(0.0, 2.0 * step, step))
        .x_axis_formatter(|mark, _| format!("{:.0}", mark.value))
        .show(ui, |plot| {
            curve::tolerance(plot, tolerated);
            curve::curve(plot, "error", rounds, 1, (color, MarkerShape::Circle));
        });
    let text = meaning(viewer, curve::refines(rounds));
    caption(ui, &text, &meaning(viewer, true)).on_hover_text(curve::REFINEMENT);
}

/// What the chart of a solve shows, with refinement steps or without. The status counts from the last pose.
fn meaning(viewer: &Viewer, refines: bool) -> String {
    let (method, start) = (viewer.session().method().name(), viewer.convergence.start.in_words());
    format!("Solved anew {start}, by {method}. {}", curve::caption(refines, ""))
}

/// The error over the last seconds.
fn residuals(ui: &mut Ui, viewer: &Viewer) {
    let points: Vec<[f64; 2]> = viewer.residuals.points().map(|[time, error]| [time, log(error)]).collect();
    let plot = log_plot(ui, "residuals", log(FLOOR)).include_x(-Residuals::SPAN).include_x(0.0);
    plot.x_grid_spacer(|_| marks(-Residuals::SPAN, 0.0, 5.0))
        .x_axis_formatter(|mark, _| format!("{:.0} s", mark.value))
        .show(ui, |plot| {
            curve::tolerance(plot, viewer.session().scene().settings.tolerance);
            plot.line(Line::new("error", PlotPoints::new(points)).color(trail(viewer)).width(1.8));
        });
    let meaning = format!("{}, while something moved. {}", curve::ERROR, curve::TOLERANCE);
    caption(ui, &meaning, &meaning);
}

/// A plot with a logarithmic error axis from this power of ten on.
fn log_plot<'a>(ui: &Ui, name: &'a str, bottom: f64) -> Plot<'a> {
    still_plot(name, 104.0)
        // The right half of the last number below it needs room.
        .width(ui.available_width() - MARGIN)
        .include_y(bottom)
        .include_y(0.0)
        .y_grid_spacer(move |_| marks(bottom, 0.0, DECADES))
        .y_axis_formatter(|mark, _| power_of_ten(mark.value))
        .y_axis_min_width(34.0)
}

fn trail(viewer: &Viewer) -> Color32 {
    color32(viewer.display().theme.palette().trail)
}

/// A small text below a plot, as high as the longest one that can come there: what is below does not move.
fn caption(ui: &mut Ui, text: &str, longest: &str) -> Response {
    let (font, width) = (TextStyle::Small.resolve(ui.style()), ui.available_width());
    let height = ui.fonts_mut(|fonts| fonts.layout(longest.to_owned(), font, Color32::WHITE, width).size().y);
    let label = ui.add(Label::new(RichText::new(text).small().color(quiet(ui))).wrap());
    ui.add_space((height - label.rect.height()).max(0.0));
    label
}
