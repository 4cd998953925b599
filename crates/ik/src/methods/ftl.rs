//! Follow the leader: the end effector moves to the target, and the other points follow like a rope.
//!
//! Source: J. Brown, J.-C. Latombe, K. Montgomery, "Real-time knot-tying simulation", The Visual Computer 20 (2004).
//! The rope of the source has no fixed end, and the FABRIK paper does not say how it brings the base back. Here the
//! whole chain is translated back, which keeps the lengths.

use crate::fabrik::passes;
use glam::DVec3;

/// The backward pass of FABRIK, then a translation of the whole chain that puts the base back.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let base = points[0];
    passes::backward(points, lengths, target);
    let shift = base - points[0];
    points.iter_mut().for_each(|point| *point += shift);
    points[0] = base;
}
