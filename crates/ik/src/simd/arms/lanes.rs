//! An arm at a level: chooses the instructions, and converts between the scene and the lanes.

use super::arm::{ArmLanes, EXACT, IGNORED, OPEN, demand};
use super::run::{Bounds, Problems, Task, run};
use super::step::Aim;
use crate::model::{Goal, Isometry, Settings, Target};
use crate::random::Random;
use crate::simd::Engine;
use fearless_simd::{Simd, f32x4, f32x8, f32x16};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// A lane hands its answer over when one more step should bring the error below the tolerance. Steps near the target
/// about square the error, so that is the case from this multiple of the root of the tolerance on.
const NEAR_ROOT: f64 = 0.03;
/// Bounds of that error: single precision resolves no less, and beyond, steps do not converge quadratically.
const NEAR: [f64; 2] = [3e-5, 0.02];
/// Largest random angle to either side, radians.
const MOST_RANDOM_ANGLE: f64 = 8.0 * PI;
/// Largest random distance from rest, units.
const MOST_RANDOM_DISTANCE: f64 = 2.0;

/// Most start poses that the lanes try before they leave a problem to the scalar search.
const MOST_ATTEMPTS: u32 = 1000;

/// Attempts after which a target counts as unreachable if the best one misses it by far. Of 800,000 targets within the reach
/// of eight arms, 26 take more attempts, and after 64 the largest residual among them is 0.017 of a unit; the bound is 0.1.
const PATIENCE: u32 = 64;
/// The same for targets that are certainly beyond the reach: the attempts only look for the nearest pose.
const BEYOND_REACH_PATIENCE: u32 = 8;
/// Distance, as a multiple of the reach, beyond which targets are not for the lanes: single precision would not do.
const FAR_BEYOND_REACH: f64 = 2.0;

impl ArmLanes {
    /// A problem for the lanes; `None` if the target is far beyond the reach, or if the goal asks for something else than
    /// those of the arm or leaves something else open. `parent` is the frame that the arm is attached to. The seed of the restarts
    /// depends on the target, so that the answer depends on nothing else.
    pub fn task(&self, row: usize, goal: &Goal, parent: Isometry, seed: u64) -> Option<Task> {
        if demand(goal) != Some(self.demand) || goal.freedom != self.mount.freedom {
            return None;
        }
        let aim = self.aim(parent, &goal.target.canonical());
        let distance = if self.demand[0] == IGNORED { 0.0 } else { self.distance(&aim) };
        let reach = self.mount.reach;
        let patience = if distance > reach * (1.0 + 1e-9) { BEYOND_REACH_PATIENCE } else { PATIENCE };
        (distance <= FAR_BEYOND_REACH * reach).then(|| Task { row, aim, seed: seed ^ goal.hash(), patience })
    }

    /// A target in the units of the arm.
    pub(super) fn aim(&self, parent: Isometry, target: &Target) -> Aim<f64> {
        let base = parent.frame(self.mount.base);
        let rotation = target.rotation().map_or(DQuat::IDENTITY, DQuat::normalize);
        let position = (target.position.unwrap_or(base.position) - base.position) / self.mount.unit;
        let to_base = base.rotation.conjugate();
        let (axes, rotation) = match self.demand.contains(&OPEN) {
            true => (rotation.conjugate(), rotation.conjugate() * base.rotation),
            false => (to_base, to_base * rotation * self.mount.tool.conjugate()),
        };
        Aim { position: (axes * position).to_array(), rotation: DMat3::from_quat(rotation).to_cols_array_2d() }
    }

    /// The distance of what the aim accepts from the base, in scene units.
    fn distance(&self, aim: &Aim<f64>) -> f64 {
        let (position, slack) = (DVec3::from(aim.position), DVec3::from(self.wide.slack));
        let nearest = position - position.clamp(-slack, slack);
        nearest.length() * self.mount.unit
    }

    /// A random pose inside the ranges, in the units of the lanes.
    pub fn random_pose(&self, random: &mut Random, variables: &mut [f64]) {
        for (at, (variable, [low, high])) in variables.iter_mut().zip(&self.wide.ranges).enumerate() {
            let most = match (self.mount.slides[at], self.mount.ranges[at]) {
                (true, _) => MOST_RANDOM_DISTANCE,
                (false, Some(_)) => MOST_RANDOM_ANGLE,
                (false, None) => PI,
            };
            // A wide range is cut to its part near zero.
            let (low, high) = (low.max((-most).min(*high)), high.min(most.max(*low)));
            *variable = random.range(low, high);
        }
    }

    /// The bounds of these settings; `scale` is the length that errors are divided by. Attempts in the lanes are shorter than
    /// those of the scalar search, so that two restarts stand for one.
    pub fn bounds(&self, settings: &Settings, scale: f64) -> Bounds {
        let (distance, angle) = (settings.tolerance * scale / self.mount.unit, settings.rotation_tolerance);
        let near = [distance, angle].map(|tolerance| (NEAR_ROOT * tolerance.sqrt()).clamp(NEAR[0], NEAR[1]));
        let attempts = settings.max_attempts.get().saturating_mul(2).saturating_sub(1).min(MOST_ATTEMPTS);
        let near = near.map(|near| (near * near) as f32);
        Bounds { distance, angle, near, attempts, interrupt: settings.interrupt }
    }

    pub fn run(&self, bounds: Bounds, problems: &mut dyn Problems) {
        match self.demand {
            [OPEN, IGNORED] => self.run_at::<OPEN, IGNORED>(bounds, problems),
            [OPEN, EXACT] => self.run_at::<OPEN, EXACT>(bounds, problems),
            [OPEN, _] => self.run_at::<OPEN, OPEN>(bounds, problems),
            [IGNORED, OPEN] => self.run_at::<IGNORED, OPEN>(bounds, problems),
            [IGNORED, _] => self.run_at::<IGNORED, EXACT>(bounds, problems),
            [_, IGNORED] => self.run_at::<EXACT, IGNORED>(bounds, problems),
            _ => self.run_at::<EXACT, EXACT>(bounds, problems),
        }
    }

    fn run_at<const P: u8, const O: u8>(&self, bounds: Bounds, problems: &mut dyn Problems) {
        match self.engine {
            Engine::Portable(simd) => run::<f32x4<_>, 4, P, O>(simd, self, bounds, problems),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx2(simd) => simd.vectorize(
                #[inline(always)]
                || run::<f32x8<_>, 8, P, O>(simd, self, bounds, problems),
            ),
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512(simd) => simd.vectorize(
                #[inline(always)]
                || run::<f32x16<_>, 16, P, O>(simd, self, bounds, problems),
            ),
        }
    }
}
