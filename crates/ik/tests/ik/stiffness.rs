//! Stiff joints turn less: a small motion is the one with the least turning weighted by stiffness.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Coordinates, Effector, Interval, Joint, Kind, Pose, Settings, Skeleton, SkeletonError, Solver, Target,
};
use glam::{DMat3, DVec3};

const JOINTS: usize = 6;

/// An arm of hinges.
fn arm(random: &mut Random, stiffness: [f64; JOINTS]) -> Skeleton {
    let joint = |at: usize| {
        let kind = Kind::Hinge { axis: random.direction(), range: None };
        let offset = if at == 0 { DVec3::ZERO } else { DVec3::Z };
        Joint { stiffness: stiffness[at], ..Joint::new(format!("{at}"), at.checked_sub(1), offset, kind) }
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).expect("a skeleton")
}

/// The weighted pseudo-inverse, with derivatives by finite differences, says how far each joint turns.
#[test]
fn small_motions_have_the_least_weighted_turning() {
    let mut compared = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let stiffness: [f64; JOINTS] = std::array::from_fn(|_| (random.unit() * 10.0).floor() / 10.0);
        let skeleton = arm(&mut random, stiffness);
        let effector = Effector::new(JOINTS - 1, DVec3::Z);
        let pose: Pose = (0..JOINTS).map(|_| Coordinates::scalar(random.unit() * 2.0 - 1.0)).collect();
        let tip = |pose: &Pose| skeleton.frames(pose)[JOINTS - 1].point(effector.tip);
        let column = |joint: usize| {
            let moved = |by: f64| {
                let mut pose = pose.clone();
                pose[joint] = Coordinates::scalar(pose[joint].value() + by);
                tip(&pose)
            };
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        };
        let columns: [DVec3; JOINTS] = std::array::from_fn(column);
        let share = |joint: usize| (1.0 - stiffness[joint]).powi(2);
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        let square = (0..JOINTS).fold(DMat3::ZERO, |sum, joint| sum + outer(columns[joint]) * share(joint));
        // Near a singular pose, the derivatives change on the way.
        if square.determinant() < 1e-3 {
            continue;
        }
        let way = random.direction() * 1e-4;
        let due: [f64; JOINTS] = std::array::from_fn(|at| share(at) * columns[at].dot(square.inverse() * way));
        let settings = Settings { tolerance: 1e-10, ..Settings::default() };
        let mut solver = Solver::new(&skeleton).goal(effector, tip(&pose) + way).settings(settings);
        let mut found = pose.clone();
        assert!(solver.track(&mut found).stop.is_reached(), "seed {seed}");
        let longest = due.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
        for joint in 0..JOINTS {
            let turned = found[joint].value() - pose[joint].value();
            let due = due[joint];
            assert!((turned - due).abs() < 0.02 * longest, "seed {seed}, joint {joint}: {turned} is not {due}");
        }
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn stiffness_is_from_0_to_1() {
    for stiffness in [-0.1, 1.1, f64::NAN] {
        let joint = Joint { stiffness, ..Joint::new("a", None, DVec3::ZERO, Kind::UNLIMITED_BALL) };
        assert_eq!(Skeleton::new(vec![joint]), Err(SkeletonError::Stiffness("a".to_owned())));
    }
}

/// Length of a thigh and of a shin.
const LEG: f64 = 0.4;

/// A body that stands on straight legs: pelvis, spine, and for each side thigh, shin and foot. Knees bend the way of `side`,
/// and by up to `back` radians the other way.
fn standing(side: f64, back: f64) -> Skeleton {
    let joint =
        |name: &str, parent, offset, kind, stiffness| Joint { stiffness, ..Joint::new(name, parent, offset, kind) };
    let range = if side > 0.0 { Interval::new(-back, 2.4) } else { Interval::new(-2.4, back) };
    let knee = Kind::Hinge { axis: DVec3::X, range: range.ok() };
    let ball = Kind::UNLIMITED_BALL;
    let mut joints = vec![
        joint("pelvis", None, DVec3::Y * 2.0 * LEG, Kind::Free, 0.95),
        joint("spine", Some(0), DVec3::Y * 0.1, ball, 0.9),
    ];
    for x in [-0.1, 0.1] {
        let first = joints.len();
        joints.push(joint(&format!("thigh {x}"), Some(0), DVec3::X * x, ball, 0.3));
        joints.push(joint(&format!("shin {x}"), Some(first), -DVec3::Y * LEG, knee, 0.0));
        joints.push(joint(&format!("foot {x}"), Some(first + 1), -DVec3::Y * LEG, ball, 0.3));
    }
    Skeleton::new(joints).expect("a skeleton")
}

/// A straight leg does not get shorter to first order. Its knee bends the way that its limits allow, by the angle that
/// trigonometry gives, and the back stays upright. Limits that a recording has widened let it bend a little the other way,
/// and it does not.
#[test]
fn straight_legs_bend_to_lower_the_head() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let side = if seed % 2 == 0 { 1.0 } else { -1.0 };
        let widened = if seed % 4 < 2 { 0.0 } else { random.range(0.0, 0.6) };
        let skeleton = standing(side, widened);
        let mut pose = skeleton.rest_pose();
        let frames = skeleton.frames(&pose);
        let head = Effector::new(1, DVec3::Y * 0.5);
        let (lower, steps) = (random.range(0.03, 0.35), 1 + random.index(40));
        let top = frames[1].point(head.tip);
        let mut solver = Solver::new(&skeleton).goal(head, top);
        for foot in [4, 7] {
            solver = solver.goal(Effector::new(foot, DVec3::ZERO), frames[foot].position);
        }
        for step in 1..=steps {
            solver.set_target(0, Target::from(top - DVec3::Y * (lower * step as f64 / steps as f64)));
            assert!(solver.track(&mut pose).stop.is_reached(), "seed {seed}");
        }
        let due = 2.0 * (1.0 - lower / (2.0 * LEG)).acos();
        for knee in [3, 6] {
            let bend = side * pose[knee].value();
            // With widened limits other joints may do a part of it.
            let least = if widened > 0.0 { 0.25 * due } else { 0.7 * due };
            assert!(bend > least && bend < 1.3 * due, "seed {seed}: {bend} is not {due}");
        }
        let back = skeleton.frames(&pose)[1].rotation.angle_between(frames[1].rotation).to_degrees();
        assert!(back < 20.0, "seed {seed}: {back}");
    }
}
