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
/// tolerance is not negative. Otherwise nothing moves, and the result is [`Stop::Refused`].
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
    let reach: f64 = lengths.iter().sum();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let distance = points[0].distance(target);
    let tolerance = settings.tolerance * reach;
    // The smallest error of all poses, and what it means if it is not zero.
    let least = (distance - reach).max(2.0 * longest - reach - distance).max(0.0);
    let out_of_reach = if distance > reach { Stop::TooFar } else { Stop::TooClose };
    let error_of = |points: &[DVec3]| points[lengths.len()].distance(target);
    let mut best = points.to_vec();
    let mut error = error_of(points);
    let mut error_before = f64::INFINITY;
    let mut iterations = 0;
    let stop = loop {
        if error <= tolerance {
            break Stop::Reached;
        }
        if least > 0.0 && error <= least + tolerance {
            break out_of_reach;
        }
        if iterations == settings.max_iterations.get() {
            break Stop::IterationLimit;
        }
        if settings.interrupt.ends_after(iterations) {
            break Stop::Interrupted;
        }
        if iterations % STAGNATION_COUNT == 0 {
            if error - least > (1.0 - LEAST_PROGRESS) * (error_before - least) {
                break Stop::Stalled;
            }
            error_before = error;
        }
        iterate(settings.method, points, lengths, target);
        observer(points);
        iterations += 1;
        let now = error_of(points);
        if now < error {
            error = now;
            best.copy_from_slice(points);
        }
    };
    points.copy_from_slice(&best);
    Report { stop, error: error / reach, iterations, refine_steps: 0, attempts: 1 }
}

fn is_chain(points: &[DVec3], lengths: &[f64]) -> bool {
    !lengths.is_empty()
        && points.len() == lengths.len() + 1
        && points.iter().all(|point| point.is_finite())
        && lengths.iter().all(|&length| length > 0.0 && length.is_finite())
}
