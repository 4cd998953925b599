//! The loop around a method: when to stop, why, and which pose to return.

use super::iterate;
use crate::model::{Report, Settings, Stop};
use glam::DVec3;

/// Iterations within which the best error must decrease, by [`LEAST_PROGRESS`] at least.
const STAGNATION_COUNT: u32 = 50;

/// Smallest decrease that counts as progress, as a fraction of the avoidable error.
const LEAST_PROGRESS: f64 = 1e-6;

/// Iterates `settings.method` until the end effector is within the tolerance of the target, or as near as the link lengths
/// allow, or stops making progress, or the iterations are used up. `points` gets the best pose seen.
///
/// As in the paper's comparison, targets out of reach have no shortcut: [`Stop::TooFar`] and [`Stop::TooClose`] mean that
/// the method came within the tolerance of the smallest possible error. A method in a dead lock ends with
/// [`Stop::Stalled`].
///
/// `points` has one element more than `lengths`, and at least two. All numbers are finite, the lengths are positive, and the
/// tolerance is not negative.
/// Otherwise nothing moves, and the result is [`Stop::Refused`].
pub fn solve(points: &mut [DVec3], lengths: &[f64], target: DVec3, settings: &Settings) -> Report {
    solve_observed(points, lengths, target, settings, |_| {})
}

/// [`solve`] that shows the points after every iteration to `observer`.
pub fn solve_observed(
    points: &mut [DVec3],
    lengths: &[f64],
    target: DVec3,
    settings: &Settings,
    mut observer: impl FnMut(&[DVec3]),
) -> Report {
    if !is_chain(points, lengths) || !target.is_finite() || settings.check().is_err() {
        return Report::REFUSED;
    }
    let objective = Objective::new(points[0], lengths, target, settings.tolerance);
    let mut best = points.to_vec();
    let mut error = objective.error(points);
    let mut error_before = f64::INFINITY;
    let mut iterations = 0;
    let stop = loop {
        if let Some(stop) = objective.reached(error) {
            break stop;
        }
        if iterations == settings.max_iterations.get() {
            break Stop::IterationLimit;
        }
        if settings.interrupt.is_requested() {
            break Stop::Interrupted;
        }
        if iterations % STAGNATION_COUNT == 0 {
            if error - objective.least > (1.0 - LEAST_PROGRESS) * (error_before - objective.least) {
                break Stop::Stalled;
            }
            error_before = error;
        }
        iterate(settings.method, points, lengths, target);
        observer(points);
        iterations += 1;
        let now = objective.error(points);
        if now < error {
            error = now;
            best.copy_from_slice(points);
        }
    };
    points.copy_from_slice(&best);
    Report { stop, error: error / objective.reach, iterations, refine_steps: 0, attempts: 1 }
}

fn is_chain(points: &[DVec3], lengths: &[f64]) -> bool {
    !lengths.is_empty()
        && points.len() == lengths.len() + 1
        && points.iter().all(|point| point.is_finite())
        && lengths.iter().all(|&length| length > 0.0 && length.is_finite())
}

/// The target, and how near to it the link lengths let the end effector come.
struct Objective {
    target: DVec3,
    reach: f64,
    /// Distance above the least error that counts as reached.
    tolerance: f64,
    /// Smallest error of all poses.
    least: f64,
    /// Stop reason if the least error is not zero.
    out_of_reach: Stop,
}

impl Objective {
    fn new(base: DVec3, lengths: &[f64], target: DVec3, tolerance: f64) -> Self {
        let reach: f64 = lengths.iter().sum();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let dead_zone = 2.0 * longest - reach;
        let distance = base.distance(target);
        let out_of_reach = if distance > reach { Stop::TooFar } else { Stop::TooClose };
        let least = (distance - reach).max(dead_zone - distance).max(0.0);
        Objective { target, reach, tolerance: tolerance * reach, least, out_of_reach }
    }

    fn error(&self, points: &[DVec3]) -> f64 {
        points[points.len() - 1].distance(self.target)
    }

    fn reached(&self, error: f64) -> Option<Stop> {
        if error <= self.tolerance {
            Some(Stop::Reached)
        } else if self.least > 0.0 && error <= self.least + self.tolerance {
            Some(self.out_of_reach)
        } else {
            None
        }
    }
}
