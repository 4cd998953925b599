//! Conversions between frames, joint coordinates and rows of numbers.

use fabrik3d_ik::maths;
use fabrik3d_ik::{Coordinates, Isometry, Joint, Kind, Pose, Skeleton};
use glam::{DQuat, DVec3};

/// The coordinates of `kind` that come nearest to a displacement and a rotation from the rest frame. Balls take every
/// rotation, also beyond their limits: a recording is shown as it is. Hinges and slides stay inside their limits.
pub fn nearest_coordinates(kind: &Kind, displacement: DVec3, rotation: DQuat) -> Coordinates {
    let unlimited = match kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(rotation),
        Kind::Ball { .. } => return Kind::ball_coordinates(rotation),
        Kind::Hinge { axis, .. } => {
            // The twist of the swing-twist decomposition leaves the smallest remaining rotation.
            // Both signs of a quaternion are the same rotation; this one has an angle of at most half a turn.
            let twist = if rotation.w < 0.0 { -rotation } else { rotation };
            Coordinates::scalar(2.0 * maths::atan2(twist.xyz().dot(*axis), twist.w))
        }
        Kind::Slide { axis, .. } => Coordinates::scalar(displacement.dot(*axis)),
        Kind::Fixed => Coordinates::default(),
        Kind::Free => Coordinates::free(displacement, rotation),
    };
    kind.project_rotation(unlimited)
}

/// The pose that comes nearest to these frames of all joints, each relative to the frame of its parent.
pub(crate) fn nearest_pose(skeleton: &Skeleton, frames: &[Isometry]) -> Pose {
    let coordinates = |(at, joint): (usize, &Joint)| {
        let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        let rest = skeleton.rest_frame(at, parent);
        let turn = (rest.rotation.conjugate() * frames[at].rotation).normalize();
        nearest_coordinates(&joint.kind, rest.local(frames[at].position), turn)
    };
    skeleton.joints().iter().enumerate().map(coordinates).collect()
}

/// Frames of all joints with every coordinate 0, inside the limits or not. `base` is the frame that the roots stand in.
pub fn zero_frames(skeleton: &Skeleton, base: Isometry) -> Vec<Isometry> {
    let mut frames: Vec<Isometry> = Vec::with_capacity(skeleton.len());
    for (at, joint) in skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(base, |parent| frames[parent]);
        frames.push(skeleton.rest_frame(at, parent));
    }
    frames
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
            let frame = kind.frame(Isometry::IDENTITY, &coordinates);
            assert!(frame.rotation.angle_between(rotation) < 1e-7, "{kind:?}");
        }
        let axis = DVec3::new(0.0, 0.6, 0.8);
        let hinge = Kind::Hinge { axis, range: None };
        let coordinates = nearest_coordinates(&hinge, place, DQuat::from_axis_angle(axis, -2.5));
        assert!((coordinates.value() + 2.5).abs() < 1e-12);
    }
}
