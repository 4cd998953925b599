//! Mixing poses, the distance between poses, and the clock that eases a displayed pose toward the solved one.
//!
//! Poses are mixed in joint coordinates, so link lengths stay exact and every mixed pose keeps the limits. A line of
//! unlimited balls is mixed by the directions of its links, each along a great circle.

use crate::model::joint::Kind;
use crate::model::limits::wrap;
use crate::model::pose::Coordinates;
use crate::model::skeleton::Skeleton;
use crate::model::transform::{Isometry, angle_between};
use glam::{DQuat, DVec3};

/// Cosine ease: maps `[0, 1]` to `[0, 1]` with slope 0 at both ends; clamps `t`.
pub fn ease(t: f64) -> f64 {
    0.5 * (1.0 - (std::f64::consts::PI * t.clamp(0.0, 1.0)).cos())
}

/// The clock of one blend from an old pose to a new one. It holds no pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    elapsed: f64,
    duration: f64,
}

impl Blend {
    /// A blend of `duration` seconds; finite, not negative.
    pub fn new(duration: f64) -> Self {
        Blend { elapsed: 0.0, duration }
    }

    /// The blend `dt` seconds later; `None` when it is over.
    #[must_use]
    pub fn after(self, dt: f64) -> Option<Self> {
        let elapsed = self.elapsed + dt;
        (elapsed < self.duration).then_some(Blend { elapsed, ..self })
    }

    /// Elapsed time as a fraction of the duration.
    pub fn fraction(self) -> f64 {
        if self.duration > 0.0 { (self.elapsed / self.duration).min(1.0) } else { 1.0 }
    }

    /// Weight of the new pose in the displayed one.
    pub fn weight(self) -> f64 {
        ease(self.fraction())
    }
}

/// Mixes the poses `from` and `to` of one island into `out`: `weight` 0 gives `from`, 1 gives `to`. `joints` are the
/// joints of the island; the poses have one entry per joint of the skeleton. If both poses keep the limits, so does the
/// result.
pub fn mix_poses(
    skeleton: &Skeleton,
    joints: &[usize],
    from: &[Coordinates],
    to: &[Coordinates],
    weight: f64,
    out: &mut [Coordinates],
) {
    if skeleton.is_simple_chain(joints) {
        return mix_chain(skeleton, joints, from, to, weight, out);
    }
    for &i in joints {
        out[i] = mix_joint(skeleton.kind(i), &from[i], &to[i], weight);
    }
    for &i in joints {
        if let Some(mimic) = skeleton.joints()[i].mimic {
            out[i] = mimic.coordinate(out);
        }
    }
}

/// The distance between two poses: that of the joint in `joints` that differs most, in radians. Translations of slides
/// and free joints are divided by `length`.
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
            Coordinates::rotation(from.ball_rotation().slerp(to.ball_rotation(), weight))
        }
        Kind::Free => Coordinates::free(
            from.free_position().lerp(to.free_position(), weight),
            from.free_rotation().slerp(to.free_rotation(), weight),
        ),
        Kind::Hinge { range: None, .. } => {
            let turn = wrap(to.value() - from.value());
            Coordinates::scalar(wrap(from.value() + turn * weight))
        }
        Kind::Ball { twist: None, .. } => {
            let turn = wrap(to.twist() - from.twist());
            let tilt = [0, 1].map(|k| from.0[k] + (to.0[k] - from.0[k]) * weight);
            Coordinates::ball(tilt, wrap(from.twist() + turn * weight))
        }
        _ => {
            let mut mixed = *from;
            for (value, end) in mixed.0.iter_mut().zip(to.0) {
                *value += (end - *value) * weight;
            }
            mixed
        }
    }
}

/// Mixes a line of unlimited balls by the world directions of its links and the roll about them.
fn mix_chain(
    skeleton: &Skeleton,
    joints: &[usize],
    from: &[Coordinates],
    to: &[Coordinates],
    weight: f64,
    out: &mut [Coordinates],
) {
    let (mut a, mut b, mut mixed) = (Isometry::IDENTITY, Isometry::IDENTITY, Isometry::IDENTITY);
    for (at, &i) in joints.iter().enumerate() {
        let kind = &skeleton.joints()[i].kind;
        let rest = skeleton.rest_frame(i, mixed);
        a = kind.frame(skeleton.rest_frame(i, a), &from[i]);
        b = kind.frame(skeleton.rest_frame(i, b), &to[i]);
        out[i] = match kind {
            Kind::Fixed => Coordinates::default(),
            _ => {
                let link = joints.get(at + 1).map_or(DVec3::Z, |&next| skeleton.joints()[next].offset.normalize());
                let world = mix_rotations(a.rotation, b.rotation, link, weight);
                let turn = (rest.rotation.conjugate() * world).normalize();
                match kind {
                    Kind::Free => Coordinates::free(from[i].free_position().lerp(to[i].free_position(), weight), turn),
                    _ => Coordinates::rotation(turn),
                }
            }
        };
        mixed = kind.frame(rest, &out[i]);
    }
}

/// A rotation between `from` and `to` that moves `link` (unit length, local) along a great circle.
fn mix_rotations(from: DQuat, to: DQuat, link: DVec3, weight: f64) -> DQuat {
    let (start, end) = (from * link, to * link);
    let swing = DQuat::from_rotation_arc(start, end);
    let roll = (to * (swing * from).conjugate()).normalize();
    let roll = 2.0 * roll.xyz().dot(end).atan2(roll.w);
    let direction = DQuat::IDENTITY.slerp(swing, weight);
    let roll = wrap(roll) * weight;
    (DQuat::from_axis_angle((direction * start).normalize(), roll) * direction * from).normalize()
}

/// Mixes two unit vectors along the great circle between them.
pub fn mix_directions(from: DVec3, to: DVec3, weight: f64) -> DVec3 {
    DQuat::IDENTITY.slerp(DQuat::from_rotation_arc(from, to), weight) * from
}
