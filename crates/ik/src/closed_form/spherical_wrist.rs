//! Arms whose last three axes meet in a point, the wrist center. The first three joints move it, the last three then only
//! turn about it.
//!
//! Source: D. L. Pieper, *The kinematics of manipulators under computer control*, 1968.

use super::lines::Lines;
use super::subproblems::{Angles, Turning, TwoCircles, angles_between, only, turn_between, two_turns};
use crate::model::Isometry;
use glam::{DQuat, DVec3};

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

/// The angles about the axes that bring about `motion`. Free angles become those of `near`, or the next ones from which the
/// wrist reaches the orientation.
pub(super) fn solve(lines: &Lines, motion: Isometry, near: &[f64; 6]) -> Vec<[f64; 6]> {
    let Lines { directions, points, .. } = lines;
    let wrist = motion.point(points[3]);
    let sixth_axis = motion.rotation * directions[5];
    let mut found = Vec::new();
    for [first, third] in first_and_third(lines, wrist).solve() {
        let third = third.unwrap_or(near[2]);
        let by_third = lines.turn(2, third);
        let fourth_axis = by_third.rotation * directions[3];
        // The second joint carries the center from where the third one puts it to where the first one expects it.
        let back = lines.turn(0, -first.unwrap_or(near[0]));
        let (from, to) = (by_third.point(points[3]) - points[1], back.point(wrist) - points[1]);
        let second = turn_between(directions[1], from, to);
        let seconds = second.map_or_else(|| oriented(lines, 1, back.rotation * sixth_axis, fourth_axis, near[1]), only);
        for second in seconds {
            let by_second = lines.turn(1, second).rotation;
            let fourth_axis = by_second * fourth_axis;
            let firsts = first.map_or_else(|| oriented(lines, 0, sixth_axis, fourth_axis, near[0]), only);
            for first in firsts {
                let turned = lines.turn(0, first).rotation * by_second * by_third.rotation;
                add_wrist(lines, turned.conjugate() * motion.rotation, [first, second, third], near, &mut found);
            }
        }
    }
    found
}

/// Adds the angles of the last three joints that go with those of the first three, which leave the rotation `rest` to them.
fn add_wrist(lines: &Lines, rest: DQuat, arm: [f64; 3], near: &[f64; 6], found: &mut Vec<[f64; 6]>) {
    let [.., fourth_axis, fifth_axis, sixth_axis] = lines.directions;
    for [fourth, fifth] in two_turns(fourth_axis, fifth_axis, sixth_axis, rest * sixth_axis, near[3]) {
        let done = lines.turn(3, fourth).rotation * lines.turn(4, fifth).rotation;
        let across = sixth_axis.any_orthonormal_vector();
        let sixth = turn_between(sixth_axis, across, done.conjugate() * (rest * across));
        let [first, second, third] = arm;
        found.push([first, second, third, fourth, fifth, sixth.unwrap_or(near[5])]);
    }
}

/// The angles of a joint that does not move the center, next to `near`, such that the wrist can reach the orientation: it
/// holds the angle between the sixth and the fourth axis within bounds. `sixth` is the direction of the sixth axis in front of
/// the joint, `fourth` that of the fourth axis behind it.
fn oriented(lines: &Lines, joint: usize, sixth: DVec3, fourth: DVec3, near: f64) -> Angles {
    let [.., fourth_axis, fifth_axis, sixth_axis] = lines.directions;
    let cos = fourth_axis.dot(fifth_axis) * fifth_axis.dot(sixth_axis);
    let sin = fourth_axis.cross(fifth_axis).length() * fifth_axis.cross(sixth_axis).length();
    // Backward about the axis, hence its opposite.
    let turning = Turning::new(-lines.directions[joint], sixth);
    let middle = cos - turning.fixed.dot(fourth);
    angles_between(turning.along(fourth), [middle - sin, middle + sin], near)
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
