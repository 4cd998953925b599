//! The coordinates that meet a target and lie nearest to given ones: those whose largest move is least.
//!
//! Each attempt moves a start onto the target. If the arm is redundant, a descent then makes the largest move smaller while
//! the target stays met. It minimizes the sum of high powers of the moves by weighted least squares: a move that is larger
//! than the others gets a larger weight.
//!
//! Source of the descent: C. L. Lawson, *Contributions to the theory of linear least maximum approximation*, 1961
//! (iteratively reweighted least squares).

use super::arm::SerialArm;
use super::correct::{Corrector, Request};
use crate::random::Random;

/// An answer within this move, radians or fractions of the arm's size, is the nearest one in all likelihood, so that a few
/// more attempts suffice.
const NEAR: f64 = 0.5;
/// Attempts after which a near answer ends the search.
const FEW_ATTEMPTS: u32 = 4;
/// Attempts after which any answer ends the search.
const MANY_ATTEMPTS: u32 = 24;
/// Standard deviation of the first random start, radians or fractions of the arm's size. It grows with each attempt.
const SPREAD: f64 = 0.25;
/// One in this number of attempts starts from anywhere within half a turn.
const ANYWHERE: u32 = 3;

/// Steps of a descent.
const DESCENT_STEPS: usize = 30;
/// Weights are this power of the moves.
const WEIGHT_POWER: i32 = 6;
/// Smallest weight, so that the equations stay solvable.
const SMALLEST_WEIGHT: f64 = 1e-3;
/// First share of a step. Full steps would overshoot, because the weights change on the way.
const FIRST_SHARE: f64 = 0.5;
/// Smallest share of a step that is tried.
const SMALLEST_SHARE: f64 = 0.05;
/// A step that leaves more than this fraction of the largest move ends the descent.
const PROGRESS: f64 = 0.999;

/// A search from one start.
pub(crate) struct NearestSearch<'a> {
    pub arm: &'a SerialArm,
    pub request: &'a Request,
    pub start: &'a [f64],
    /// Most attempts if none meets the target.
    pub attempts: u32,
    pub seed: u64,
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nearest {
    pub coordinates: Vec<f64>,
    pub attempts: u32,
}

impl NearestSearch<'_> {
    /// The nearest coordinates found; `None` if no attempt meets the target.
    pub fn run(&self, corrector: &mut Corrector) -> Option<Nearest> {
        let mut random = Random::new(self.seed);
        let mut made = 0;
        let mut best: Option<(f64, Vec<f64>)> = None;
        for attempt in 0..self.attempts.max(1) {
            let enough = match &best {
                Some((distance, _)) => attempt >= if *distance < NEAR { FEW_ATTEMPTS } else { MANY_ATTEMPTS },
                None => false,
            };
            if enough {
                break;
            }
            made += 1;
            let mut coordinates = self.attempt_start(attempt, &mut random);
            if !corrector.reach(self.arm, self.request, &mut coordinates).meets(self.request) {
                continue;
            }
            self.arm.turn_near(self.start, &mut coordinates);
            descend(self.arm, self.request, self.start, corrector, &mut coordinates);
            let distance = self.arm.largest_move(self.start, &coordinates);
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, coordinates));
            }
        }
        best.map(|(_, coordinates)| Nearest { coordinates, attempts: made })
    }

    fn attempt_start(&self, attempt: u32, random: &mut Random) -> Vec<f64> {
        let arm = self.arm;
        if attempt == 0 {
            return self.start.to_vec();
        }
        if attempt % ANYWHERE == ANYWHERE - 1 {
            return arm.random(random, self.start);
        }
        let spread = SPREAD * f64::from(attempt).sqrt();
        let value = |at: usize| arm.clamp(at, self.start[at] + arm.unit(at) * spread * random.normal());
        (0..self.start.len()).map(value).collect()
    }
}

/// Moves `coordinates`, which meet the request, toward `start` in the sense of the largest move, while they go on meeting it.
pub(crate) fn descend(
    arm: &SerialArm,
    request: &Request,
    start: &[f64],
    corrector: &mut Corrector,
    coordinates: &mut Vec<f64>,
) {
    if arm.variables.len() <= request.rows() {
        return;
    }
    let (mut compliance, mut wish) = (vec![0.0; start.len()], vec![0.0; start.len()]);
    let (mut way, mut next) = (Vec::new(), coordinates.clone());
    let mut share = FIRST_SHARE;
    let mut largest = arm.largest_move(start, coordinates);
    for _ in 0..DESCENT_STEPS {
        for at in 0..start.len() {
            let own = arm.difference(at, start[at], coordinates[at]);
            let weight = (own / largest).powi(WEIGHT_POWER).max(SMALLEST_WEIGHT);
            compliance[at] = 1.0 / weight;
            wish[at] = -own;
        }
        corrector.evaluate(arm, &request.target, coordinates);
        if largest == 0.0 {
            return;
        }
        let Some(step) = corrector.step(&compliance, &wish) else { return };
        step.clone_into(&mut way);
        let before = largest;
        share = (2.0 * share).min(FIRST_SHARE);
        while share >= SMALLEST_SHARE {
            for at in 0..start.len() {
                next[at] = arm.clamp(at, coordinates[at] + share * way[at] * arm.unit(at));
            }
            let reached = corrector.reach(arm, request, &mut next).meets(request);
            let moved = arm.largest_move(start, &next);
            if reached && moved < largest {
                std::mem::swap(coordinates, &mut next);
                largest = moved;
                break;
            }
            share *= 0.5;
        }
        if largest > PROGRESS * before {
            return;
        }
    }
}
