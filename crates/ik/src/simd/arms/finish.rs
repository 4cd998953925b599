//! The last steps of a solve and its judgement, in double precision.

use super::arm::Arm;
use super::step::{Aim, Scratch, evaluate, step};
use fearless_simd::{Simd, SimdBase, f64x2};

/// Most steps in double precision. Each one about squares the error, so that two or three suffice for any tolerance. Near
/// singular poses it only halves the error.
const MOST_STEPS: u32 = 32;
/// Share of the squared error that a step may leave.
const LEAST_PROGRESS: f64 = 0.5;

/// What counts as solved, and when to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Largest distance, in units of the arm.
    pub distance: f64,
    /// Largest angle, radians.
    pub angle: f64,
    /// Squared distance and angle from which one more step reaches the tolerances.
    pub near: [f32; 2],
    /// Attempts per problem.
    pub attempts: u32,
}

/// Finishes answers of the lanes.
pub(super) struct Finisher<'a, S: Simd> {
    simd: S,
    arm: &'a Arm<f64>,
    bounds: Bounds,
    /// Every processor with lanes has two of double precision. Both hold the same problem.
    scratch: Scratch<f64x2<S>>,
    variables: Vec<[f64; 2]>,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub reached: bool,
    /// Distance from the aim, in units of the arm.
    pub distance: f64,
    pub steps: u32,
}

impl<'a, S: Simd> Finisher<'a, S> {
    pub fn new(simd: S, arm: &'a Arm<f64>, bounds: Bounds) -> Self {
        let scratch = Scratch::new(arm, f64x2::splat(simd, 0.0));
        Finisher { simd, arm, bounds, scratch, variables: vec![[0.0; 2]; arm.ranges.len()] }
    }

    /// Clamps the variables to their ranges and moves them until the effector is within the tolerances.
    #[inline(always)]
    pub fn finish<const P: u8, const O: u8>(&mut self, aim: &Aim<f64>, variables: &mut [f64]) -> Finished {
        let Finisher { simd, arm, bounds, scratch, variables: own } = self;
        let aim = aim.splat();
        for ((own, variable), [low, high]) in own.iter_mut().zip(&*variables).zip(&arm.ranges) {
            *own = [variable.clamp(*low, *high); 2];
        }
        let (mut steps, mut before) = (0, f64::INFINITY);
        let finished = loop {
            let errors = evaluate::<f64x2<S>, 2, P, O>(*simd, arm, &aim, own, scratch);
            let [[distance, _], [angle, _]] = [errors.distance.to_array(), errors.angle.to_array()];
            let squared = distance + angle;
            let distance = distance.sqrt();
            let angle = 2.0 * (0.5 * angle.sqrt()).min(1.0).asin();
            let reached = distance <= bounds.distance && angle <= bounds.angle;
            // NaN counts as no progress.
            let progress = squared < LEAST_PROGRESS * before;
            if reached || steps == MOST_STEPS || !progress {
                break Finished { reached, distance, steps };
            }
            before = squared;
            step::<f64x2<S>, 2, P, O>(*simd, arm, &errors, own, scratch);
            steps += 1;
        };
        variables.iter_mut().zip(own).for_each(|(variable, own)| *variable = own[0]);
        finished
    }
}
