//! Jacobian transpose: steepest descent of the squared error.
//!
//! Sources: W. A. Wolovich, H. Elliott, "A computational technique for inverse kinematics", IEEE Conference on Decision
//! and Control (1984); the step length from S. R. Buss, "Introduction to inverse kinematics with Jacobian transpose,
//! pseudoinverse and damped least squares methods" (2009).

use super::jacobian::DAMPING;
use crate::linear::dot;

/// The force `s e`. The factor `s = (e . g) / (g . g)` with `g = J J^T e` would leave the smallest error if the motion were
/// linear. If g vanishes, no rotation helps, and nothing moves. See [`Force`](super::Force).
///
/// For a nearly straight chain this factor grows without bound, and the chain would oscillate. So it is limited to
/// `1 / l^2`, the factor of damped least squares with the damping l = [`DAMPING`].
pub fn force(gram: &mut [f64], error: &mut [f64]) {
    let gain: Vec<f64> = gram.chunks(error.len().max(1)).map(|row| dot(row, error)).collect();
    let squared = dot(&gain, &gain);
    let step = if squared > 0.0 { (dot(error, &gain) / squared).min(1.0 / (DAMPING * DAMPING)) } else { 0.0 };
    error.iter_mut().for_each(|part| *part *= step);
}
