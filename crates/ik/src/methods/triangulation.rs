//! Triangulation: from the base up, one triangle by the law of cosines, then a straight rest.
//!
//! Source: R. Muller-Cajar, R. Mukundan, "Triangulation: a new algorithm for inverse kinematics", Image and Vision
//! Computing New Zealand (2007).
//!
//! The source leaves two cases open. Where link and target are in line, any plane will do for the triangle; here it is
//! the one of glam's `any_orthonormal_vector`. And where a link is so long that the rest cannot come back to the
//! target, the link points toward the target, which leaves the least distance.

use glam::{DQuat, DVec3};

/// Places every link once, and that solves it: for targets within reach the end effector is there, up to rounding; for
/// others it is as near as it gets.
///
/// At each joint, the link (a), the distance to the target (c) and the links beyond, stretched out (b), should make a
/// triangle. Too far for that: the link points to the target. So near that even folding leaves b too long: it points
/// away. Else it turns, in the plane of link and target, to the angle of the triangle, and the rest will be straight.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let mut carried = DQuat::IDENTITY;
    let mut beyond: f64 = lengths.iter().sum();
    let mut before = points[0];
    for (joint, &length) in lengths.iter().enumerate() {
        // Exactly nothing lies beyond the last link: a rest of rounding would bend it by the root of that rest.
        beyond = if joint + 1 == lengths.len() { 0.0 } else { beyond - length };
        let place = points[joint];
        let link = (carried * (points[joint + 1] - before)).normalize();
        before = points[joint + 1];
        let to_target = target - place;
        let distance = to_target.length();
        let direction = match to_target.try_normalize() {
            Some(ahead) => lean(link, ahead, cosine(length, beyond, distance)),
            None => link,
        };
        carried = (DQuat::from_rotation_arc(link, direction) * carried).normalize();
        points[joint + 1] = place + direction * length;
    }
}

/// Cosine of the angle that the link should make with the way to the target; `distance` is greater than zero.
fn cosine(length: f64, beyond: f64, distance: f64) -> f64 {
    if distance >= length + beyond || length >= distance + beyond {
        1.0
    } else if beyond >= length + distance {
        -1.0
    } else {
        ((length * length + distance * distance - beyond * beyond) / (2.0 * length * distance)).clamp(-1.0, 1.0)
    }
}

/// The unit vector at this cosine from `ahead`, on the side to which `link` leans.
fn lean(link: DVec3, ahead: DVec3, cosine: f64) -> DVec3 {
    let aside = link.reject_from_normalized(ahead).try_normalize().unwrap_or_else(|| ahead.any_orthonormal_vector());
    // Both parts are renewed: where link and target are nearly in line, the rejection is not quite at right angles.
    let aside = aside.reject_from_normalized(ahead).normalize();
    (ahead * cosine + aside * (1.0 - cosine * cosine).sqrt()).normalize()
}
