//! Poses that need no iteration: stretched, folded, two links, an arc, three straight segments; and how a chain leaves a
//! straight line.
//!
//! All poses have exact link lengths and keep the first point on the base.

use super::passes;
use crate::maths;
use crate::model::{any_side, rotation_arc};
use glam::DVec3;
use std::cmp::Ordering;

/// Distance from a line, as a fraction of the reach, up to which a joint counts as lying on it. Also the sine of the
/// angle up to which two directions count as parallel.
const ON_LINE: f64 = 1e-6;

/// Length and direction of a vector; no direction for the zero vector. No intermediate result overflows or underflows.
pub(crate) fn polar(vector: DVec3) -> (f64, Option<DVec3>) {
    let largest = vector.abs().max_element();
    if largest == 0.0 {
        return (0.0, None);
    }
    let shrunk = vector / largest;
    let length = shrunk.length();
    (length * largest, Some(shrunk / length))
}

/// Stretches the chain from `base` along the unit vector `direction`: the best pose for a target beyond the reach.
pub(crate) fn stretch(points: &mut [DVec3], lengths: &[f64], base: DVec3, direction: DVec3) {
    let mut distance = 0.0;
    points[0] = base;
    for (point, &length) in points[1..].iter_mut().zip(lengths) {
        distance += length;
        *point = base + direction * distance;
    }
}

/// Folds the chain about its longest link: that link points along `direction`, all others against it. The tip moves to
/// `base + direction * dead_zone`: the best pose for a target in the dead zone.
pub(crate) fn fold(points: &mut [DVec3], lengths: &[f64], base: DVec3, direction: DVec3) {
    let longest = longest(lengths);
    let mut distance = 0.0;
    points[0] = base;
    for (i, (point, &length)) in points[1..].iter_mut().zip(lengths).enumerate() {
        distance += if i == longest { length } else { -length };
        *point = base + direction * distance;
    }
}

/// Index of the longest link; of several, the first.
pub(crate) fn longest(lengths: &[f64]) -> usize {
    (0..lengths.len()).rev().max_by(|&a, &b| lengths[a].total_cmp(&lengths[b])).unwrap_or_default()
}

/// Moves the tip of a two-link chain to `target`. The elbow points to `pole`; without one, it stays in its present
/// half-plane.
///
/// The target must be within reach and outside the dead zone.
pub(crate) fn two_links(points: &mut [DVec3], lengths: &[f64], base: DVec3, target: DVec3, pole: Option<DVec3>) {
    let (distance, direction) = polar(target - base);
    let Some(axis) = direction else {
        // Base and target coincide, so the links are equally long: the second folds back onto the first.
        points[2] = base;
        return;
    };
    let side = elbow_side(points, lengths, base, axis, pole);
    let (along, across) = triangle(lengths[0], lengths[1], distance);
    points[0] = base;
    points[1] = base + axis * along + side * across;
    points[2] = target;
    passes::forward(points, lengths, base);
}

/// Unit vector perpendicular to `axis`, toward which the elbow of a two-link chain points.
fn elbow_side(points: &[DVec3], lengths: &[f64], base: DVec3, axis: DVec3, pole: Option<DVec3>) -> DVec3 {
    if let Some(side) = pole.and_then(|pole| perpendicular_direction(pole - base, axis)) {
        return side;
    }
    let elbow = (points[1] - base) / lengths[0];
    let (_, chord) = polar(points[2] - base);
    let chord = chord.unwrap_or(elbow);
    let present = elbow.reject_from_normalized(chord);
    let is_straight = present.length_squared() < ON_LINE * ON_LINE;
    let across = elbow.reject_from_normalized(axis);
    if across.length_squared() > ON_LINE * ON_LINE {
        return across.normalize();
    }
    let turned = || perpendicular_direction(rotation_arc(chord, axis) * present, axis);
    if !is_straight && let Some(side) = turned() {
        return side;
    }
    any_side(axis)
}

/// Turns the chain about the line from base to tip, until joint `at` is on the side of that line on which `pole` is.
/// Returns whether it moved: not if the joint or the pole lies on the line, or if the joint is within `rounding` of its
/// place.
pub(crate) fn turn_to_pole(points: &mut [DVec3], lengths: &[f64], at: usize, pole: DVec3, rounding: f64) -> bool {
    let (base, tip) = (points[0], points[lengths.len()]);
    let Some(axis) = polar(tip - base).1 else { return false };
    let Some(side) = perpendicular_direction(pole - base, axis) else { return false };
    let off = (points[at] - base).reject_from_normalized(axis);
    let distance = off.length();
    if distance <= ON_LINE * lengths.iter().sum::<f64>() || off.distance(side * distance) <= rounding {
        return false;
    }
    let turn = maths::turn(axis, maths::atan2(axis.dot(off.cross(side)), off.dot(side)));
    for point in &mut points[1..lengths.len()] {
        *point = base + turn * (*point - base);
    }
    passes::forward(points, lengths, base);
    true
}

/// The corner where the sides `a` and `b` of a triangle meet: its distance along the third side `c > 0` from the start
/// of `a`, and its distance from that side. Sides that just miss closing, by rounding, give a flat triangle.
///
/// The products of differences of lengths stay accurate for flat triangles, unlike `a * a - along * along`.
pub(crate) fn triangle(a: f64, b: f64, c: f64) -> (f64, f64) {
    let along = (((a - b) * (a + b)) / c + c) / 2.0;
    let across_squared = (a + c - b) * (a + c + b) * (b + c - a) * (a + b - c);
    (along.clamp(-a, a), across_squared.max(0.0).sqrt() / (2.0 * c))
}

/// Three straight segments that end at `distance` along `axis`, in the plane of `axis` and `side` (orthonormal). Exists
/// for every target within reach and outside the dead zone. The base is the origin.
///
/// The middle segment is the link that contains the middle of the chain. Then none of the segments a, b and c is longer
/// than the other two and `distance` together, so that these four sides form a quadrilateral. Its diagonal from the base
/// may vary within an interval; this takes the midpoint.
pub(crate) fn three_segments(points: &mut [DVec3], lengths: &[f64], distance: f64, axis: DVec3, side: DVec3) {
    let half = lengths.iter().sum::<f64>() / 2.0;
    let mut first = 0.0;
    let mut middle = 0;
    while middle + 1 < lengths.len() && first + lengths[middle] < half {
        first += lengths[middle];
        middle += 1;
    }
    let second = lengths[middle];
    let third: f64 = lengths[middle + 1..].iter().sum();
    let low = (first - second).abs().max((distance - third).abs());
    let high = (first + second).min(distance + third);
    let diagonal = (low + high) / 2.0;
    let in_plane = |angle: f64| axis * maths::cos(angle) + side * maths::sin(angle);
    let heading = triangle_angle(diagonal, distance, third);
    let end = in_plane(heading) * diagonal;
    let knee = in_plane(heading + triangle_angle(diagonal, first, second)) * first;
    points[0] = DVec3::ZERO;
    for (i, &length) in lengths.iter().enumerate() {
        let along = match i.cmp(&middle) {
            Ordering::Less => knee,
            Ordering::Equal => end - points[i],
            Ordering::Greater => axis * distance - end,
        };
        points[i + 1] = points[i] + along.normalize_or(axis) * length;
    }
}

/// Angle of a triangle between its sides `a` and `b`, opposite `c`; 0 if one of the two has no length.
fn triangle_angle(a: f64, b: f64, c: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    maths::acos(((a * a + b * b - c * c) / (2.0 * a * b)).clamp(-1.0, 1.0))
}

/// Direction of the component of `vector` perpendicular to the unit vector `axis`; none if the two are nearly parallel.
pub(crate) fn perpendicular_direction(vector: DVec3, axis: DVec3) -> Option<DVec3> {
    let (_, direction) = polar(vector);
    let across = direction?.reject_from_normalized(axis);
    (across.length_squared() > ON_LINE * ON_LINE).then(|| across.normalize())
}

/// Bends a straight chain along an arc: toward `pole` if there is one, otherwise only if the target lies on the chain's
/// line, in a fixed plane. Returns whether it did. Any other pose stays as it is.
///
/// The reaching passes never leave a line that contains the target: the dead lock of section 5.4 of the paper.
/// `points`, `target` and `pole` are in one space.
pub(crate) fn leave_line(
    points: &mut [DVec3],
    lengths: &[f64],
    reach: f64,
    target: DVec3,
    pole: Option<DVec3>,
) -> bool {
    let base = points[0];
    let line = (points[1] - base) / lengths[0];
    let on_line =
        |point: &DVec3| (*point - base).reject_from_normalized(line).length_squared() <= (ON_LINE * reach).powi(2);
    if !points[2..].iter().all(on_line) {
        return false;
    }
    let (distance, direction) = polar(target - base);
    let axis = direction.unwrap_or(line);
    let toward_pole = pole.and_then(|pole| perpendicular_direction(pole - base, axis));
    let side = match toward_pole {
        Some(side) => side,
        None if on_line(&target) => any_side(axis),
        None => return false,
    };
    lay_along_arc(points, lengths, axis, side, arc_angle(distance / reach));
    true
}

/// Angle in radians of a circular arc whose chord is this fraction of its length.
///
/// Half the angle solves `sin x / x = chord`. Newton's method starts slightly above the solution of
/// `1 - x^2 / 6 = chord`, which holds for a flat arc.
pub(crate) fn arc_angle(chord: f64) -> f64 {
    let flat = (6.0 * (1.0 - chord).max(0.0)).sqrt();
    if flat < 0.1 {
        return 2.0 * flat;
    }
    let mut half = 1.06 * flat;
    for _ in 0..4 {
        half -= (maths::sin(half) - chord * half) / (maths::cos(half) - chord);
    }
    2.0 * half
}

/// Lays the chain along a circular arc of `angle` radians from `points[0]`, with its chord along `axis` and its bulge
/// toward `side`; these two are orthonormal. Each link turns in proportion to its length.
pub(crate) fn lay_along_arc(points: &mut [DVec3], lengths: &[f64], axis: DVec3, side: DVec3, angle: f64) {
    let rate = angle / lengths.iter().sum::<f64>();
    let mut heading = angle / 2.0;
    for (i, &length) in lengths.iter().enumerate() {
        let half = rate * length / 2.0;
        let (sin, cos) = maths::sincos(heading - half);
        points[i + 1] = points[i] + (axis * cos + side * sin) * length;
        heading -= 2.0 * half;
    }
}

/// Unit vector perpendicular to `axis` toward the joint farthest from the line through `points[0]` along `axis`: the side
/// to which the chain bends. For a straight chain, the side of `pole`, or any fixed side without one.
pub(crate) fn bend_side(points: &[DVec3], axis: DVec3, reach: f64, pole: Option<DVec3>) -> DVec3 {
    let mut farthest = DVec3::ZERO;
    for point in &points[1..] {
        let off = (*point - points[0]).reject_from_normalized(axis);
        if off.length_squared() > farthest.length_squared() {
            farthest = off;
        }
    }
    if farthest.length_squared() > (ON_LINE * reach).powi(2) {
        return farthest.normalize();
    }
    pole.and_then(|pole| perpendicular_direction(pole - points[0], axis)).unwrap_or_else(|| any_side(axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn three_segments_end_on_every_reachable_target() {
        let mut random = Random::new(6);
        for case in 0..5000 {
            let lengths: Vec<f64> = (0..3 + random.index(20)).map(|_| 100_f64.powf(random.unit())).collect();
            let reach: f64 = lengths.iter().sum();
            let dead = (2.0 * lengths[longest(&lengths)] - reach).max(0.0);
            let distance = match case % 3 {
                0 => random.range(dead, reach),
                1 => dead + (reach - dead) * 1e-6,
                _ => reach - (reach - dead) * 1e-6,
            };
            let mut points = vec![DVec3::ZERO; lengths.len() + 1];
            three_segments(&mut points, &lengths, distance, DVec3::X, DVec3::Y);
            assert!(points[lengths.len()].distance(DVec3::X * distance) <= 1e-13 * reach, "case {case}");
            for (pair, length) in points.windows(2).zip(&lengths) {
                assert!((pair[0].distance(pair[1]) - length).abs() <= 1e-13 * reach, "case {case}");
            }
        }
    }

    #[test]
    fn an_arc_has_the_requested_chord() {
        for step in 0..=1000 {
            let chord = f64::from(step) / 1000.0;
            let half = arc_angle(chord) / 2.0;
            let sinc = if half > 0.0 { half.sin() / half } else { 1.0 };
            assert!((sinc - chord).abs() < 1e-5, "{chord}: {sinc}");
        }
    }

    #[test]
    fn arcs_of_equal_links_end_on_their_axis() {
        for links in 1..20 {
            let lengths = vec![0.3; links];
            for step in 1..100 {
                let mut points = vec![DVec3::ONE; links + 1];
                lay_along_arc(
                    &mut points,
                    &lengths,
                    DVec3::Y,
                    DVec3::X,
                    f64::from(step) / 100.0 * std::f64::consts::TAU,
                );
                let chord = points[links] - points[0];
                assert!(chord.cross(DVec3::Y).length() < 1e-13 && chord.y > 0.0, "{links} links, {step}: {chord}");
                assert!(points.windows(2).all(|pair| (pair[0].distance(pair[1]) - 0.3).abs() < 1e-14));
                let bulge = points.iter().all(|point| point.x >= 1.0 - 1e-13 && point.z == 1.0);
                assert!(bulge, "{links} links, {step}: {points:?}");
            }
        }
    }
}
