//! Jacobian transpose: down the gradient of the squared error.
//!
//! Sources: W. A. Wolovich, H. Elliott, "A computational technique for inverse kinematics", IEEE Conference on Decision
//! and Control (1984); the length of the step from S. R. Buss, "Introduction to inverse kinematics with Jacobian
//! transpose, pseudoinverse and damped least squares methods" (2009).

use super::jacobian::{DAMPING, clamped_error, gram, turn_by_force};
use glam::DVec3;

/// Turns the joints by `s J^T e` with the `s` that leaves the least error where the chain is linear:
/// `s = (e . g) / (g . g)`, `g = J J^T e`. Where g vanishes, no turn helps, and nothing moves.
///
/// Near a straight chain that s grows without bound and the chain would thrash; it stays below `1 / l^2`, the step that
/// least squares with a damping l of [`DAMPING`] of the reach take there.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let error = clamped_error(points, lengths, target);
    let gain = gram(points) * error;
    let damping = DAMPING * lengths.iter().sum::<f64>();
    let step = (error.dot(gain) / gain.length_squared()).min(1.0 / (damping * damping));
    turn_by_force(points, lengths, error * step);
}
