//! Effectors that look at a point: the ray from the tip along an axis passes through it.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::random_arm;
use fabrik3d_ik::Target;
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Effector, Goal, Isometry, Joint, Kind, Problem, Settings, Skeleton, Solver, Stop, Swing};
use glam::DVec3;

fn settings() -> Settings {
    Settings { tolerance: 1e-6, rotation_tolerance: 1e-6, ..Settings::default() }
}

/// The frame of an effector's tip.
fn tip(skeleton: &Skeleton, effector: &Effector, pose: &[fabrik3d_ik::Coordinates]) -> Isometry {
    let frame = skeleton.frame_of(Isometry::IDENTITY, pose, effector.joint);
    Isometry::new(frame.point(effector.tip), frame.rotation)
}

/// The angle by which an effector misses the point.
fn missed(tip: Isometry, axis: DVec3, point: DVec3) -> f64 {
    let (sight, ahead) = (point - tip.position, tip.rotation * axis.normalize());
    let across = sight.cross(ahead).length();
    across.atan2(sight.dot(ahead))
}

/// Arms of all numbers of joints look at points that they see in some pose, near and far. With a position of the tip, this
/// takes five joints.
#[test]
fn an_arm_looks_at_points_that_it_can_see() {
    let mut random = Random::new(31);
    for (joints, has_position) in [(2, false), (3, false), (5, false), (7, false), (5, true), (6, true), (7, true)] {
        let (mut all, mut reached) = (0, 0);
        for _ in 0..8 {
            let (skeleton, effector) = random_arm(joints, &mut random);
            let size = effector.error_scale(&skeleton, []);
            let mut solver = Solver::new(&skeleton).settings(settings());
            for _ in 0..12 {
                let there = tip(&skeleton, &effector, &skeleton.random_pose(&mut random));
                let axis = random.direction() * random.range(0.1, 10.0);
                let far = size * 10_f64.powf(random.range(-1.0, 2.0));
                let point = there.position + there.rotation * axis.normalize() * far;
                let mut goal = Goal::looking_at(effector, axis, point);
                goal.target.position = has_position.then_some(there.position);
                solver.problem = Problem { goals: vec![goal], ..Problem::default() };
                let mut pose = skeleton.rest_pose();
                let report = solver.solve(&mut pose);
                let here = tip(&skeleton, &effector, &pose);
                let angle = missed(here, axis, point);
                let error = goal_errors(&skeleton, &solver.problem, &pose)[0];
                assert!((error.angle - angle).abs() < 1e-7, "{} {angle}", error.angle);
                assert!(worst_violation(&skeleton, &pose) < 1e-9);
                all += 1;
                if report.stop == Stop::Reached {
                    reached += 1;
                    assert!(angle < 1.001e-6, "{angle}");
                    assert!(!has_position || here.position.distance(there.position) <= 1.001e-6 * size);
                } else {
                    assert!(angle.max(error.position) > 0.99e-6, "{report}");
                }
            }
        }
        assert!(reached * 100 >= all * 97, "{joints} joints: {reached} of {all}");
    }
}

/// A trunk with a hand and a head, all of ball joints, limited in the neck.
fn figure(random: &mut Random, base: Kind) -> Skeleton {
    let neck = Kind::Ball { swing: Swing::cone(1.2).ok(), twist: None };
    let offset = |random: &mut Random| DVec3::new(0.2 * random.normal(), 0.2 * random.normal(), 1.0);
    let joints = vec![
        Joint::new("hips", None, DVec3::ZERO, base),
        Joint::new("chest", Some(0), offset(random), Kind::UNLIMITED_BALL),
        Joint::new("shoulder", Some(1), offset(random), Kind::UNLIMITED_BALL),
        Joint::new("elbow", Some(2), offset(random), Kind::UNLIMITED_BALL),
        Joint::new("neck", Some(1), offset(random), neck),
        Joint::new("head", Some(4), offset(random) * 0.3, neck),
    ];
    Skeleton::new(joints).unwrap()
}

/// A head that looks at what the hand holds: both goals share the trunk.
#[test]
fn a_head_looks_at_the_target_of_the_hand() {
    let mut random = Random::new(32);
    for base in [Kind::Fixed, Kind::UNLIMITED_BALL, Kind::Free] {
        let (mut all, mut reached) = (0, 0);
        for _ in 0..60 {
            let skeleton = figure(&mut random, base);
            let [hand, head] = [Effector::new(3, DVec3::Z), Effector::new(5, DVec3::new(0.0, 0.1, 0.2))];
            let witness = skeleton.random_pose(&mut random);
            let place = tip(&skeleton, &hand, &witness).position;
            let goals = vec![Goal::new(hand, place), Goal::looking_at(head, DVec3::Y, place)];
            let problem = Problem { goals, ..Problem::default() };
            let mut pose = skeleton.rest_pose();
            let report = Solver::new(&skeleton).problem(problem).settings(settings()).solve(&mut pose);
            all += 1;
            if report.stop.is_reached() {
                reached += 1;
                assert!(tip(&skeleton, &hand, &pose).position.distance(place) < 1e-5);
                assert!(missed(tip(&skeleton, &head, &pose), DVec3::Y, place) < 1.001e-6);
            }
            assert!(worst_violation(&skeleton, &pose) < 1e-9);
        }
        assert!(reached * 100 >= all * 97, "{base:?}: {reached} of {all}");
    }
}

/// Seen from another place, everything is the same: the answer moves with the base.
#[test]
fn looking_does_not_depend_on_the_place_of_the_base() {
    let mut random = Random::new(33);
    let (skeleton, effector) = random_arm(6, &mut random);
    let size = effector.error_scale(&skeleton, []);
    for _ in 0..20 {
        let base = Isometry::new(random.direction() * size, random.rotation());
        let point = random.direction() * 3.0 * size;
        let solve = |base: Isometry| {
            let goals = vec![Goal::looking_at(effector, DVec3::X, base.point(point))];
            let mut solver = Solver::new(&skeleton).problem(Problem { goals, base, ..Problem::default() });
            let mut pose = skeleton.rest_pose();
            let report = solver.solve(&mut pose);
            (report.stop, goal_errors(&skeleton, &solver.problem, &pose)[0].angle, pose)
        };
        let ((stop, angle, pose), (other_stop, other_angle, other)) = (solve(Isometry::IDENTITY), solve(base));
        assert_eq!(stop, other_stop);
        assert!((angle - other_angle).abs() < 1e-6);
        for (joint, (a, b)) in skeleton.joints().iter().zip(pose.iter().zip(&other)) {
            let pairs = a.values(&joint.kind).iter().zip(b.values(&joint.kind));
            pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-5 * size.max(1.0), "{a} {b}"));
        }
    }
}

/// Whatever iterates on skeletons also looks; a solve never makes it worse than it is.
#[test]
fn every_method_turns_toward_the_point() {
    let mut random = Random::new(34);
    for method in Method::ALL {
        let mut better = 0;
        for _ in 0..20 {
            let (skeleton, effector) = random_arm(5, &mut random);
            let there = tip(&skeleton, &effector, &skeleton.random_pose(&mut random));
            let size = effector.error_scale(&skeleton, []);
            let point = there.position + there.rotation * DVec3::Z * size;
            let mut pose = skeleton.rest_pose();
            let before = missed(tip(&skeleton, &effector, &pose), DVec3::Z, point);
            let goal = Goal::looking_at(effector, DVec3::Z, point);
            let problem = Problem { goals: vec![goal], ..Problem::default() };
            let settings = Settings { method, ..settings() };
            let report = Solver::new(&skeleton).problem(problem).settings(settings).solve(&mut pose);
            let after = missed(tip(&skeleton, &effector, &pose), DVec3::Z, point);
            assert_eq!(report.stop.is_reached(), after <= settings.rotation_tolerance, "{method:?}: {after} {report}");
            assert!(after < before + 1e-9, "{method:?}: {before} {after}");
            better += usize::from(after < 0.5 * before);
        }
        assert!(better >= 15, "{method:?}: {better} of 20");
    }
}

#[test]
fn invalid_points_are_refused_and_a_point_at_the_tip_asks_for_nothing() {
    let skeleton = figure(&mut Random::new(35), Kind::Fixed);
    let effector = Effector::new(5, DVec3::Z);
    let solve = |target: Target| {
        let mut pose = skeleton.rest_pose();
        Solver::new(&skeleton).goal(effector, target).solve(&mut pose)
    };
    let looking = |point: DVec3| Target::from(Orientation::LookAt(point));
    assert_eq!(solve(looking(DVec3::NAN)), fabrik3d_ik::Report::REFUSED);
    let at_tip = tip(&skeleton, &effector, &skeleton.rest_pose()).position;
    assert!(solve(looking(at_tip)).stop.is_reached());
}
