//! Random trees with joints of all kinds, and their local rotations, compared with frames.

use fabrik3d_ik::collision::Hull;
use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Interval, Joint, Kind, Skeleton, Swing};
use glam::{DQuat, DVec3};

/// A tree of random kinds; some joints keep the axes of the world.
pub fn tree(random: &mut Random) -> Skeleton {
    let count = 2 + random.index(9);
    let joints = (0..count).map(|at| {
        let parent = (at > 0).then(|| if random.unit() < 0.7 { at - 1 } else { random.index(at) });
        let range = Interval::new(-2.0, 2.0).ok().filter(|_| random.unit() < 0.5);
        let kind = match random.index(7) {
            0 => Kind::Slide { axis: random.direction(), range },
            1 => Kind::UNLIMITED_BALL,
            2 => Kind::Ball { swing: Swing::new([1.0, 0.5, 1.4, 2.0]).ok(), twist: range },
            3 if parent.is_none() => Kind::Free,
            4 => Kind::Fixed,
            _ => Kind::Hinge { axis: random.direction(), range: None },
        };
        let turn = DQuat::from_scaled_axis(random.direction() * random.range(0.0, 2.0));
        let joint = Joint { rest: turn, ..Joint::new(at.to_string(), parent, random.direction(), kind) };
        if random.unit() < 0.2 { Joint { axes: Axes::World, ..joint } } else { joint }
    });
    Skeleton::new(joints.collect::<Vec<_>>()).expect("a tree")
}

#[test]
fn local_rotations_lead_from_frame_to_frame() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let skeleton = tree(random);
        let pose = skeleton.random_pose(random);
        let frames = skeleton.frames(&pose);
        for (at, joint) in skeleton.joints().iter().enumerate() {
            let above = joint.parent.map_or(DQuat::IDENTITY, |parent| frames[parent].rotation);
            let angle = (above * skeleton.local_rotation(&pose, at)).angle_between(frames[at].rotation);
            assert!(angle < 1e-6, "seed {seed}, joint {at}: {angle}");
        }
    }
}

#[test]
fn hulls_are_equal_if_their_points_and_radii_are() {
    let points = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO];
    let hull = |points: &[DVec3], radius| Hull::new(points, radius).expect("valid");
    let own = hull(&points, 0.1);
    assert_eq!(own, own.clone());
    assert_eq!(own, hull(&points, 0.1));
    assert_ne!(own, hull(&points, 0.2));
    assert_ne!(own, hull(&points[..3], 0.1));
}
