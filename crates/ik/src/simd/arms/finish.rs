//! The last steps of a solve and its judgement, in double precision.

use super::arm::Arm;
use super::step::{Aim, Scratch, evaluate, step};

/// Most steps in double precision. Each one about squares the error, so that two or three suffice for any tolerance. Near
/// singular poses it only halves the error.
const MOST_STEPS: u32 = 32;
/// Share of the squared error that a step may leave.
const LEAST_PROGRESS: f64 = 0.5;

/// Finishes answers of the lanes.
pub(super) struct Finisher<'a> {
    arm: &'a Arm<f64>,
    /// Largest distance, in units of the arm.
    distance: f64,
    /// Largest angle, radians.
    angle: f64,
    scratch: Scratch<f64>,
    variables: Vec<[f64; 1]>,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub reached: bool,
    /// Distance from the aim, in units of the arm.
    pub distance: f64,
    pub steps: u32,
}

impl<'a> Finisher<'a> {
    pub fn new(arm: &'a Arm<f64>, distance: f64, angle: f64) -> Self {
        Finisher { arm, distance, angle, scratch: Scratch::new(arm, 0.0), variables: vec![[0.0]; arm.ranges.len()] }
    }

    /// Clamps the variables to their ranges and moves them until the effector is within the tolerances.
    #[inline(always)]
    pub fn finish<const P: u8, const O: u8>(&mut self, aim: &Aim<f64>, variables: &mut [f64]) -> Finished {
        let Finisher { arm, scratch, variables: own, .. } = self;
        let aim = aim.single();
        for ((own, variable), [low, high]) in own.iter_mut().zip(&*variables).zip(&arm.ranges) {
            *own = [variable.clamp(*low, *high)];
        }
        let (mut steps, mut before) = (0, f64::INFINITY);
        let finished = loop {
            let errors = evaluate::<f64, 1, P, O>((), arm, &aim, own, scratch);
            let distance = errors.distance.sqrt();
            let angle = 2.0 * (0.5 * errors.angle.sqrt()).min(1.0).asin();
            let reached = distance <= self.distance && angle <= self.angle;
            let squared = errors.distance + errors.angle;
            // NaN counts as no progress.
            let progress = squared < LEAST_PROGRESS * before;
            if reached || steps == MOST_STEPS || !progress {
                break Finished { reached, distance, steps };
            }
            before = squared;
            step::<f64, 1, P, O>((), arm, &errors, own, scratch);
            steps += 1;
        };
        variables.iter_mut().zip(own).for_each(|(variable, own)| *variable = own[0]);
        finished
    }
}
