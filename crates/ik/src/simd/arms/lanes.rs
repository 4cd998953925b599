//! An arm at a level: chooses the instructions, and converts between the scene and the lanes.

use super::arm::{Arm, ArmJoint, ArmLanes, EXACT, IGNORED, OPEN, demand};
use super::run::{Bounds, Problems, Task, run};
use super::step::Aim;
use crate::maths;
use crate::model::{Goal, Isometry, Settings, Target};
use crate::random::Random;
use crate::search::policy::MAX_RANDOM_ANGLE;
use crate::simd::Engine;
use fearless_simd::f32x4;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{Simd, f32x8, f32x16};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// A lane hands its answer over when one more step should bring the error below the tolerance. Steps near the target
/// about square the error, so that is the case from this multiple of the root of the tolerance on.
const NEAR_ROOT: f64 = 0.03;
/// Bounds of that error: single precision resolves no less, and beyond, steps do not converge quadratically.
const NEAR: [f64; 2] = [3e-5, 0.02];
/// Rounds over all slides in which they come to rest: one where their axes are at right angles.
const SLIDE_ROUNDS: usize = 16;

/// Most start poses that the lanes try before they leave a problem to the scalar search.
const MOST_ATTEMPTS: u32 = 1000;

/// Attempts at targets that are certainly beyond the reach: they only look for the nearest pose.
const BEYOND_REACH_PATIENCE: u32 = 8;
/// Distance, as a multiple of the reach, beyond which targets are not for the lanes: single precision would not do.
const FAR_BEYOND_REACH: f64 = 2.0;

impl ArmLanes {
    /// A problem for the lanes; `None` if the target is far beyond the reach or where single precision would not do, or if the
    /// goal asks for something else than those of the arm or leaves something else open. `parent` is the frame that the arm is
    /// attached to. The seed of the restarts depends on the target, so that the answer depends on nothing else.
    pub fn task(&self, row: usize, goal: &Goal, parent: Isometry, seed: u64, bounds: &Bounds) -> Option<Task> {
        if demand(goal) != Some(self.demand) || goal.freedom != self.mount.freedom {
            return None;
        }
        let aim = self.aim(parent, &goal.target.canonical());
        let distance = if self.demand[0] == IGNORED { 0.0 } else { self.distance(&aim) };
        let reach = self.mount.reach;
        let resolved = bounds.near[0].sqrt() / f32::EPSILON;
        let is_for_lanes = distance <= (FAR_BEYOND_REACH * reach).min(f64::from(resolved) * self.mount.unit);
        let patience = if distance > reach * (1.0 + 1e-9) { BEYOND_REACH_PATIENCE } else { u32::MAX };
        is_for_lanes.then(|| Task { row, aim, seed: seed ^ goal.hash(), patience })
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

    /// A random pose inside the ranges, in the units of the lanes, with the slides that bring the tip nearest to the aim: the
    /// tip is linear in them, however long they are.
    pub fn random_pose(&self, aim: &Aim<f64>, random: &mut Random, variables: &mut [f64]) {
        for (at, (variable, [low, high])) in variables.iter_mut().zip(&self.wide.ranges).enumerate() {
            let (low, high) = match (self.mount.slides[at], self.mount.ranges[at]) {
                (true, Some(_)) => (*low, *high),
                (true, None) => (0.0, 0.0),
                // Hinges that lead others may have a range of many turns.
                (false, Some(_)) => (low.max((-MAX_RANDOM_ANGLE).min(*high)), high.min(MAX_RANDOM_ANGLE.max(*low))),
                (false, None) => (-PI, PI),
            };
            *variable = random.range(low, high);
        }
        if self.demand[0] != IGNORED && self.mount.slides.contains(&true) {
            self.slide(aim, variables);
        }
    }

    /// Moves each slide as near to the aim as it comes, in turn.
    fn slide(&self, aim: &Aim<f64>, variables: &mut [f64]) {
        let Arm { ranges, slack, .. } = &self.wide;
        let mut columns = vec![Some(DVec3::ZERO); variables.len()];
        let tip = self.place(aim, variables, |joint, axis| {
            let column = &mut columns[joint.variable];
            *column = column.filter(|_| joint.slides).map(|sum| sum + axis * joint.scale);
        });
        let slack = DVec3::from(*slack);
        let gap = DVec3::from(aim.position) - tip;
        let mut gap = gap - gap.clamp(-slack, slack);
        for _ in 0..SLIDE_ROUNDS {
            for ((variable, column), [low, high]) in variables.iter_mut().zip(&columns).zip(ranges) {
                let Some(column) = column.filter(|column| *column != DVec3::ZERO) else { continue };
                let moved = (*variable + gap.dot(column) / column.length_squared()).clamp(*low, *high);
                gap -= column * (moved - *variable);
                *variable = moved;
            }
        }
    }

    /// The tip with these variables, where aims are: from the base of the arm. Visits each joint with its axis.
    fn place(&self, aim: &Aim<f64>, variables: &[f64], mut visit: impl FnMut(&ArmJoint<f64>, DVec3)) -> DVec3 {
        let mut frame = Isometry::IDENTITY;
        if self.demand.contains(&OPEN) {
            frame.rotation = DQuat::from_mat3(&DMat3::from_cols_array_2d(&aim.rotation));
        }
        for joint in &self.wide.joints {
            let twist = maths::turn(DVec3::X, maths::atan2(joint.twist[1], joint.twist[0]));
            frame = frame.frame(Isometry::new(joint.offset.into(), twist));
            let axis = frame.rotation * DVec3::Z;
            visit(joint, axis);
            let coordinate = joint.scale * variables[joint.variable] + joint.shift;
            let (along, about) = if joint.slides { (coordinate, joint.turn) } else { (0.0, coordinate + joint.turn) };
            frame = Isometry::new(frame.position + axis * along, frame.rotation * maths::turn(DVec3::Z, about));
        }
        frame.point(self.wide.tip.into())
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
