//! Moves links apart that are nearer to each other, or to obstacles, than the margin, as far as the goals leave freedom. Runs
//! after the goals are met.

use crate::model::pose::Coordinates;
use crate::tasks::objective::{Objective, Score};
use crate::tree::refine::{RefineLimits, Refiner, shorten};
use crate::tree::scratch::Poses;

/// Number of rounds: each moves links apart, then goes back to the goals.
const ROUNDS: u32 = 6;
/// A round that widens the smallest distance by less than this fraction of the margin is the last one.
const SMALLEST_GAIN: f64 = 0.01;

/// Moves close links of `pose`, which meets the goals, apart. With `slowly`, no farther than one frame may show. The goals
/// stay met.
pub fn spread(
    objective: &Objective,
    (refiner, buffers): (&mut Refiner, &mut Poses),
    slowly: bool,
    pose: &mut [Coordinates],
    before: Score,
) -> Score {
    let margin = objective.problem.keep_clear.margin;
    let soft = &objective.with_margin();
    let mut closest = refiner.evaluation.evaluate(soft, pose).clearance;
    let mut best = before;
    pose.clone_into(&mut buffers.attempt);
    for _ in 0..if slowly { 1 } else { ROUNDS } {
        if closest >= margin {
            break;
        }
        refiner.run(soft, RefineLimits::ROUND, pose);
        if slowly {
            shorten(objective, &buffers.attempt, pose);
        }
        let refined = refiner.run(objective, RefineLimits::ATTEMPT, pose);
        let clearance = refiner.evaluation.evaluate(soft, pose).clearance;
        if !refined.score.reached(objective.settings) || clearance <= closest {
            break;
        }
        let is_last = clearance < closest + SMALLEST_GAIN * margin;
        (best, closest) = (refined.score, clearance);
        buffers.attempt.copy_from_slice(pose);
        if is_last {
            break;
        }
    }
    pose.copy_from_slice(&buffers.attempt);
    refiner.evaluation.evaluate(objective, pose);
    best
}
