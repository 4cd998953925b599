//! Damped least squares by singular values: full Gauss-Newton steps in strong directions, damped steps in weak ones.
//!
//! Sources: A. A. Maciejewski, C. A. Klein, "Numerical filtering for the operation of robotic manipulators through
//! kinematically singular configurations", Journal of Robotic Systems 5 (1988); the damping factor from S. Chiaverini,
//! "Singularity-robust task-priority redundancy resolution for real-time kinematic control of robot manipulators", IEEE
//! Transactions on Robotics and Automation 13 (1997).

use super::jacobian::DAMPING;
use crate::linear::eigen;

/// The force `f` of the step `J^T f`, where `error` is e. With `J = sum s_i u_i v_i^T` it is
/// `sum u_i (u_i . e) / (s_i^2 + l_i^2)`. The damping `l_i^2 = (1 - (s_i / w)^2) w^2` applies only to weak singular values
/// `s_i < w`, where `w` is [`DAMPING`]. See [`Force`](super::Force).
///
/// The u and the squared s are the eigenvectors and eigenvalues of `J J^T`; the v are not needed.
pub fn force(gram: &mut [f64], error: &mut [f64]) {
    let m = error.len();
    let mut vectors = vec![0.0; m * m];
    eigen(gram, &mut vectors, m);
    let mut force = vec![0.0; m];
    for i in 0..m {
        let vector = || vectors[i..].iter().step_by(m);
        let along: f64 = vector().zip(&*error).map(|(x, y)| x * y).sum();
        let share = along / gram[i * m + i].max(DAMPING * DAMPING);
        force.iter_mut().zip(vector()).for_each(|(force, part)| *force += share * part);
    }
    error.copy_from_slice(&force);
}
