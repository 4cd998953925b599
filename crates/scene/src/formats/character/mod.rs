//! From the joints of a file to a skeleton: what the readers of all formats have in common.

pub(crate) mod align;
pub(crate) mod names;
pub(crate) mod stance;

use fabrik3d_ik::{Coordinates, Kind};
use glam::{DQuat, DVec3};

/// Most joints of one file: far beyond any figure, and few enough for every walk along the tree.
pub(crate) const MOST_JOINTS: usize = 10_000;

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

#[cfg(test)]
mod tests {
    use super::*;
    use fabrik3d_ik::Isometry;

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
