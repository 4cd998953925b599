//! Damped least squares by singular values: full Gauss-Newton steps in strong directions, damped steps in weak ones.
//!
//! Sources: A. A. Maciejewski, C. A. Klein, "Numerical filtering for the operation of robotic manipulators through
//! kinematically singular configurations", Journal of Robotic Systems 5 (1988); the damping factor from S. Chiaverini,
//! "Singularity-robust task-priority redundancy resolution for real-time kinematic control of robot manipulators", IEEE
//! Transactions on Robotics and Automation 13 (1997).

use super::jacobian::{DAMPING, clamped_error, gram, rotate_by_force};
use super::jacobian::{Eigen, eigen};
use crate::linear;
use crate::step::Columns;
use glam::DVec3;

/// The force `f` of the step `J^T f`, where `error` is e. With `J = sum s_i u_i v_i^T` it is
/// `sum u_i (u_i . e) / (s_i^2 + l_i^2)`. The damping `l_i^2 = (1 - (s_i / w)^2) w^2` applies only to weak singular values
/// `s_i < w`, where `w` is [`DAMPING`] times the reach.
///
/// The u and the squared s are the eigenvectors and eigenvalues of `J J^T`; the v are not needed.
pub fn force(points: &[DVec3], lengths: &[f64], error: DVec3) -> DVec3 {
    let weak = DAMPING * lengths.iter().sum::<f64>();
    let Eigen { values, vectors } = eigen(gram(points));
    (0..3).fold(DVec3::ZERO, |force, i| {
        let strength = values[i].max(0.0);
        let damping = (weak * weak - strength).max(0.0);
        force + vectors.col(i) * (vectors.col(i).dot(error) / (strength + damping))
    })
}

/// Rotates the joints by the selectively damped step toward the target.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let error = clamped_error(points, lengths, target);
    rotate_by_force(points, lengths, force(points, lengths, error));
}

/// The same force for a skeleton; see [`super::SkeletonForce`].
pub(super) fn skeleton_force(_: &Columns, gram: &mut [f64], error: &mut [f64]) {
    let m = error.len();
    linear::mirror(gram, m);
    let mut vectors = vec![0.0; m * m];
    linear::eigen(gram, &mut vectors, m);
    let mut force = vec![0.0; m];
    for i in 0..m {
        let vector = || vectors[i..].iter().step_by(m);
        let strength = gram[i * m + i].max(0.0);
        let along: f64 = vector().zip(&*error).map(|(x, y)| x * y).sum();
        let share = along / strength.max(DAMPING * DAMPING);
        force.iter_mut().zip(vector()).for_each(|(force, part)| *force += share * part);
    }
    error.copy_from_slice(&force);
}
