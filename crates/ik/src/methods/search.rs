//! The loop around a method: when to stop, why, and which pose to return.

use super::iterate;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use glam::DVec3;

/// Iterations after which the best error must have fallen, by [`PROGRESS`] of itself at least.
const PATIENCE: u32 = 50;

/// The fraction of the avoidable error that counts as progress.
const PROGRESS: f64 = 1e-6;

/// Iterates `settings.method` until the end effector is within the tolerance of the target, or as near as the lengths
/// of the links allow, or gets no nearer, or the iterations are used up. `points` gets the best pose seen.
///
/// As in the paper's comparison, targets out of reach are iterated for, without shortcut: [`Stop::TooFar`] and
/// [`Stop::TooClose`] mean that the method came within the tolerance of the least possible error. A dead-locked method
/// ends with [`Stop::Stalled`].
///
/// `points` has one element more than `lengths`, at least two; all numbers are finite and the lengths greater than
/// zero: else the answer is [`Stop::Refused`] and nothing moves.
pub fn solve(points: &mut [DVec3], lengths: &[f64], target: DVec3, settings: &Settings) -> Report {
    solve_watched(points, lengths, target, settings, |_| {})
}

/// [`solve`], and `watch` is shown the points after every iteration.
pub fn solve_watched(
    points: &mut [DVec3],
    lengths: &[f64],
    target: DVec3,
    settings: &Settings,
    mut watch: impl FnMut(&[DVec3]),
) -> Report {
    if !is_chain(points, lengths) || !target.is_finite() {
        return Report::REFUSED;
    }
    let aim = Aim::new(points[0], lengths, target, settings.tolerance);
    let mut best = points.to_vec();
    let mut error = aim.error(points);
    let mut error_before = f64::INFINITY;
    let mut iterations = 0;
    let stop = loop {
        if let Some(stop) = aim.met(error) {
            break stop;
        }
        if iterations == settings.max_iterations.get() {
            break Stop::IterationLimit;
        }
        if iterations % PATIENCE == 0 {
            if error - aim.least > (1.0 - PROGRESS) * (error_before - aim.least) {
                break Stop::Stalled;
            }
            error_before = error;
        }
        iterate(settings.method, points, lengths, target);
        watch(points);
        iterations += 1;
        let now = aim.error(points);
        if now < error {
            error = now;
            best.copy_from_slice(points);
        }
    };
    points.copy_from_slice(&best);
    Report { stop, error: error / aim.reach, iterations, refine_steps: 0, attempts: 1 }
}

fn is_chain(points: &[DVec3], lengths: &[f64]) -> bool {
    !lengths.is_empty()
        && points.len() == lengths.len() + 1
        && points.iter().all(|point| point.is_finite())
        && lengths.iter().all(|&length| length > 0.0 && length.is_finite())
}

/// What a solve is after: the target, and how near to it the lengths of the links let the end effector come.
struct Aim {
    target: DVec3,
    reach: f64,
    /// Error that counts as met, above the least.
    tolerance: f64,
    /// The least error that any pose has.
    least: f64,
    /// What to report when the least error is not zero.
    out_of_reach: Stop,
}

impl Aim {
    fn new(base: DVec3, lengths: &[f64], target: DVec3, tolerance: f64) -> Self {
        let reach: f64 = lengths.iter().sum();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let dead_zone = 2.0 * longest - reach;
        let distance = base.distance(target);
        let out_of_reach = if distance > reach { Stop::TooFar } else { Stop::TooClose };
        let least = (distance - reach).max(dead_zone - distance).max(0.0);
        Aim { target, reach, tolerance: tolerance * reach, least, out_of_reach }
    }

    fn error(&self, points: &[DVec3]) -> f64 {
        points[points.len() - 1].distance(self.target)
    }

    fn met(&self, error: f64) -> Option<Stop> {
        if error <= self.tolerance {
            Some(Stop::Reached)
        } else if self.least > 0.0 && error <= self.least + self.tolerance {
            Some(self.out_of_reach)
        } else {
            None
        }
    }
}
