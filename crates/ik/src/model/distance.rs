//! Exact distances between a segment and points, segments and boxes, and how far a segment is inside a box.

use glam::DVec3;

/// The position on the segment from `a` to `b` that is nearest to `point`: 0 at `a`, 1 at `b`.
pub(crate) fn nearest_along(a: DVec3, b: DVec3, point: DVec3) -> f64 {
    let link = b - a;
    let squared = link.length_squared();
    if squared > 0.0 { ((point - a).dot(link) / squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// The positions on two segments whose points are nearest to each other.
///
/// Either both points are inside their segments, on the common perpendicular of the two lines, or one of them is an end.
pub(crate) fn nearest_along_both(first: [DVec3; 2], second: [DVec3; 2]) -> [f64; 2] {
    let inside = |t: f64| (0.0..=1.0).contains(&t);
    if let Some(both) = common_perpendicular(first, second)
        && both.iter().copied().all(inside)
    {
        return both;
    }
    let [[a, b], [c, d]] = [first, second];
    let ends = [
        [0.0, nearest_along(c, d, a)],
        [1.0, nearest_along(c, d, b)],
        [nearest_along(a, b, c), 0.0],
        [nearest_along(a, b, d), 1.0],
    ];
    let squared = |at: &[f64; 2]| a.lerp(b, at[0]).distance_squared(c.lerp(d, at[1]));
    ends.into_iter().min_by(|x, y| squared(x).total_cmp(&squared(y))).unwrap_or_default()
}

/// The positions on two lines at which their common perpendicular meets them; `None` if they are parallel.
fn common_perpendicular([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Option<[f64; 2]> {
    let (along, other, between) = (b - a, d - c, c - a);
    // Unlike the determinant of the normal equations, the cross product does not cancel where lines are nearly parallel.
    let across = along.cross(other);
    let squared = across.length_squared();
    if squared <= 0.0 {
        return None;
    }
    Some([other, along].map(|line| between.cross(line).dot(across) / squared))
}

/// Where a link without thickness is deepest in an obstacle, or nearest to it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The shortest way that the link has to move to leave the obstacle; minus the distance if it is outside.
    pub depth: f64,
    /// Unit vector that points out of the obstacle, along that way.
    pub normal: DVec3,
    /// Position on the link: 0 at its first end, 1 at its second.
    pub along: f64,
}

/// The contact of the segment from `a` to `b` with the box of these half sides around the origin, along the axes.
pub(crate) fn box_contact(half: DVec3, a: DVec3, b: DVec3) -> Contact {
    let along = nearest_to_box(half, a, b);
    let point = a.lerp(b, along);
    let away = point - point.clamp(-half, half);
    let distance = away.length();
    let outside = || Contact { depth: -distance, normal: away / distance, along };
    // A point that is outside by a rounding error may belong to a segment that is deep inside.
    if distance > 1e-12 * (half.length() + point.length()) {
        return outside();
    }
    let way_out = way_out(half, a, b);
    if way_out.depth > 0.0 || distance <= 0.0 { way_out } else { outside() }
}

/// The position on the segment that is nearest to the box.
///
/// The squared distance is convex along the segment, and between the planes of the box's faces it is quadratic. Its slope is
/// therefore piecewise linear and increasing. The search finds the piece in which the slope changes its sign.
fn nearest_to_box(half: DVec3, a: DVec3, b: DVec3) -> f64 {
    let link = b - a;
    let slope = |t: f64| {
        let point = a + link * t;
        (point - point.clamp(-half, half)).dot(link)
    };
    let (mut low, mut high) = ((0.0, slope(0.0)), (1.0, slope(1.0)));
    if low.1 >= 0.0 {
        return 0.0;
    }
    if high.1 <= 0.0 {
        return 1.0;
    }
    for axis in 0..3 {
        for face in [-half[axis], half[axis]] {
            let t = (face - a[axis]) / link[axis];
            // Outside the bracket, or not a number if the segment is parallel to the face.
            if !(t > low.0 && t < high.0) {
                continue;
            }
            let here = slope(t);
            if here < 0.0 {
                low = (t, here);
            } else {
                high = (t, here);
            }
        }
    }
    low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1))
}

/// The shortest way out of the box for a segment that is partly inside.
///
/// The segment and the box overlap if the origin lies in their Minkowski difference. The way out leads to the nearest face
/// of that polytope. Its faces are normal to an axis of the box, or to an axis of the box and the segment.
fn way_out(half: DVec3, a: DVec3, b: DVec3) -> Contact {
    let link = b - a;
    let mut best = Contact { depth: f64::INFINITY, normal: DVec3::Z, along: 0.0 };
    for axis in DVec3::AXES {
        for normal in [axis, -axis] {
            let along = if normal.dot(b) < normal.dot(a) { 1.0 } else { 0.0 };
            let depth = half.dot(axis) - normal.dot(if along > 0.0 { b } else { a });
            if depth < best.depth {
                best = Contact { depth, normal, along };
            }
        }
    }
    for axis in DVec3::AXES {
        let Some(across) = axis.cross(link).try_normalize() else { continue };
        for normal in [across, -across] {
            let depth = half.dot(normal.abs()) - normal.dot(a);
            // Rounding errors must not prefer an edge to a face that is as near.
            if depth < best.depth * (1.0 - 1e-12) {
                let corner = DVec3::select(normal.cmplt(DVec3::ZERO), -half, half);
                let edge = [corner - axis, corner + axis];
                let along = common_perpendicular([a, b], edge).map_or(0.0, |[along, _]| along.clamp(0.0, 1.0));
                best = Contact { depth, normal, along };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Least value of a convex function on `[0, 1]`, by golden section.
    fn least(mut f: impl FnMut(f64) -> f64) -> f64 {
        let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..90 {
            let (x, y) = (high - ratio * (high - low), low + ratio * (high - low));
            if f(x) < f(y) { high = y } else { low = x }
        }
        f(low).min(f(high)).min(f(0.0)).min(f(1.0))
    }

    /// Segments of many lengths: also points, parallel and crossing ones, and such that are nearly parallel.
    fn segments(random: &mut Random, case: usize) -> [[DVec3; 2]; 2] {
        let mut point = |size: f64| random.ball() * size;
        let first = [point(1.0), point(1.0)];
        let link = first[1] - first[0];
        let shift = point(0.7);
        let second = match case % 8 {
            0 => [shift, shift],
            1 => [first[0] + shift, first[1] + shift],
            2 => [first[0] + shift, first[0] + shift - link * 3.0],
            3 => [first[0] + shift, first[1] + shift + point(10.0_f64.powi(-(4 + (case / 8 % 9) as i32)))],
            4 => [first[0].midpoint(first[1]) - shift, first[0].midpoint(first[1]) + shift],
            _ => [point(2.0), point(0.1)],
        };
        if case.is_multiple_of(37) { [[first[0]; 2], second] } else { [first, second] }
    }

    #[test]
    fn the_distance_of_segments_is_the_least_of_all() {
        let mut random = Random::new(1);
        for case in 0..6000 {
            let [first, second] = segments(&mut random, case);
            let [s, t] = nearest_along_both(first, second);
            assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t));
            let found = first[0].lerp(first[1], s).distance(second[0].lerp(second[1], t));
            // For each point of the first segment, the nearest one of the second: a convex function.
            let least = least(|s| {
                let point = first[0].lerp(first[1], s);
                point.distance(second[0].lerp(second[1], nearest_along(second[0], second[1], point)))
            });
            assert!((found - least).abs() < 1e-9, "case {case}: {found} {least}");
        }
    }

    #[test]
    fn the_distance_to_a_box_is_the_least_of_all() {
        let mut random = Random::new(2);
        for case in 0..6000 {
            let [[a, b], _] = segments(&mut random, case);
            let half = random.direction().abs() * random.unit();
            let (a, b) = (a + random.ball() * 2.0, if case % 5 == 0 { a } else { b });
            let contact = box_contact(half, a, b);
            let outside = |t: f64| {
                let point = a.lerp(b, t);
                point.distance(point.clamp(-half, half))
            };
            let least = least(outside);
            assert!((contact.normal.length() - 1.0).abs() < 1e-12 && (0.0..=1.0).contains(&contact.along));
            if least > 1e-9 {
                assert!((contact.depth + least).abs() < 1e-9, "case {case}: {contact:?} {least}");
                assert!((outside(contact.along) - least).abs() < 1e-9);
            } else {
                assert!(contact.depth > -1e-9, "case {case}: {contact:?} {least}");
            }
        }
    }

    /// Moving the segment out along the normal separates it from the box; a shorter move in any direction does not.
    #[test]
    fn the_depth_in_a_box_is_the_shortest_way_out() {
        let mut random = Random::new(3);
        let mut inside = 0;
        for case in 0..6000 {
            let half = random.direction().abs() * (0.1 + random.unit());
            let a = random.ball();
            let b = match case % 4 {
                0 => a,
                1 => a + DVec3::AXES[case / 4 % 3] * random.normal(),
                _ => random.ball(),
            };
            let contact = box_contact(half, a, b);
            if contact.depth <= 0.0 {
                continue;
            }
            inside += 1;
            let moved = |by: DVec3| box_contact(half, a + by, b + by).depth;
            assert!(moved(contact.normal * contact.depth).abs() < 1e-9, "case {case}: {contact:?}");
            // The overlap along a direction bounds the depth from above; the least one is the depth.
            let overlap = |way: DVec3| half.dot(way.abs()) - way.dot(a).min(way.dot(b));
            let (mut best, mut least) = (contact.normal, overlap(contact.normal));
            assert!((least - contact.depth).abs() < 1e-9, "case {case}: {contact:?} {least}");
            for step in 0..400 {
                let size = if step < 200 { 2.0 } else { 10.0_f64.powf(-4.0 * random.unit()) };
                let way = (best + random.ball() * size).normalize();
                assert!(overlap(way) >= contact.depth - 1e-9, "case {case}: {contact:?} {way}");
                if overlap(way) < least {
                    (best, least) = (way, overlap(way));
                }
            }
            // The contact point is the deepest one: turns about it do not change the depth, unless both ends of a segment that
            // is parallel to a face are equally deep.
            if case % 4 == 1 {
                continue;
            }
            let touch = a.lerp(b, contact.along);
            let turn = glam::DQuat::from_scaled_axis(random.ball() * 1e-7);
            let turned = box_contact(half, touch + turn * (a - touch), touch + turn * (b - touch));
            assert!((turned.depth - contact.depth).abs() < 1e-9, "case {case}: {contact:?} {turned:?}");
        }
        assert!(inside > 1000, "{inside}");
    }
}
