//! Closures: single moves that put the tip of a nearly converged or stuck chain exactly on its target.
//!
//! Each reads a pose and writes another; the base is the origin in both. The caller verifies the result: it checks the
//! link lengths, restores them with a forward pass where needed, measures the remaining error, and keeps the pose only
//! if the error fell.

use super::closed_form::{perpendicular_direction, polar, triangle};
use crate::model::{any_side, rotation_arc};
use glam::{DMat3, DVec3};

/// A closure: `(pose, lengths, target, new_pose)`. Returns false if it does not apply to this pose.
pub(crate) type Closure = fn(&[DVec3], &[f64], DVec3, &mut [DVec3]) -> bool;

/// Weight of the identity in the normal equations of [`least_turn`], relative to their trace.
const DAMPING: f64 = 1e-9;

/// Largest factor by which [`scale_chord`] widens a chain. A larger one would amplify the noise of a nearly straight
/// chain.
const LARGEST_WIDENING: f64 = 64.0;

/// Smallest sum of squared link components perpendicular to the chord, relative to the squared reach, that
/// [`scale_chord`] can work with.
const LEAST_SQUARED_WIDTH: f64 = 1e-20;

/// Smallest squared sine of the angle at the joint that [`one_hinge`] bends.
const LEAST_SQUARED_HINGE_SINE: f64 = 1e-6;

/// One Gauss-Newton step with the smallest sum of squared joint rotations. Links are rotated, never stretched.
///
/// With `r` the vector from a joint to the tip, a small rotation `w` of the joint moves the tip by `w x r`. The smallest
/// rotations that move it by `e` are `w = r x y`, where y solves `sum (|r|^2 I - r r^T) y = e`: a 3 x 3 system for any
/// number of joints.
pub(crate) fn least_turn(from: &[DVec3], lengths: &[f64], target: DVec3, into: &mut [DVec3]) -> bool {
    let tip = from[lengths.len()];
    let mut moments = DMat3::ZERO;
    for joint in &from[..lengths.len()] {
        let arm = tip - *joint;
        moments += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    }
    let trace = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
    let normal = DMat3::from_diagonal(DVec3::splat(trace * (1.0 + DAMPING))) - moments;
    if normal.determinant() <= 0.0 {
        return false;
    }
    let multiplier = normal.inverse() * (target - tip);
    let mut turn = DVec3::ZERO;
    into[0] = DVec3::ZERO;
    for (i, &length) in lengths.iter().enumerate() {
        turn += (tip - from[i]).cross(multiplier);
        let link = from[i + 1] - from[i];
        into[i + 1] = into[i] + (link + turn.cross(link)).normalize_or(link / length) * length;
    }
    true
}

/// Rotates the chain until its chord points at the target, then widens or narrows it until the chord has the right
/// length.
///
/// The component of each link perpendicular to the chord is multiplied by one factor; the component along the chord
/// takes up the rest of the length and keeps its sign. The square `m` of the factor solves
/// `sum +-sqrt(d^2 - m w^2) = D`, by Newton's method within a bracket.
pub(crate) fn scale_chord(from: &[DVec3], lengths: &[f64], target: DVec3, into: &mut [DVec3]) -> bool {
    let (distance, axis) = polar(target);
    let (_, chord) = polar(from[lengths.len()]);
    let (Some(axis), Some(chord)) = (axis, chord) else { return false };
    let rotation = DMat3::from_quat(rotation_arc(chord, axis));
    // Until the last loop, `into` holds link vectors.
    let mut widest = f64::INFINITY;
    let mut across_sum = 0.0;
    for (i, &length) in lengths.iter().enumerate() {
        let link = rotation * (from[i + 1] - from[i]);
        let across = link.reject_from_normalized(axis).length_squared();
        into[i + 1] = link;
        across_sum += across;
        if across > 0.0 {
            widest = widest.min(length * length / across);
        }
    }
    let reach: f64 = lengths.iter().sum();
    if across_sum <= LEAST_SQUARED_WIDTH * reach * reach {
        return false;
    }
    let Some(squared_factor) = solve_factor(&into[1..], lengths, axis, distance, widest, reach) else { return false };
    if squared_factor > LARGEST_WIDENING * LARGEST_WIDENING {
        return false;
    }
    let factor = squared_factor.sqrt();
    into[0] = DVec3::ZERO;
    for (i, &length) in lengths.iter().enumerate() {
        let link = into[i + 1];
        let across = link.reject_from_normalized(axis) * factor;
        let along = (length * length - across.length_squared()).max(0.0).sqrt().copysign(link.dot(axis));
        into[i + 1] = into[i] + across + axis * along;
    }
    true
}

/// The squared factor for [`scale_chord`], in `0..=widest`; none if no factor gives this chord.
fn solve_factor(links: &[DVec3], lengths: &[f64], axis: DVec3, distance: f64, widest: f64, reach: f64) -> Option<f64> {
    let excess_and_slope = |m: f64| {
        let mut sum = -distance;
        let mut slope = 0.0;
        for (link, &length) in links.iter().zip(lengths) {
            let across = link.reject_from_normalized(axis).length_squared();
            let along = (length * length - m * across).max(0.0).sqrt().copysign(link.dot(axis));
            sum += along;
            if along != 0.0 {
                slope -= across / (2.0 * along);
            }
        }
        (sum, slope)
    };
    let (mut low, mut high) = (0.0, widest);
    let (at_low, at_high) = (excess_and_slope(low).0, excess_and_slope(high).0);
    if at_low * at_high > 0.0 {
        return None;
    }
    let rises = at_high > at_low;
    let mut m = f64::min(1.0, high);
    for _ in 0..60 {
        let (excess, slope) = excess_and_slope(m);
        if excess.abs() <= f64::EPSILON * reach {
            break;
        }
        if (excess > 0.0) == rises {
            high = m;
        } else {
            low = m;
        }
        let newton = m - excess / slope;
        let next = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
        if next == m {
            break;
        }
        m = next;
    }
    Some(m)
}

/// Bends one joint and no other. The chain before it and the chain after it are the two rigid sides of a triangle that
/// ends on the target. It takes the joint with the largest sine of the angle between these sides.
pub(crate) fn one_hinge(from: &[DVec3], lengths: &[f64], target: DVec3, into: &mut [DVec3]) -> bool {
    let links = lengths.len();
    let tip = from[links];
    let (distance, Some(axis)) = polar(target) else { return false };
    let mut best = (LEAST_SQUARED_HINGE_SINE, 0);
    for (i, joint) in from.iter().enumerate().take(links).skip(1) {
        let (first, second) = (joint.length(), tip.distance(*joint));
        let (_, height) = triangle(first, second, distance);
        let sine = distance * height / (first * second);
        if sine * sine > best.0 {
            best = (sine * sine, i);
        }
    }
    let (_, hinge) = best;
    if hinge == 0 {
        return false;
    }
    let joint = from[hinge];
    let (along, height) = triangle(joint.length(), tip.distance(joint), distance);
    let side = perpendicular_direction(joint, axis).unwrap_or_else(|| any_side(axis));
    let knee = axis * along + side * height;
    let (Some(first), Some(second)) = (rotation(joint, knee), rotation(tip - joint, target - knee)) else {
        return false;
    };
    for (new, old) in into.iter_mut().zip(from).take(hinge) {
        *new = first * *old;
    }
    for (new, old) in into.iter_mut().zip(from).skip(hinge) {
        *new = knee + second * (*old - joint);
    }
    true
}

/// The smallest rotation from the direction of one vector to that of another.
fn rotation(from: DVec3, to: DVec3) -> Option<DMat3> {
    Some(DMat3::from_quat(rotation_arc(polar(from).1?, polar(to).1?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabrik::bent_chain;
    use crate::random::Random;

    fn links_off(points: &[DVec3], lengths: &[f64]) -> f64 {
        let links = points.windows(2).zip(lengths);
        links.map(|(pair, length)| (pair[0].distance(pair[1]) / length - 1.0).abs()).fold(0.0, f64::max)
    }

    fn poses() -> impl Iterator<Item = (Vec<DVec3>, Vec<f64>, Random)> {
        (0..500).map(|seed| {
            let mut random = Random::new(seed);
            let lengths: Vec<f64> = (0..3 + random.index(10)).map(|_| random.range(0.5, 1.5)).collect();
            (bent_chain(&mut random, &lengths, DVec3::X, 0.7), lengths, random)
        })
    }

    /// Most targets at these shares of the tip's distance are met, and lengths are kept. `check` gets the poses before and
    /// after.
    fn ends_on_targets(closure: Closure, [low, high]: [f64; 2], check: impl Fn(&[DVec3], &[DVec3])) {
        let mut done = 0;
        for (points, lengths, mut random) in poses() {
            let target = random.direction() * points[lengths.len()].length() * random.range(low, high);
            let mut into = points.clone();
            if closure(&points, &lengths, target, &mut into) {
                done += 1;
                assert!(into[lengths.len()].distance(target) < 1e-12);
                assert!(links_off(&into, &lengths) < 1e-13);
                check(&points, &into);
            }
        }
        assert!(done > 400, "{done}");
    }

    #[test]
    fn a_least_turn_converges_quadratically_and_keeps_lengths() {
        for (points, lengths, mut random) in poses() {
            let tip = points[lengths.len()];
            let target = tip + random.direction() * 1e-3;
            let mut into = points.clone();
            assert!(least_turn(&points, &lengths, target, &mut into));
            assert!(into[lengths.len()].distance(target) < 1e-4);
            assert!(links_off(&into, &lengths) < 1e-13);
        }
    }

    #[test]
    fn a_scaled_chord_ends_on_the_target_and_keeps_lengths() {
        ends_on_targets(scale_chord, [0.95, 1.02], |_, _| ());
    }

    #[test]
    fn one_hinge_bends_one_joint_and_ends_on_the_target() {
        let bend = |points: &[DVec3], i: usize| (points[i] - points[i - 1]).angle_between(points[i + 1] - points[i]);
        ends_on_targets(one_hinge, [0.7, 1.02], |points, into| {
            let changed = (1..points.len() - 1).filter(|&i| (bend(points, i) - bend(into, i)).abs() > 1e-6);
            assert!(changed.count() <= 1);
        });
    }
}
