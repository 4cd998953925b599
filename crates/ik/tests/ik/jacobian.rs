//! The Jacobian against finite differences of forward kinematics, and manipulability against closed-form results.

use crate::kinematics::tree;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::joints::{Axes, Mimic};
use fabrik3d_ik::queries::Column;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Interval, Joint, Kind, Pose, Skeleton, Swing};
use glam::{DQuat, DVec3};

const STEP: f64 = 1e-6;

/// The pose with one coordinate changed by `by`, as documented for [`Skeleton::jacobian`].
fn moved(skeleton: &Skeleton, base: Isometry, pose: &[Coordinates], column: &Column, by: f64) -> Pose {
    let mut pose = pose.to_vec();
    let joint = column.joint;
    let parent = skeleton.joints()[joint].parent.map_or(base, |parent| skeleton.frame_of(base, &pose, parent));
    let rest = skeleton.rest_frame(joint, parent).rotation;
    let axis = |at: usize| rest.conjugate() * DVec3::AXES[at] * by;
    let kind = skeleton.kind(joint);
    let now = pose[joint];
    pose[joint] = match (kind, column.coordinate) {
        (kind, at) if kind.is_unlimited_ball() => {
            Coordinates::rotation(DQuat::from_scaled_axis(axis(at)) * now.ball_rotation())
        }
        (Kind::Free, at @ 0..3) => Coordinates::free(now.free_position() + axis(at), now.free_rotation()),
        (Kind::Free, at) => {
            Coordinates::free(now.free_position(), DQuat::from_scaled_axis(axis(at - 3)) * now.free_rotation())
        }
        (kind, at) => {
            let mut values = now.values(kind).to_vec();
            values[at] += by;
            Coordinates::from_values(kind, &values).expect("it fits")
        }
    };
    skeleton.follow(&mut pose);
    pose
}

/// A random tree in a random pose, and a point on one of its joints.
fn posed_tree(random: &mut Random) -> (Skeleton, Pose, Effector) {
    let skeleton = tree(random);
    let pose = skeleton.random_pose(random);
    let effector = Effector::new(random.index(skeleton.len()), random.direction());
    (skeleton, pose, effector)
}

fn check(skeleton: &Skeleton, base: Isometry, pose: &[Coordinates], effector: &Effector) {
    let jacobian = skeleton.jacobian_at(base, pose, effector).expect("it fits");
    for column in &jacobian.columns {
        let [before, after] =
            [-STEP, STEP].map(|by| skeleton.frame_of(base, &moved(skeleton, base, pose, column, by), effector.joint));
        let velocity = (after.point(effector.tip) - before.point(effector.tip)) / (2.0 * STEP);
        let mut turn = after.rotation * before.rotation.conjugate();
        turn = if turn.w < 0.0 { -turn } else { turn };
        let turn = turn.xyz() * 2.0 / (2.0 * STEP);
        let scale = 1.0 + column.velocity.length();
        assert!(velocity.distance(column.velocity) < 1e-7 * scale, "{column:?}, measured {velocity}");
        assert!(turn.distance(column.turn) < 1e-7, "{column:?}, measured {turn}");
    }
}

#[test]
fn integrating_is_what_the_columns_say() {
    let mut random = Random::new(22);
    for seed in 0..200 {
        let (skeleton, pose, effector) = posed_tree(&mut random);
        let jacobian = skeleton.jacobian(&pose, &effector).unwrap();
        let rates: Vec<f64> = jacobian.columns.iter().map(|_| random.range(-1.0, 1.0)).collect();
        let [before, after] = [-STEP, STEP].map(|by| {
            let rates: Vec<f64> = rates.iter().map(|rate| rate * by).collect();
            skeleton.frame_of(Isometry::IDENTITY, &skeleton.integrate(&pose, &rates).unwrap(), effector.joint)
        });
        let sum = |part: fn(&Column) -> DVec3| -> DVec3 {
            jacobian.columns.iter().zip(&rates).map(|(column, rate)| part(column) * *rate).sum()
        };
        let velocity = (after.point(effector.tip) - before.point(effector.tip)) / (2.0 * STEP);
        let expected = sum(|column| column.velocity);
        assert!(velocity.distance(expected) < 1e-6 * (1.0 + expected.length()), "tree {seed}");
        assert_eq!(skeleton.integrate(&pose, &vec![0.0; rates.len() + 1]), None);
        assert_eq!(skeleton.integrate(&pose[1..], &rates), None);
    }
}

/// Half the motion and then the other half is the whole motion, if only one joint of a root moves.
#[test]
fn a_free_joint_moves_as_a_screw() {
    let mut random = Random::new(23);
    let skeleton = Skeleton::new(vec![Joint::new("body", None, DVec3::X, Kind::Free)]).unwrap();
    for _ in 0..100 {
        let start = Coordinates::free(random.direction(), random.rotation());
        let rates: [f64; 6] = std::array::from_fn(|_| random.range(-2.0, 2.0));
        let whole = skeleton.integrate(&[start], &rates).unwrap()[0];
        // The velocity turns with the body.
        let turn = DQuat::from_scaled_axis(DVec3::from_slice(&rates[3..]) * 0.5);
        let half = skeleton.integrate(&[start], &rates.map(|rate| rate * 0.5)).unwrap();
        let later = turn * DVec3::from_slice(&rates[..3]);
        let rates = [later.x, later.y, later.z, rates[3], rates[4], rates[5]].map(|rate| rate * 0.5);
        let both = skeleton.integrate(&half, &rates).unwrap()[0];
        assert!(whole.free_position().distance(both.free_position()) < 1e-12);
        assert!(whole.free_rotation().dot(both.free_rotation()).abs() > 1.0 - 1e-12);
    }
}

#[test]
fn columns_match_finite_differences() {
    let mut random = Random::new(21);
    for _ in 0..200 {
        let (skeleton, pose, effector) = posed_tree(&mut random);
        check(&skeleton, Isometry::new(random.direction(), random.rotation()), &pose, &effector);
    }
}

#[test]
fn mimic_and_world_axis_joints_match_finite_differences() {
    let mut random = Random::new(22);
    for _ in 0..50 {
        let range = Interval::new(-2.0, 2.0).ok();
        let kinds = [
            Kind::Free,
            Kind::Hinge { axis: random.direction(), range },
            Kind::Ball { swing: Swing::new([1.0, 0.5, 1.4, 2.0]).ok(), twist: None },
            Kind::Slide { axis: random.direction(), range },
            Kind::Hinge { axis: random.direction(), range },
            Kind::Fixed,
            Kind::UNLIMITED_BALL,
            Kind::Hinge { axis: random.direction(), range },
        ];
        let joint = |(at, kind): (usize, Kind)| Joint {
            rest: random.rotation(),
            ..Joint::new(format!("{at}"), at.checked_sub(1), random.direction(), kind)
        };
        let mut joints: Vec<Joint> = kinds.into_iter().enumerate().map(joint).collect();
        joints[4].axes = Axes::World;
        joints[7].mimic = Some(Mimic { joint: 1, scale: -0.7, offset: 0.1 });
        let skeleton = Skeleton::new(joints).unwrap();
        let pose = skeleton.random_pose(&mut random);
        check(&skeleton, Isometry::IDENTITY, &pose, &Effector::new(7, random.direction()));
        let jacobian = skeleton.jacobian(&pose, &Effector::new(7, DVec3::X)).unwrap();
        let joints: Vec<usize> = jacobian.columns.iter().map(|column| column.joint).collect();
        assert_eq!(joints, [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4, 6, 6, 6]);
    }
}

#[test]
fn manipulability_matches_the_textbook_formula() {
    let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    let arm = Skeleton::new(vec![
        Joint::new("shoulder", None, DVec3::ZERO, hinge),
        Joint::new("elbow", Some(0), DVec3::X * 0.7, hinge),
    ])
    .unwrap();
    let hand = Effector::new(1, DVec3::X * 0.4);
    for step in -30..30 {
        let elbow = 0.1 * f64::from(step);
        let jacobian = arm.jacobian(&[Coordinates::scalar(0.4), Coordinates::scalar(elbow)], &hand).unwrap();
        // Yoshikawa's example: the product of the lengths times the sine of the elbow angle.
        let expected = 0.7 * 0.4 * elbow.sin().abs();
        assert!((jacobian.manipulability(&[0, 1]) - expected).abs() < 1e-14);
        assert_eq!(jacobian.manipulability(&[0, 1, 2]), 0.0);
        assert_eq!(jacobian.rows()[5], [1.0, 1.0]);
    }
}

/// The manipulability is the product of the singular values, and the Jacobian's squares are the sum of theirs.
#[test]
fn singular_values_match_manipulability_and_norm() {
    let mut random = Random::new(8);
    for hinges in 1..9_usize {
        let joints = (0..hinges).map(|at| {
            let hinge = Kind::Hinge { axis: random.direction(), range: None };
            Joint::new(format!("{at}"), at.checked_sub(1), random.direction(), hinge)
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let pose = skeleton.random_pose(&mut random);
        let jacobian = skeleton.jacobian(&pose, &Effector::new(hinges - 1, DVec3::X)).unwrap();
        for rows in [&[0, 1, 2][..], &[0, 1, 2, 3, 4, 5], &[1, 5, 9]] {
            let values = jacobian.singular_values(rows);
            let used = rows.iter().filter(|&&row| row < 6).count();
            assert_eq!(values.len(), used.min(hinges));
            assert!(values.is_sorted_by(|a, b| a >= b));
            let norm = |column: &Column| {
                rows.iter().filter_map(|&row| column.values().get(row).copied()).map(|v| v * v).sum::<f64>()
            };
            let squares: f64 = jacobian.columns.iter().map(norm).sum();
            assert!((values.iter().map(|value| value * value).sum::<f64>() - squares).abs() < 1e-12 * squares);
            if hinges >= used {
                let product: f64 = values.iter().product();
                assert!((product - jacobian.manipulability(rows)).abs() < 1e-6 * (1.0 + product));
            }
        }
        assert!(jacobian.singular_values(&[]).is_empty());
    }
}

#[test]
fn invalid_arguments_give_no_jacobian() {
    let skeleton = Skeleton::new(vec![Joint::new("a", None, DVec3::ZERO, Kind::Free)]).unwrap();
    assert!(skeleton.jacobian(&skeleton.rest_pose(), &Effector::new(1, DVec3::ZERO)).is_none());
    assert!(skeleton.jacobian(&[], &Effector::new(0, DVec3::ZERO)).is_none());
    let cut = Effector { chain_length: Some(0), ..Effector::new(0, DVec3::X) };
    let columns = skeleton.jacobian(&skeleton.rest_pose(), &cut).unwrap().columns;
    assert!(columns.iter().all(|column| column.values() == [0.0; 6]) && columns.len() == 6);
}
