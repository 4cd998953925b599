//! Forward kinematics, its derivative, and local rotations of random trees, compared with finite differences and with frames.

use fabrik3d_ik::collision::Hull;
use fabrik3d_ik::joints::Axes;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Isometry, Joint, Kind, Skeleton};
use glam::{DQuat, DVec3};

/// A tree of random kinds; some joints keep the axes of the world.
fn tree(random: &mut Random) -> Skeleton {
    let count = 2 + random.index(9);
    let joints = (0..count).map(|at| {
        let parent = (at > 0).then(|| if random.unit() < 0.7 { at - 1 } else { random.index(at) });
        let kind = match random.index(5) {
            0 => Kind::Slide { axis: random.direction(), range: None },
            1 => Kind::UNLIMITED_BALL,
            2 if parent.is_none() => Kind::Free,
            _ => Kind::Hinge { axis: random.direction(), range: None },
        };
        let turn = DQuat::from_scaled_axis(random.direction() * random.range(0.0, 2.0));
        let joint = Joint { rest: turn, ..Joint::new(at.to_string(), parent, random.direction(), kind) };
        if random.unit() < 0.2 { Joint { axes: Axes::World, ..joint } } else { joint }
    });
    Skeleton::new(joints.collect::<Vec<_>>()).expect("a tree")
}

#[test]
fn the_jacobian_is_the_derivative_of_the_tip_and_its_frame() {
    const SMALL: f64 = 1e-6;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let skeleton = tree(random);
        let effector = Effector::new(random.index(skeleton.len()), random.direction());
        let base = Isometry::new(random.direction(), DQuat::from_scaled_axis(random.direction()));
        let pose = skeleton.random_pose(random);
        let jacobian = skeleton.jacobian(&pose, &effector).expect("it fits");
        let frame = skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint);
        for (number, column) in jacobian.columns.iter().enumerate() {
            let mut rates = vec![0.0; jacobian.columns.len()];
            rates[number] = SMALL;
            let moved = skeleton.integrate(&pose, &rates).expect("it fits");
            let after = skeleton.frame_of(Isometry::IDENTITY, &moved, effector.joint);
            let velocity = (after.point(effector.tip) - frame.point(effector.tip)) / SMALL;
            let turn = (after.rotation * frame.rotation.conjugate()).to_scaled_axis() / SMALL;
            let off = velocity.distance(column.velocity).max(turn.distance(column.turn));
            assert!(off < 1e-4, "seed {seed}, column {number}: {velocity} {turn} instead of {column:?}");
        }
        // The base turns what is not fixed to the axes of the world.
        if skeleton.joints().iter().all(|joint| joint.axes == Axes::Parent && !is_of_the_world(&joint.kind)) {
            let based = skeleton.jacobian_at(base, &pose, &effector).expect("it fits");
            for (own, turned) in jacobian.columns.iter().zip(&based.columns) {
                assert!((base.rotation * own.velocity).distance(turned.velocity) < 1e-9, "seed {seed}");
            }
        }
    }
}

/// Whether the columns of a joint of this kind are along the axes of the world.
fn is_of_the_world(kind: &Kind) -> bool {
    kind.is_unlimited_ball() || *kind == Kind::Free
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
