//! Damped least squares by singular values: full Gauss-Newton steps in the strong directions, damped ones in the weak.
//!
//! Sources: A. A. Maciejewski, C. A. Klein, "Numerical filtering for the operation of robotic manipulators through
//! kinematically singular configurations", Journal of Robotic Systems 5 (1988); the damping factor from S. Chiaverini,
//! "Singularity-robust task-priority redundancy resolution for real-time kinematic control of robot manipulators", IEEE
//! Transactions on Robotics and Automation 13 (1997).

use super::jacobian::{DAMPING, clamped_error, gram, turn_by_force};
use super::symmetric::{Eigen, eigen};
use glam::DVec3;

/// The force `f` of the step `J^T f`, where `error` is e. With `J = sum s_i u_i v_i^T` it is
/// `sum u_i (u_i . e) / (s_i^2 + l_i^2)`; the damping `l_i^2 = (1 - (s_i / w)^2) w^2` is for weak singular values
/// alone, `s_i < w`, with `w` [`DAMPING`] of the reach.
///
/// The u and the squares of the s are the eigenvectors and eigenvalues of `J J^T`; of the v none is needed.
pub fn force(points: &[DVec3], lengths: &[f64], error: DVec3) -> DVec3 {
    let weak = DAMPING * lengths.iter().sum::<f64>();
    let Eigen { values, vectors } = eigen(gram(points));
    (0..3).fold(DVec3::ZERO, |force, i| {
        let strength = values[i].max(0.0);
        let damping = (weak * weak - strength).max(0.0);
        force + vectors.col(i) * (vectors.col(i).dot(error) / (strength + damping))
    })
}

/// Turns the joints by the selectively damped step toward the target.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let error = clamped_error(points, lengths, target);
    turn_by_force(points, lengths, force(points, lengths, error));
}
