//! Mixing poses, and the distance between poses.
//!
//! Poses are mixed in joint coordinates, so link lengths stay exact and every mixed pose keeps the limits. A line of
//! unlimited balls is mixed by the directions of its links, each along a great circle.

use super::{Coordinates, Isometry, Kind, Skeleton, angle_between, wrap};
use crate::maths;
use glam::{DQuat, DVec3};

/// Mixes the poses `from` and `to` of one island into `out`: `weight` 0 gives `from`, 1 gives `to`. `joints` are the
/// joints of the island; poses have one entry per joint of the skeleton. If both keep the limits, so does the result.
pub fn mix_poses(
    skeleton: &Skeleton,
    joints: &[usize],
    from: &[Coordinates],
    to: &[Coordinates],
    weight: f64,
    out: &mut [Coordinates],
) {
    // A line of unlimited balls is mixed by the world directions of its links and the roll about them.
    if skeleton.is_simple_chain(joints) {
        let left = 1.0 - weight;
        let change = |_: usize, _: usize, joint: usize| [to[joint], from[joint]];
        let turn = |_: usize, _: usize, link: DVec3, change: [DQuat; 2]| swing_and_roll(change, link, left);
        return superpose_chain(skeleton, joints, to, &[left], change, turn, out);
    }
    for &i in joints {
        out[i] = mix_joint(skeleton.kind(i), &from[i], &to[i], weight);
    }
    follow_leaders(skeleton, joints, out);
}

/// The distance between two poses: that of the joint in `joints` that differs most, in radians. Translations of slides
/// and free joints are divided by `length`. A hinge with a range cannot turn through the rest of the circle, so its distance may
/// exceed half a turn.
pub fn pose_distance(
    skeleton: &Skeleton,
    joints: &[usize],
    from: &[Coordinates],
    to: &[Coordinates],
    length: f64,
) -> f64 {
    let moves = joints.iter().map(|&i| {
        let (kind, from, to) = (skeleton.kind(i), &from[i], &to[i]);
        match kind {
            Kind::Fixed => 0.0,
            Kind::Slide { .. } => (to.value() - from.value()).abs() / length,
            Kind::Hinge { range: Some(_), .. } => (to.value() - from.value()).abs(),
            Kind::Free => {
                let shift = from.free_position().distance(to.free_position()) / length;
                shift.max(angle_between(from.free_rotation(), to.free_rotation()))
            }
            _ => angle_between(kind.rotation(from), kind.rotation(to)),
        }
    });
    moves.fold(0.0, f64::max)
}

/// Mixes the coordinates of one joint: quaternions by slerp, all others linearly (limit sets are convex). An unlimited
/// hinge takes the shorter way around; a limited one stays in its range.
pub(crate) fn mix_joint(kind: &Kind, from: &Coordinates, to: &Coordinates, weight: f64) -> Coordinates {
    match kind {
        Kind::Ball { swing: None, twist: None } => {
            Coordinates::rotation(maths::part_way(from.ball_rotation(), to.ball_rotation(), weight))
        }
        Kind::Free => Coordinates::free(
            from.free_position().lerp(to.free_position(), weight),
            maths::part_way(from.free_rotation(), to.free_rotation(), weight),
        ),
        Kind::Hinge { range: None, .. } => {
            let turn = wrap(to.value() - from.value());
            Coordinates::scalar(to.value() - turn * (1.0 - weight))
        }
        _ => {
            let mut mixed = *from;
            for (value, end) in mixed.0.iter_mut().zip(to.0) {
                *value += (end - *value) * weight;
            }
            if let Kind::Ball { twist: None, .. } = kind {
                mixed.0[2] = wrap(from.twist() + wrap(to.twist() - from.twist()) * weight);
            }
            mixed
        }
    }
}

/// The coordinates of a joint that should go from `from` to `wanted`: a stiff one goes a part of the way, the farther the more
/// often it is asked to.
pub(crate) fn resisted(
    skeleton: &Skeleton,
    joint: usize,
    from: &Coordinates,
    wanted: Coordinates,
    times: u32,
) -> Coordinates {
    match skeleton.joints()[joint].stiffness {
        0.0 => wanted,
        stiffness => mix_joint(skeleton.kind(joint), from, &wanted, 1.0 - maths::pow(stiffness, f64::from(times))),
    }
}

/// The share `left` of a change of rotation, which moves `link` (unit length, local) along a great circle.
pub(crate) fn swing_and_roll([later, earlier]: [DQuat; 2], link: DVec3, left: f64) -> DQuat {
    let (start, end) = (later * link, earlier * link);
    let swing = DQuat::from_rotation_arc(start, end);
    let roll = (earlier * (swing * later).conjugate()).normalize();
    let roll = wrap(2.0 * maths::atan2(roll.xyz().dot(end), roll.w)) * left;
    let direction = maths::part_way(DQuat::IDENTITY, swing, left);
    let mixed = maths::turn((direction * start).normalize(), roll) * direction * later;
    mixed.normalize() * later.conjugate()
}

/// The share `left` of a change of rotation. `last` is the same change in the frame before, so that a change that grows
/// beyond half a turn does not take the other way around.
pub(crate) fn turn_on([later, earlier]: [DQuat; 2], left: f64, last: &mut DQuat) -> DQuat {
    let change = earlier * later.conjugate();
    *last = if change.dot(*last) < 0.0 { -change } else { change };
    let axis = last.xyz();
    let angle = 2.0 * maths::atan2(axis.length(), last.w);
    axis.try_normalize().map_or(DQuat::IDENTITY, |axis| maths::turn(axis, left * angle))
}

/// Adds changes to a line of unlimited balls, see [`Eases`](crate::display::Eases).
///
/// `change(k, at, joint)` is the new and the old pose of change k, newest first, for a joint and its place in `joints`.
/// `turn(k, at, link, [new, old])` is what is left of the change of a link's rotation.
pub(crate) fn superpose_chain(
    skeleton: &Skeleton,
    joints: &[usize],
    solved: &[Coordinates],
    left: &[f64],
    change: impl Fn(usize, usize, usize) -> [Coordinates; 2],
    mut turn: impl FnMut(usize, usize, DVec3, [DQuat; 2]) -> DQuat,
    out: &mut [Coordinates],
) {
    let mut changes = vec![[Isometry::IDENTITY; 2]; left.len()];
    let (mut newest, mut mixed) = (Isometry::IDENTITY, Isometry::IDENTITY);
    for (at, &i) in joints.iter().enumerate() {
        let kind = &skeleton.joints()[i].kind;
        let link = joints.get(at + 1).map_or(DVec3::Z, |&next| skeleton.joints()[next].offset.normalize());
        newest = kind.frame(skeleton.rest_frame(i, newest), &solved[i]);
        let (mut rotation, mut position) = (newest.rotation, solved[i].free_position());
        for ((k, frames), left) in changes.iter_mut().enumerate().zip(left) {
            let [later, earlier] = change(k, at, i);
            frames[0] = kind.frame(skeleton.rest_frame(i, frames[0]), &later);
            frames[1] = kind.frame(skeleton.rest_frame(i, frames[1]), &earlier);
            rotation = turn(k, at, link, frames.map(|frame| frame.rotation)) * rotation;
            position += (earlier.free_position() - later.free_position()) * *left;
        }
        let rest = skeleton.rest_frame(i, mixed);
        let turn = (rest.rotation.conjugate() * rotation).normalize();
        out[i] = match kind {
            Kind::Fixed => Coordinates::default(),
            Kind::Free => Coordinates::free(position, turn),
            _ => Coordinates::rotation(turn),
        };
        mixed = kind.frame(rest, &out[i]);
    }
}

/// Adds the share `left` of the change from `later` to `earlier` to the coordinates of one joint. `last` is the change of
/// its rotation in the frame before.
pub(crate) fn superpose_joint(
    kind: &Kind,
    sum: &Coordinates,
    [later, earlier]: [&Coordinates; 2],
    left: f64,
    last: &mut DQuat,
) -> Coordinates {
    let mut turned =
        |sum: DQuat, later: DQuat, earlier: DQuat| (turn_on([later, earlier], left, last) * sum).normalize();
    match kind {
        Kind::Ball { swing: None, twist: None } => {
            Coordinates::rotation(turned(sum.ball_rotation(), later.ball_rotation(), earlier.ball_rotation()))
        }
        Kind::Free => Coordinates::free(
            sum.free_position() + (earlier.free_position() - later.free_position()) * left,
            turned(sum.free_rotation(), later.free_rotation(), earlier.free_rotation()),
        ),
        Kind::Hinge { range: None, .. } => {
            Coordinates::scalar(sum.value() + turned_angle(later.value(), earlier.value(), last) * left)
        }
        _ => {
            let mut result = *sum;
            for (value, (later, earlier)) in result.0.iter_mut().zip(later.0.iter().zip(earlier.0)) {
                *value += (earlier - later) * left;
            }
            if let Kind::Ball { twist: None, .. } = kind {
                result.0[2] = wrap(sum.twist() + turned_angle(later.twist(), earlier.twist(), last) * left);
            }
            result
        }
    }
}

/// The change of an angle, the same way around as `last`, which holds the change in the frame before as a rotation.
fn turned_angle(later: f64, earlier: f64, last: &mut DQuat) -> f64 {
    let (half, before) = (0.5 * (earlier - later), maths::acos(last.w).copysign(last.z));
    let turns = ((before - half) / std::f64::consts::PI).round();
    let half = half + turns * std::f64::consts::PI;
    *last = DQuat::from_xyzw(0.0, 0.0, maths::sin(half), maths::cos(half));
    2.0 * half
}

/// Sets the mimics among `joints` to what their leaders say.
pub(crate) fn follow_leaders(skeleton: &Skeleton, joints: &[usize], pose: &mut [Coordinates]) {
    for &i in joints {
        if let Some(mimic) = skeleton.joints()[i].mimic {
            pose[i] = mimic.follow(pose[mimic.joint]);
        }
    }
}

/// Mixes two unit vectors along the great circle between them.
pub fn mix_directions(from: DVec3, to: DVec3, weight: f64) -> DVec3 {
    maths::part_way(DQuat::IDENTITY, DQuat::from_rotation_arc(from, to), weight) * from
}
