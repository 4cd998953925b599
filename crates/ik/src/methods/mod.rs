//! The methods that the FABRIK paper compares itself with, on unlimited chains of points: for teaching, for the
//! viewer's race of methods and for the paper's table. Plain and faithful, one file each, each with its source.
//!
//! | method | its step | where it sticks |
//! |---|---|---|
//! | [`ccd`] | each joint, from the tip down, turns the tip toward the target | straight, target in line |
//! | [`transpose`] | turns along the gradient of the squared error | straight, target in line |
//! | [`dls`] | damped Gauss-Newton | straight, target in line |
//! | [`svd_dls`] | Gauss-Newton, damped in weak directions only | straight, target in line |
//! | [`triangulation`] | one triangle by the law of cosines, from the base up | nowhere |
//! | [`ftl`] | the tip leads, the rest follows; then all goes back to the base | straight, target in line |
//! | [`crate::fabrik::passes`] | FABRIK as printed: a backward and a forward pass | straight, target in line |
//!
//! None of them has limits, poles or escapes added: where the method as published sticks, so does this one, and
//! [`solve`] says [`Stop::Stalled`](crate::model::report::Stop::Stalled).
//!
//! ```
//! use glam::DVec3;
//! use fabrik3d_ik::{Method, methods};
//!
//! let mut points = [DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0];
//! let target = DVec3::new(1.0, 1.0, 0.0);
//! compare::iterate(Method::Triangulation, &mut points, &[1.0, 1.0], target);
//! assert!(points[2].distance(target) < 1e-12);
//! ```

pub mod ccd;
pub mod dls;
pub mod ftl;
pub mod jacobian;
mod search;
pub mod svd_dls;
pub mod symmetric;
pub mod transpose;
pub mod triangulation;
mod turns;

pub use search::{solve, solve_watched};
pub use turns::turn_joints;

use crate::fabrik::passes;
use crate::model::settings::Method;
use glam::DVec3;

/// One iteration of `method`: moves `points` nearer to `target`, in general, with the base and the lengths kept.
///
/// `points` has one element more than `lengths` and its links have those lengths; all numbers are finite, the lengths
/// greater than zero. The methods keep no memory from one iteration to the next, so this is all there is to them.
/// [`Method::Accelerated`] has no iteration of its own apart from a whole solve: it takes the textbook's.
pub fn iterate(method: Method, points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    match method {
        Method::Accelerated | Method::Textbook => {
            let base = points[0];
            passes::backward(points, lengths, target);
            passes::forward(points, lengths, base);
        }
        Method::Ccd => ccd::iterate(points, lengths, target),
        Method::JacobianTranspose => transpose::iterate(points, lengths, target),
        Method::Dls => dls::iterate(points, lengths, target),
        Method::SvdDls => svd_dls::iterate(points, lengths, target),
        Method::Triangulation => triangulation::iterate(points, lengths, target),
        Method::Ftl => ftl::iterate(points, lengths, target),
    }
}
