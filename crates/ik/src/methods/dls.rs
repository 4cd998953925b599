//! Damped least squares: the Levenberg-Marquardt step with a constant damping.
//!
//! Sources: C. W. Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped
//! least-squares methods", IEEE Transactions on Systems, Man and Cybernetics 16 (1986); Y. Nakamura, H. Hanafusa,
//! "Inverse kinematic solutions with singularity robustness for robot manipulator control" (1986).

use super::jacobian::DAMPING;
use crate::linear::solve_positive;

/// The force `f` of the step `J^T f` that minimizes `|J w - e|^2 + l^2 |w|^2`: `f = (J J^T + l^2 I)^-1 e`, where
/// `l` is [`DAMPING`]. See [`Force`](super::Force).
pub fn force(gram: &mut [f64], error: &mut [f64]) {
    gram.iter_mut().step_by(error.len() + 1).for_each(|entry| *entry += DAMPING * DAMPING);
    if !solve_positive(gram, error, || false) {
        error.fill(0.0);
    }
}
