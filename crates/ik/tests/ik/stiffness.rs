//! Stiff joints turn less: a small motion is the one with the least turning weighted by stiffness.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Effector, Joint, Kind, Pose, Settings, Skeleton, SkeletonError, Solver};
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
