//! Damped least squares: the Levenberg-Marquardt step with a constant damping.
//!
//! Sources: C. W. Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped
//! least-squares methods", IEEE Transactions on Systems, Man and Cybernetics 16 (1986); Y. Nakamura, H. Hanafusa,
//! "Inverse kinematic solutions with singularity robustness for robot manipulator control" (1986).

use super::jacobian::{DAMPING, clamped_error, gram, rotate_by_force};
use crate::linear::solve_positive;
use crate::step::Columns;
use glam::{DMat3, DVec3};

/// The force `f` of the step `J^T f` that minimizes `|J w - e|^2 + l^2 |w|^2`: `f = (J J^T + l^2 I)^-1 e`, where
/// `l` is [`DAMPING`] times the reach and `error` is e.
pub fn force(points: &[DVec3], lengths: &[f64], error: DVec3) -> DVec3 {
    let damping = DAMPING * lengths.iter().sum::<f64>();
    (gram(points) + DMat3::from_diagonal(DVec3::splat(damping * damping))).inverse() * error
}

/// Rotates the joints by the damped step toward the target.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let error = clamped_error(points, lengths, target);
    rotate_by_force(points, lengths, force(points, lengths, error));
}

/// The same force for a skeleton; see [`super::SkeletonForce`].
pub(super) fn skeleton_force(_: &Columns, gram: &mut [f64], error: &mut [f64]) {
    gram.iter_mut().step_by(error.len() + 1).for_each(|entry| *entry += DAMPING * DAMPING);
    if !solve_positive(gram, error, || false) {
        error.fill(0.0);
    }
}
