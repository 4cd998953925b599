//! The error of the selected effector on a logarithmic scale: by iteration, and over the last seconds.

use super::section::section;
use crate::hud::style::{color32, quiet, still_plot};
use crate::session::Command;
use crate::session::command::Section;
use crate::session::lesson::LessonStart;
use crate::session::numbers::power_of_ten;
use crate::view::{Residuals, Viewer};
use egui::{Color32, Label, RichText, Ui};
use egui_plot::{GridMark, HLine, Line, LineStyle, Plot, PlotPoints, PlotUi, Points};

/// Smallest error shown. Smaller errors are drawn as this value.
const MIN_ERROR: f64 = 1e-9;
/// Minimum range of the iteration axis.
const MIN_ITERATIONS: usize = 4;

/// The error by iteration and, below "More", over the last seconds.
pub(super) fn errors(ui: &mut Ui, viewer: &Viewer, commands: &mut Vec<Command>) {
    iterations(ui, viewer);
    let more = RichText::new("More: over the last seconds");
    section(ui, viewer, (Section::MoreError, more, false), commands, |ui, _| residuals(ui, viewer));
}

/// The error by iteration of a whole solve, not only of the last frame.
fn iterations(ui: &mut Ui, viewer: &Viewer) {
    let points: Vec<[f64; 2]> =
        viewer.convergence().errors().iter().enumerate().map(|(at, error)| [at as f64, log(*error)]).collect();
    if points.is_empty() {
        let session = viewer.session();
        let reason = match () {
            () if session.targets().len() == 0 => "This scene has no effector.",
            () if session.is_moving() => "Appears when the figure has come to rest.",
            () => "There is no solve to show.",
        };
        // As high as the chart, so that nothing moves when it comes.
        log_plot("iterations").include_x(0.0).include_x(MIN_ITERATIONS as f64).show(ui, |_| {});
        return caption(ui, reason);
    }
    // Two steps: there is no space for more numbers.
    let step = (points.len() - 1).max(MIN_ITERATIONS).div_ceil(2);
    let last = 2 * step;
    let plot = log_plot("iterations").include_x(0.0).include_x(last as f64);
    plot.x_grid_spacer(move |_| marks(0, last as i32, step))
        .x_axis_formatter(|mark, _| format!("{:.0}", mark.value))
        .show(ui, |plot| {
            curve(plot, viewer, points.clone());
            let dots = Points::new("iterations", PlotPoints::from(points)).color(trail(viewer)).radius(2.6);
            plot.points(dots);
        });
    let method = viewer.session().method().name();
    let start = match viewer.convergence().start() {
        LessonStart::Shown => "the pose shown",
        LessonStart::BeforeJump => "the pose before the target jumped",
        LessonStart::SceneStart => "the pose in which the scene opened",
    };
    caption(ui, &format!("{method}, from {start}. Distance to the target in arm lengths. Dashed line: close enough."));
}

/// The error over the last seconds.
fn residuals(ui: &mut Ui, viewer: &Viewer) {
    let points: Vec<[f64; 2]> = viewer.residuals().points().map(|[time, error]| [time, log(error)]).collect();
    let plot = log_plot("residuals").include_x(-Residuals::SPAN).include_x(0.0);
    plot.x_grid_spacer(|_| marks(-10, 0, 5))
        .x_axis_formatter(|mark, _| format!("{:.0} s", mark.value))
        .show(ui, |plot| curve(plot, viewer, points));
    caption(ui, "Distance to the target in arm lengths, while something moved. Dashed line: close enough.");
}

fn log(error: f64) -> f64 {
    error.max(MIN_ERROR).log10()
}

/// A plot with a logarithmic error axis.
fn log_plot(name: &str) -> Plot<'_> {
    still_plot(name, 104.0)
        .include_y(MIN_ERROR.log10())
        .include_y(0.0)
        .y_grid_spacer(|_| marks(-9, 0, 3))
        .y_axis_formatter(|mark, _| power_of_ten(mark.value))
        .y_axis_min_width(34.0)
}

/// The error curve and the tolerance.
fn curve(plot: &mut PlotUi<'_>, viewer: &Viewer, points: Vec<[f64; 2]>) {
    let tolerance = log(viewer.session().scene().settings.tolerance);
    let dashed = LineStyle::Dashed { length: 5.0 };
    plot.hline(HLine::new("tolerance", tolerance).color(Color32::from_rgb(0, 158, 115)).style(dashed));
    plot.line(Line::new("error", PlotPoints::new(points)).color(trail(viewer)).width(1.8));
}

/// The colour of the curve.
fn trail(viewer: &Viewer) -> Color32 {
    color32(viewer.display().theme.palette().trail)
}

/// A small text below a plot.
fn caption(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).small().color(quiet(ui))).wrap());
}

/// Grid lines from `low` to `high`.
fn marks(low: i32, high: i32, step: usize) -> Vec<GridMark> {
    let mark = |value: i32| GridMark { value: f64::from(value), step_size: step as f64 };
    (low..=high).step_by(step).map(mark).collect()
}
