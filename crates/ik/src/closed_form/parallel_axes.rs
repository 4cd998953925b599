//! Arms whose second, third and fourth axes are parallel, like those of Universal Robots. These three joints keep all
//! heights along their direction, and turn the rest of the arm about it.
//!
//! Source: A. J. Elias and J. T. Wen, *IK-Geo: unified robot inverse kinematics using subproblem decomposition*, 2022,
//! "three parallel joint axes".

use super::lines::Lines;
use super::subproblems::{Angles, Turning, TwoCircles, angles_between, angles_with, only, turn_between};
use crate::maths;
use crate::model::Isometry;
use glam::{DVec2, DVec3};

/// The axes in the form that the closed form needs, if the second, third and fourth are parallel and the others are not
/// parallel to them.
pub(super) fn prepared(mut lines: Lines) -> Option<Lines> {
    if !(lines.are_parallel(1, 2) && lines.are_parallel(2, 3)) || lines.are_parallel(0, 1) || lines.are_parallel(3, 4) {
        return None;
    }
    for at in [2, 3] {
        if lines.directions[at].dot(lines.directions[1]) < 0.0 {
            lines.flip(at);
        }
    }
    lines.move_closest(4, 5);
    Some(lines)
}

/// The angles about the axes that bring about `motion`. Free angles become those of `near`, or the next ones with which the
/// arm reaches far enough.
pub(super) fn solve(lines: &Lines, motion: Isometry, near: &[f64; 6]) -> Vec<[f64; 6]> {
    let mut found = Vec::new();
    for [first, fifth] in first_and_fifth(lines, motion).solve() {
        let (first, fifth) = (first.unwrap_or(near[0]), fifth.unwrap_or(near[4]));
        let (after_first, by_fifth) = (lines.turn(0, -first).frame(motion), lines.turn(4, fifth));
        let across = lines.directions[1];
        // The sixth joint turns the direction of the three axes, seen from the effector, to where the fifth expects it.
        let seen = [after_first.rotation.conjugate() * across, by_fifth.rotation.conjugate() * across];
        let sixths = turn_between(lines.directions[5], seen[0], seen[1])
            .map_or_else(|| within_reach(lines, after_first, by_fifth, near[5]), only);
        for sixth in sixths {
            let wrist = by_fifth.frame(lines.turn(5, sixth));
            let back = wrist.rotation.conjugate();
            let inverse = Isometry::new(-(back * wrist.position), back);
            let elbows = planar(lines, after_first.frame(inverse), near);
            found.extend(elbows.map(|[second, third, fourth]| [first, second, third, fourth, fifth, sixth]));
        }
    }
    found
}

/// The angles of a sixth joint that is parallel to the three axes, next to `near`, such that the two links of the three joints
/// reach the fourth axis.
fn within_reach(lines: &Lines, after_first: Isometry, by_fifth: Isometry, near: f64) -> Angles {
    let Lines { directions, points, size, .. } = lines;
    let flat = |vector: DVec3| (vector - directions[1] * directions[1].dot(vector)) / *size;
    // Backward about the sixth axis, hence its opposite.
    let turning = Turning::new(-directions[5], by_fifth.local(points[3]) - points[5]);
    let [cos, sin] = [turning.cos, turning.sin].map(|part| flat(after_first.rotation * part));
    let fixed = flat(after_first.point(points[5] + turning.fixed) - points[1]);
    let [upper, lower] = [1, 2].map(|at| flat(points[at + 1] - points[at]).length());
    let middle = upper * upper + lower * lower - fixed.length_squared() - cos.length_squared();
    let coefficients = DVec2::new(fixed.dot(cos), fixed.dot(sin)) * 2.0;
    angles_between(coefficients, [middle - 2.0 * upper * lower, middle + 2.0 * upper * lower], near)
}

/// The three parallel joints keep the heights of points, and the angles of directions, along their axes. The point is on
/// the sixth axis, and the direction is that of the sixth axis, so that the sixth joint does not matter.
fn first_and_fifth(lines: &Lines, motion: Isometry) -> TwoCircles {
    let Lines { directions, points, size, .. } = lines;
    let across = directions[1];
    let end = motion.point(points[5]);
    // Backward about the first axis, hence its opposite.
    let backward = -directions[0];
    let [end, axis] = [end - points[0], motion.rotation * directions[5]].map(|vector| Turning::new(backward, vector));
    let [own_end, own_axis] = [points[5] - points[4], directions[5]].map(|vector| Turning::new(directions[4], vector));
    TwoCircles {
        first: [end.along(across) / *size, axis.along(across)],
        second: [-own_end.along(across) / *size, -own_axis.along(across)],
        values: [
            across.dot(points[4] + own_end.fixed - points[0] - end.fixed) / size,
            across.dot(own_axis.fixed - axis.fixed),
        ],
    }
}

/// The angles of the three parallel joints that together bring about `motion`, which turns about their direction: an
/// arm of two links in a plane.
fn planar(lines: &Lines, motion: Isometry, near: &[f64; 6]) -> impl Iterator<Item = [f64; 3]> {
    let Lines { directions, points, size, .. } = lines;
    let (across, near) = (directions[1], [near[1], near[2]]);
    let flat = |vector: DVec3| vector - across * across.dot(vector);
    let wrist = flat(motion.point(points[3]) - points[1]);
    let side = across.any_orthonormal_vector();
    let turned = turn_between(across, side, motion.rotation * side).unwrap_or(0.0);
    // The third joint sets the distance of the fourth axis from the second one.
    let (upper, lower) = (flat(points[2] - points[1]), flat(points[3] - points[2]));
    let lower = Turning::new(across, lower);
    let coefficients: DVec2 = lower.along(upper) * (2.0 / (size * size));
    let squared = wrist.length_squared() - upper.length_squared() - lower.cos.length_squared();
    let thirds = angles_with(coefficients, squared / (size * size));
    thirds.map(move |third: Option<f64>| {
        let third = third.unwrap_or(near[1]);
        let reached = upper + lower.cos * maths::cos(third) + lower.sin * maths::sin(third);
        let second = turn_between(across, reached, wrist).unwrap_or(near[0]);
        [second, third, turned - second - third]
    })
}
