//! Damped least squares, the Levenberg-Marquardt step with a constant damping.
//!
//! Sources: C. W. Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped
//! least-squares methods", IEEE Transactions on Systems, Man and Cybernetics 16 (1986); Y. Nakamura, H. Hanafusa,
//! "Inverse kinematic solutions with singularity robustness for robot manipulator control" (1986).

use super::jacobian::{DAMPING, clamped_error, gram, turn_by_force};
use glam::{DMat3, DVec3};

/// The force `f` of the step `J^T f` that minimizes `|J w - e|^2 + l^2 |w|^2`: `f = (J J^T + l^2 I)^-1 e`, with
/// `l` = [`DAMPING`] of the reach. `error` is e.
pub fn force(points: &[DVec3], lengths: &[f64], error: DVec3) -> DVec3 {
    let damping = DAMPING * lengths.iter().sum::<f64>();
    (gram(points) + DMat3::from_diagonal(DVec3::splat(damping * damping))).inverse() * error
}

/// Turns the joints by the damped step toward the target.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let error = clamped_error(points, lengths, target);
    turn_by_force(points, lengths, force(points, lengths, error));
}
