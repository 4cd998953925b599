//! The error of a solve over its steps, as all charts draw it.

use super::style::GOOD;
use crate::session::lesson::Round;
use egui::Color32;
use egui_plot::{GridMark, HLine, Line, LineStyle, MarkerShape, PlotPoint, PlotPoints, PlotUi, Points};

/// Whether a chart of this solve has a part with refinement steps.
pub(super) fn refines(rounds: &[Round]) -> bool {
    rounds.iter().any(|round| round.effort.refine_steps > 0)
}

/// What such a chart shows, with refinement steps or without.
pub(super) fn caption(refines: bool, where_counted: &str) -> String {
    let refined = if refines { format!(" Dashed part: refinement steps{where_counted}.") } else { String::new() };
    format!("{ERROR}.{refined} {TOLERANCE}")
}

/// What the vertical axis and the dashed line of all charts are.
pub(super) const ERROR: &str = "Distance to the target, as a share of the reach";
pub(super) const TOLERANCE: &str = "Dashed horizontal line: close enough.";

/// What the steps are that follow the iterations.
pub(super) const REFINEMENT: &str =
    "In a refinement step, which may follow, all joints turn at once, by the smallest angles that close the gap.";

/// The line of the tolerance. It covers a line of the grid, which would fill the gaps between its dashes.
pub(super) fn tolerance(plot: &mut PlotUi<'_>, tolerance: f64) {
    let ground = plot.ctx().style().visuals.panel_fill.to_opaque();
    for (color, style) in [(ground, LineStyle::Solid), (GOOD, LineStyle::Dashed { length: 6.0 })] {
        plot.hline(HLine::new("tolerance", log(tolerance)).color(color).style(style).width(2.0));
    }
}

/// Smaller errors are drawn as this value: they are little more than rounding errors.
pub(super) const FLOOR: f64 = 1e-12;
/// Radius of a marker, and of the marker of the last round, points.
const MARK: f32 = 2.6;
const LAST_MARK: f32 = 4.2;

/// The power of ten of an error.
pub(super) fn log(error: f64) -> f64 {
    error.max(FLOOR).log10()
}

/// The powers of ten at the bottom and at the top of a chart with these errors.
pub(super) fn decades(errors: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        errors.map(log).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    let bottom = low.min(0.0).floor();
    (bottom, high.ceil().max(bottom + 1.0))
}

/// Grid lines from `low` to `high`.
pub(super) fn marks(low: f64, high: f64, step_size: f64) -> Vec<GridMark> {
    let count = ((high - low) / step_size) as u32;
    (0..=count).map(|k| GridMark { value: low + f64::from(k) * step_size, step_size }).collect()
}

/// The curve of these rounds. One in `every` has a marker, and the last.
pub(super) fn curve(
    plot: &mut PlotUi<'_>,
    name: &str,
    rounds: &[Round],
    every: usize,
    (color, shape): (Color32, MarkerShape),
) {
    let at = |round: &Round| PlotPoint::new(f64::from(round.effort.steps()), log(round.error));
    // What is not an iteration is dashed: refinement and closed-form moves.
    let mut from = 0;
    for run in rounds.get(1..).unwrap_or_default().chunk_by(|a, b| a.is_iteration == b.is_iteration) {
        let to = from + run.len();
        let points = PlotPoints::Owned(rounds[from..=to].iter().map(at).collect());
        let style = if run[0].is_iteration { LineStyle::Solid } else { LineStyle::dashed_dense() };
        plot.line(Line::new(name, points).color(color).width(1.8).style(style));
        from = to;
    }
    let marked = rounds.iter().step_by(every).map(at).collect();
    for (points, radius) in [(marked, MARK), (rounds.last().map(at).into_iter().collect(), LAST_MARK)] {
        plot.points(Points::new(name, PlotPoints::Owned(points)).color(color).shape(shape).filled(true).radius(radius));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_leaves_the_chart() {
        let mut random = fabrik3d_ik::random::Random::new(7);
        for _ in 0..500 {
            let exponents: Vec<f64> = (0..4).map(|_| random.range(-20.0, 2.0)).collect();
            let errors = exponents.iter().map(|&exponent| 10_f64.powf(exponent)).chain([0.0, 1e-4]);
            let (bottom, top) = decades(errors.clone());
            assert!(bottom < top && bottom.fract() == 0.0 && top.fract() == 0.0, "{bottom} {top}");
            assert!(errors.map(log).all(|at| (bottom..=top).contains(&at)), "{exponents:?}: {bottom} {top}");
        }
        assert_eq!(decades([0.9, 2.6e-8, 1e-4].into_iter()), (-8.0, 0.0));
    }
}
