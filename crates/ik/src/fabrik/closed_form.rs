//! Poses that need no iteration: stretched, folded, two links, and three straight segments.
//!
//! All of them write exact link lengths and leave the first point on `base`.

use super::unlock;
use glam::{DQuat, DVec3};

/// Distance and direction of a vector; no direction for the zero vector. Neither overflows nor underflows in between.
pub(crate) fn polar(vector: DVec3) -> (f64, Option<DVec3>) {
    let largest = vector.abs().max_element();
    if largest == 0.0 {
        return (0.0, None);
    }
    let shrunk = vector / largest;
    let length = shrunk.length();
    (length * largest, Some(shrunk / length))
}

/// Stretches the chain from `base` along the unit vector `direction`: the nearest pose to a target beyond the reach.
pub(crate) fn stretch(points: &mut [DVec3], lengths: &[f64], base: DVec3, direction: DVec3) {
    let mut distance = 0.0;
    points[0] = base;
    for (point, &length) in points[1..].iter_mut().zip(lengths) {
        distance += length;
        *point = base + direction * distance;
    }
}

/// Folds the chain about its longest link, which points along `direction`, all others against it: the tip comes to
/// `base + direction * dead_zone`, the nearest pose to a target inside the dead zone.
pub(crate) fn fold(points: &mut [DVec3], lengths: &[f64], base: DVec3, direction: DVec3) {
    let longest = longest(lengths);
    let mut distance = 0.0;
    points[0] = base;
    for (i, (point, &length)) in points[1..].iter_mut().zip(lengths).enumerate() {
        distance += if i == longest { length } else { -length };
        *point = base + direction * distance;
    }
}

/// Index of the longest link; the first of several.
pub(crate) fn longest(lengths: &[f64]) -> usize {
    let mut longest = 0;
    for (i, &length) in lengths.iter().enumerate() {
        if length > lengths[longest] {
            longest = i;
        }
    }
    longest
}

/// Two links that end on `target`: the elbow lies on both spheres, in the half-plane where it is now.
///
/// The target must be within reach and outside the dead zone. From a straight line the elbow goes toward `pole`.
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
    super::passes::forward(points, lengths, base);
}

/// Unit vector across `axis` toward which the elbow of a two-link chain points.
fn elbow_side(points: &[DVec3], lengths: &[f64], base: DVec3, axis: DVec3, pole: Option<DVec3>) -> DVec3 {
    let elbow = (points[1] - base) / lengths[0];
    let pole = pole.and_then(|pole| unlock::across(pole - base, axis));
    let (_, chord) = polar(points[2] - base);
    let chord = chord.unwrap_or(elbow);
    let present = elbow.reject_from_normalized(chord);
    let is_straight = present.length_squared() < unlock::LINE * unlock::LINE;
    if let (true, Some(side)) = (is_straight, pole) {
        return side;
    }
    let across = elbow.reject_from_normalized(axis);
    if across.length_squared() > unlock::LINE * unlock::LINE {
        return across.normalize();
    }
    if !is_straight && let Some(side) = unlock::across(DQuat::from_rotation_arc(chord, axis) * present, axis) {
        return side;
    }
    pole.unwrap_or_else(|| axis.any_orthonormal_vector())
}

/// Where two sides `a` and `b` of a triangle meet, seen from the start of the third side `c > 0`: how far along it
/// and how far across. Sides that do not quite close (by rounding) give a flat triangle.
///
/// Factored as differences of lengths, which stays accurate for flat triangles where `a * a - along * along` does
/// not.
pub(crate) fn triangle(a: f64, b: f64, c: f64) -> (f64, f64) {
    let along = (((a - b) * (a + b)) / c + c) / 2.0;
    let across_squared = (a + c - b) * (a + c + b) * (b + c - a) * (a + b - c);
    (along.clamp(-a, a), across_squared.max(0.0).sqrt() / (2.0 * c))
}

/// A pose that certainly ends on `target`: three straight segments, in the plane of `axis` and `side` (orthonormal).
///
/// The middle segment is the one link that crosses half of the chain. With it a, b and c, none longer than what the
/// other two and the target's distance D make up (outside the dead zone), so the quadrilateral a, b, c, D closes; its
/// diagonal from the base is free within an interval, and the middle of that is taken. `distance` must be in reach.
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
    let in_plane = |angle: f64| axis * angle.cos() + side * angle.sin();
    let heading = angle_between(diagonal, distance, third);
    let end = in_plane(heading) * diagonal;
    let knee = in_plane(heading + angle_between(diagonal, first, second)) * first;
    let corners = [DVec3::ZERO, knee, end, axis * distance];
    points[0] = DVec3::ZERO;
    for (i, &length) in lengths.iter().enumerate() {
        let segment = i.cmp(&middle) as i8 + 1;
        let [from, to] = match segment {
            0 => [corners[0], corners[1]],
            1 => [points[i], corners[2]],
            _ => [corners[2], corners[3]],
        };
        points[i + 1] = points[i] + (to - from).normalize_or(axis) * length;
    }
}

/// Angle of a triangle between the sides `a` and `b`, opposite to `c`; 0 where a side has no length.
fn angle_between(a: f64, b: f64, c: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    ((a * a + b * b - c * c) / (2.0 * a * b)).clamp(-1.0, 1.0).acos()
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
}
