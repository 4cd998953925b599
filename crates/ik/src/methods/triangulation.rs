//! Triangulation: from the base up, one triangle per joint by the law of cosines, until the rest is straight.
//!
//! Source: R. Muller-Cajar, R. Mukundan, "Triangulation: a new algorithm for inverse kinematics", Image and Vision
//! Computing New Zealand (2007).
//!
//! The source leaves two cases open. If link and target are in line, any plane suits the triangle; here glam's
//! `any_side` chooses it. If a link is so long that the rest cannot come back to the target, the link points
//! toward the target, which leaves the smallest distance.

use crate::model::{any_side, rotation_arc};
use glam::{DQuat, DVec3};

/// Moves every link once, which solves the chain: the end effector reaches the target up to rounding, or gets as near as
/// possible to an unreachable one.
///
/// At each joint, the link (a), the distance to the target (c) and the straightened links beyond (b) should form a
/// triangle. If the target is too far for that, the link points toward it. If it is so near that b is too long even for a
/// folded chain, the link points away from it. Otherwise the link rotates, in the plane of link and target, to the angle
/// of the triangle, and the rest will be straight.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let mut accumulated = DQuat::IDENTITY;
    let mut beyond: f64 = lengths.iter().sum();
    let mut before = points[0];
    for (joint, &length) in lengths.iter().enumerate() {
        // Nothing lies beyond the last link, and `beyond` must be exactly zero: the link would bend by the square root of
        // any rounding error left in it.
        beyond = if joint + 1 == lengths.len() { 0.0 } else { beyond - length };
        let position = points[joint];
        let link = (accumulated * (points[joint + 1] - before)).normalize();
        before = points[joint + 1];
        let to_target = target - position;
        let distance = to_target.length();
        let direction = match to_target.try_normalize() {
            Some(ahead) => at_angle(link, ahead, cosine(length, beyond, distance)),
            None => link,
        };
        accumulated = (rotation_arc(link, direction) * accumulated).normalize();
        points[joint + 1] = position + direction * length;
    }
}

/// Cosine of the angle between the link and the direction to the target; `distance` is positive.
fn cosine(length: f64, beyond: f64, distance: f64) -> f64 {
    if distance >= length + beyond || length >= distance + beyond {
        1.0
    } else if beyond >= length + distance {
        -1.0
    } else {
        ((length * length + distance * distance - beyond * beyond) / (2.0 * length * distance)).clamp(-1.0, 1.0)
    }
}

/// The unit vector at the angle with this cosine from `ahead`, on the side of `link`.
fn at_angle(link: DVec3, ahead: DVec3, cosine: f64) -> DVec3 {
    let aside = link.reject_from_normalized(ahead).try_normalize().unwrap_or_else(|| any_side(ahead));
    // If link and target are nearly in line, the first rejection is not quite perpendicular.
    let aside = aside.reject_from_normalized(ahead).normalize();
    (ahead * cosine + aside * (1.0 - cosine * cosine).sqrt()).normalize()
}
