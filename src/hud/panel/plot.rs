//! The error of the selected effector over the last seconds, on a scale of powers of ten.

use crate::hud::style::quiet;
use crate::view::{Residuals, Stage};
use egui::{Color32, Ui};
use egui_plot::{HLine, Line, LineStyle, Plot, PlotPoints};

/// Smallest error that is told apart from none.
const LEAST: f64 = 1e-9;

/// The plot; the dashed line is the tolerance.
pub(super) fn residuals(ui: &mut Ui, stage: &Stage) {
    let now = stage.clock();
    let points: Vec<[f64; 2]> =
        stage.residuals().points().map(|[time, error]| [time - now, error.max(LEAST).log10()]).collect();
    let tolerance = stage.session().scene().settings.tolerance.max(LEAST).log10();
    let quiet = quiet(ui);
    let [r, g, b, _] = stage.display().theme.palette().trail;
    let curve = Color32::from_rgb(r, g, b);
    Plot::new("residuals")
        .height(104.0)
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(egui::vec2(0.0, 0.04))
        .include_x(-Residuals::SPAN)
        .include_x(0.0)
        .include_y(LEAST.log10())
        .include_y(0.0)
        .y_grid_spacer(|_| marks(-9, 0, 3))
        .x_grid_spacer(|_| marks(-10, 0, 5))
        .y_axis_formatter(|mark, _| format!("1e{:.0}", mark.value))
        .x_axis_formatter(|mark, _| format!("{:.0} s", mark.value))
        .show(ui, |plot| {
            let dashed = LineStyle::Dashed { length: 5.0 };
            plot.hline(HLine::new("tolerance", tolerance).color(Color32::from_rgb(0, 158, 115)).style(dashed));
            plot.line(Line::new("error", PlotPoints::new(points)).color(curve).width(1.8));
        });
    ui.colored_label(quiet, egui::RichText::new("error of the reach; dashed: tolerance").small());
}

/// Grid lines from `low` to `high`.
fn marks(low: i32, high: i32, step: usize) -> Vec<egui_plot::GridMark> {
    let mark = |value: i32| egui_plot::GridMark { value: f64::from(value), step_size: step as f64 };
    (low..=high).step_by(step).map(mark).collect()
}
