//! Conversions between frames, joint coordinates and rows of numbers.

use fabrik3d_ik::{Coordinates, Isometry, Joint, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};

/// Coordinates of a joint of `kind` that come nearest to a turn by `rotation` from the rest frame and a move by `place`
/// in it, inside the limits.
pub(crate) fn nearest_coordinates(kind: &Kind, place: DVec3, rotation: DQuat) -> Coordinates {
    let free = match kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(rotation),
        Kind::Ball { .. } => Kind::ball_coordinates(rotation),
        Kind::Hinge { axis, .. } => {
            // The turn about the axis that leaves the least rest: the twist of the swing-twist decomposition.
            Coordinates::scalar(2.0 * rotation.xyz().dot(*axis).atan2(rotation.w))
        }
        Kind::Slide { axis, .. } => Coordinates::scalar(place.dot(*axis)),
        Kind::Fixed => Coordinates::default(),
        Kind::Free => Coordinates::free(place, rotation),
    };
    kind.project(free)
}

/// The pose whose joints turn as these frames do; joints that are free are also where those are.
pub(crate) fn pose_from_frames(skeleton: &Skeleton, frames: &[Isometry]) -> Pose {
    let coordinates = |(at, joint): (usize, &Joint)| {
        let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        let rest = skeleton.rest_frame(at, parent);
        let turn = (rest.rotation.conjugate() * frames[at].rotation).normalize();
        nearest_coordinates(&joint.kind, rest.local(frames[at].position), turn)
    };
    skeleton.joints().iter().enumerate().map(coordinates).collect()
}

/// Frames of all joints with every coordinate 0, inside the limits or not. `base` is the frame that the roots stand in.
pub(crate) fn zero_frames(skeleton: &Skeleton, base: Isometry) -> Vec<Isometry> {
    let mut frames: Vec<Isometry> = Vec::with_capacity(skeleton.len());
    for (at, joint) in skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(base, |parent| frames[parent]);
        frames.push(skeleton.rest_frame(at, parent));
    }
    frames
}

/// All coordinates of a pose, joint after joint: a row of an array.
pub fn pose_numbers<'a>(skeleton: &'a Skeleton, pose: &'a Pose) -> impl Iterator<Item = f64> + 'a {
    let of = |(joint, coordinates): (&'a Joint, &'a Coordinates)| coordinates.values(&joint.kind).iter().copied();
    skeleton.joints().iter().zip(pose).flat_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_give_the_rotation_back() {
        let place = DVec3::new(0.3, -0.2, 0.5);
        let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.3);
        for kind in [
            Kind::UNLIMITED_BALL,
            Kind::Free,
            Kind::Ball { swing: None, twist: fabrik3d_ik::Interval::new(-3.0, 3.0).ok() },
        ] {
            let coordinates = nearest_coordinates(&kind, place, rotation);
            let frame = kind.place(Isometry::IDENTITY, &coordinates);
            assert!(frame.rotation.angle_between(rotation) < 1e-7, "{kind:?}");
        }
        let axis = DVec3::new(0.0, 0.6, 0.8);
        let hinge = Kind::Hinge { axis, range: None };
        let coordinates = nearest_coordinates(&hinge, place, DQuat::from_axis_angle(axis, -2.5));
        assert!((coordinates.value() + 2.5).abs() < 1e-12);
    }
}
