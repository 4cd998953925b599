//! Jacobian transpose: steepest descent of the squared error.
//!
//! Sources: W. A. Wolovich, H. Elliott, "A computational technique for inverse kinematics", IEEE Conference on Decision
//! and Control (1984); the step length from S. R. Buss, "Introduction to inverse kinematics with Jacobian transpose,
//! pseudoinverse and damped least squares methods" (2009).

use super::jacobian::{DAMPING, clamped_error, gram, rotate_by_force};
use crate::linear::mirror;
use crate::step::Columns;
use glam::DVec3;

/// Rotates the joints by `s J^T e`. The factor `s = (e . g) / (g . g)` with `g = J J^T e` would leave the smallest error
/// if the chain were linear. If g vanishes, no rotation helps, and nothing moves.
///
/// For a nearly straight chain this factor grows without bound, and the chain would oscillate. So it is limited to
/// `1 / l^2`, the factor of damped least squares with a damping l of [`DAMPING`] times the reach.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let error = clamped_error(points, lengths, target);
    let gain = gram(points) * error;
    let damping = DAMPING * lengths.iter().sum::<f64>();
    let step = (error.dot(gain) / gain.length_squared()).min(1.0 / (damping * damping));
    rotate_by_force(points, lengths, error * step);
}

/// The force `s e` for a skeleton; see [`super::SkeletonForce`].
pub(super) fn skeleton_force(_: &Columns, gram: &mut [f64], error: &mut [f64]) {
    let m = error.len();
    mirror(gram, m);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let gain: Vec<f64> = gram.chunks(m.max(1)).map(|row| dot(row, error)).collect();
    let squared = dot(&gain, &gain);
    let step = if squared > 0.0 { (dot(error, &gain) / squared).min(1.0 / (DAMPING * DAMPING)) } else { 0.0 };
    error.iter_mut().for_each(|part| *part *= step);
}
