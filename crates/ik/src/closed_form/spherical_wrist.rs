//! Arms whose last three axes meet in a point, the wrist center. The first three joints move it, the last three then only
//! turn about it.
//!
//! Source: D. L. Pieper, *The kinematics of manipulators under computer control*, 1968.

use super::lines::Lines;
use super::subproblems::{Turning, TwoCircles, turn_between, two_turns};
use crate::model::Isometry;
use glam::DVec3;

/// The axes in the form that the closed form needs, if the last three meet, and not on the third axis: the points of these
/// three are then the center.
pub(super) fn prepared(mut lines: Lines) -> Option<Lines> {
    let center = lines.common_point([3, 4, 5])?;
    if (center - lines.points[2]).cross(lines.directions[2]).length() == 0.0 {
        return None;
    }
    lines.points[3..].fill(center);
    lines.move_closest(0, 1);
    Some(lines)
}

/// The angles about the axes that bring about `motion`. Free angles become those of `near`.
pub(super) fn solve(lines: &Lines, motion: Isometry, near: &[f64; 6]) -> Vec<[f64; 6]> {
    let Lines { directions, points, .. } = lines;
    let wrist = motion.point(points[3]);
    let mut found = Vec::new();
    for [first, third] in first_and_third(lines, wrist).solve([near[0], near[2]]) {
        // The second joint carries the center from where the third one puts it to where the first one expects it.
        let from = lines.turn(2, third).point(points[3]) - points[1];
        let to = lines.turn(0, -first).point(wrist) - points[1];
        let second = turn_between(directions[1], from, to).unwrap_or(near[1]);
        let arm = [first, second, third].into_iter().enumerate();
        let turned = arm.fold(Isometry::IDENTITY, |so_far, (at, angle)| so_far.frame(lines.turn(at, angle)));
        let rest = turned.rotation.conjugate() * motion.rotation;
        for [fourth, fifth] in two_turns(directions[3], directions[4], directions[5], rest * directions[5], near[3]) {
            let done = lines.turn(3, fourth).rotation * lines.turn(4, fifth).rotation;
            let across = directions[5].any_orthonormal_vector();
            let sixth = turn_between(directions[5], across, done.conjugate() * (rest * across));
            found.push([first, second, third, fourth, fifth, sixth.unwrap_or(near[5])]);
        }
    }
    found
}

/// Both the first joint, from the target, and the third one put the center somewhere on a circle. The second joint
/// keeps its height along the second axis and its distance from it: from a point on that axis.
fn first_and_third(lines: &Lines, wrist: DVec3) -> TwoCircles {
    let Lines { directions, points, size, .. } = lines;
    let (second, origin) = (directions[1], points[1]);
    // Backward about the first axis, hence its opposite.
    let by_first = Turning::new(-directions[0], wrist - points[0]);
    let by_third = Turning::new(directions[2], points[3] - points[2]);
    let (shift_first, shift_third) = (points[0] - origin, points[2] - origin);
    let squared =
        |turning: &Turning, shift: DVec3| (shift + turning.fixed).length_squared() + turning.cos.length_squared();
    let height = second.dot(shift_third + by_third.fixed - shift_first - by_first.fixed);
    let distance = squared(&by_third, shift_third) - squared(&by_first, shift_first);
    TwoCircles {
        first: [by_first.along(second) / *size, by_first.along(shift_first) * (2.0 / (size * size))],
        second: [-by_third.along(second) / *size, -by_third.along(shift_third) * (2.0 / (size * size))],
        values: [height / size, distance / (size * size)],
    }
}
