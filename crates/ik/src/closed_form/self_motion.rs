//! Singular poses in which joints turn freely against each other while the effector stays where it is, such as the fourth
//! and the sixth joint of a stretched wrist.

use super::eigenvalues::eliminate;
use super::hinges::{Axis, Hinges};
use crate::model::{Isometry, wrap};
use crate::step::Step;
use std::array::from_fn;
use std::f64::consts::TAU;

/// A pose is singular if a pivot of its Jacobian is smaller than this, relative to the largest one.
const SINGULAR: f64 = 1e-7;
/// Largest move of a joint in one step along free poses, radians. A part of the limits that is narrower can be missed.
const STRIDE: f64 = 0.05;
/// A joint that moves by less than this in a step does not move, radians: rounding.
const STILL: f64 = 1e-7;

impl Hinges {
    /// The joints that turn freely against each other in a pose that meets the target.
    pub fn free_joints(&self, angles: &[f64; 6], target: Isometry, step: &mut Step) -> [bool; 6] {
        let mut free = [false; 6];
        for motion in self.still_motions(angles) {
            if let Some(ahead) = self.moved(angles, &motion, STRIDE, target, step) {
                (0..6).for_each(|at| free[at] |= (ahead[at] - angles[at]).abs() > STILL);
            }
        }
        free
    }

    /// The pose with the same free motion in which the first free joint is as in `near`, or as close to that as it gets.
    pub fn freely_near(&self, mut angles: [f64; 6], near: &[f64; 6], target: Isometry, step: &mut Step) -> [f64; 6] {
        let free = self.free_joints(&angles, target, step);
        let Some(first) = free.iter().position(|&is_free| is_free) else { return angles };
        for _ in 0..(TAU / STRIDE) as usize {
            let away = wrap(near[first] - angles[first]);
            let motions = self.still_motions(&angles);
            let best = motions.iter().max_by(|a, b| a[first].abs().total_cmp(&b[first].abs()));
            let Some(motion) = best.filter(|motion| away.abs() > STILL && motion[first].abs() > STILL) else { break };
            let stride = (away / motion[first]).clamp(-STRIDE, STRIDE);
            let Some(ahead) = self.moved(&angles, motion, stride, target, step) else { break };
            angles = ahead;
        }
        angles
    }

    /// The next pose, of those into which free joints can turn from `angles`, that is acceptable.
    pub fn next_free<T>(
        &self,
        angles: [f64; 6],
        target: Isometry,
        step: &mut Step,
        accepted: impl Fn([f64; 6]) -> Option<T>,
    ) -> Option<T> {
        let motions = self.still_motions(&angles);
        let backward = motions.iter().map(|motion| motion.map(|part| -part));
        let mut ways: Vec<_> = motions.iter().copied().chain(backward).map(|motion| (angles, motion)).collect();
        for _ in 0..(TAU / STRIDE) as usize {
            let mut at = 0;
            while let Some((angles, motion)) = ways.get_mut(at) {
                let Some(ahead) = self.moved(angles, motion, STRIDE, target, step) else {
                    ways.remove(at);
                    continue;
                };
                if let Some(found) = accepted(ahead) {
                    return Some(found);
                }
                let alike = |next: &[f64; 6]| next.iter().zip(&*motion).map(|(a, b)| a * b).sum::<f64>();
                let next = self.still_motions(&ahead).into_iter();
                let Some(next) = next.max_by(|a, b| alike(a).abs().total_cmp(&alike(b).abs())) else { break };
                let sign = alike(&next).signum();
                (*angles, *motion) = (ahead, next.map(|part| sign * part));
                at += 1;
            }
        }
        None
    }

    /// Motions of the joints that do not move the effector, to first order. The largest part is 1.
    fn still_motions(&self, angles: &[f64; 6]) -> Vec<[f64; 6]> {
        let (at, axes) = self.forward(angles);
        let columns = axes.map(|Axis { point, direction }| {
            let velocity = direction.cross(at.position - point) / self.size;
            [velocity.to_array(), direction.to_array()]
        });
        let mut rows: [[f64; 6]; 6] = from_fn(|row| from_fn(|column| columns[column][row / 3][row % 3]));
        let mut pivots = Vec::with_capacity(6);
        eliminate(&mut rows, &mut pivots, 0..6, 6, SINGULAR);
        let free = (0..6).filter(|column| !pivots.contains(column));
        let motion = |free: usize| {
            let mut motion = [0.0; 6];
            motion[free] = 1.0;
            pivots.iter().zip(&rows).for_each(|(&joint, row)| motion[joint] = -row[free]);
            let largest = motion.iter().fold(1.0, |most: f64, part| most.max(part.abs()));
            motion.map(|part| part / largest)
        };
        free.map(motion).collect()
    }

    /// The pose that meets the target after a small move. `None` if the motion does not go on: where solutions only meet, the
    /// correction leads back, or to a pose that is not singular.
    fn moved(
        &self,
        angles: &[f64; 6],
        motion: &[f64; 6],
        stride: f64,
        target: Isometry,
        step: &mut Step,
    ) -> Option<[f64; 6]> {
        let ahead = from_fn(|at| angles[at] + stride * motion[at]);
        let exact = self.corrected(ahead, target, step)?;
        let along = |to: &[f64; 6]| (0..6).map(|at| (to[at] - angles[at]) * motion[at]).sum::<f64>();
        let goes_on = along(&exact) / along(&ahead) > 0.5 && !self.still_motions(&exact).is_empty();
        goes_on.then_some(exact)
    }
}
