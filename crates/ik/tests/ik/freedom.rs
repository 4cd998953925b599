//! Goals that leave something open: the turn about the tool's axis, and the position along axes of the target.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::random_arm;
use fabrik3d_ik::goals::{Freedom, Orientation};
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Isometry, Pose, Problem, Settings, Skeleton, Solver, Stop, Target};
use glam::{DQuat, DVec3};

/// The frame of an effector's tip in a pose.
fn tip(skeleton: &Skeleton, effector: &Effector, pose: &Pose) -> Isometry {
    let frame = skeleton.frame_of(Isometry::IDENTITY, pose, effector.joint);
    Isometry::new(frame.point(effector.tip), frame.rotation)
}

fn settings() -> Settings {
    Settings { tolerance: 1e-6, rotation_tolerance: 1e-6, ..Settings::default() }
}

/// Arms of five and more joints reach every position and direction that they take in some pose. A pose with a given turn
/// about the axis is out of reach for most arms of five joints.
#[test]
fn an_axis_points_where_it_should_and_the_turn_about_it_is_free() {
    let mut random = Random::new(21);
    let (mut all, mut reached, mut turned) = (0, 0, 0);
    for joints in [5, 6, 7] {
        for _ in 0..8 {
            let (skeleton, effector) = random_arm(joints, &mut random);
            let size = effector.error_scale(&skeleton, []);
            let mut solver = Solver::new(&skeleton).settings(settings());
            for _ in 0..12 {
                let there = tip(&skeleton, &effector, &skeleton.random_pose(&mut random));
                let axis = random.direction();
                let goal = Goal::pointing(effector, there.position, axis * 2.0, there.rotation * axis * 3.0);
                solver.problem = Problem { goals: vec![goal], ..Problem::default() };
                let mut pose = skeleton.rest_pose();
                let report = solver.solve(&mut pose);
                assert!(worst_violation(&skeleton, &pose) < 1e-9);
                all += 1;
                if report.stop != Stop::Reached {
                    continue;
                }
                reached += 1;
                let here = tip(&skeleton, &effector, &pose);
                assert!(here.position.distance(there.position) <= 1.001e-6 * size);
                let angle = (here.rotation * axis).angle_between(there.rotation * axis);
                assert!(angle < 2e-6, "{angle}");
                turned += usize::from(here.rotation.angle_between(there.rotation) > 0.1);
                assert!(goal_errors(&skeleton, &solver.problem, &pose)[0].angle < 2e-6);
            }
        }
    }
    assert!(reached * 100 >= all * 97, "{reached} of {all}");
    assert!(turned * 4 > reached, "{turned} of {reached}: the turn about the axis is free");
}

/// A target with slack is a box, a line or a plane, along the axes of the target orientation.
#[test]
fn a_slack_makes_the_target_a_line_or_a_plane() {
    let mut random = Random::new(22);
    let (mut all, mut reached) = (0, 0);
    for open in [[0.0, 0.0, 1e9], [1e9, 0.0, 1e9], [0.1, 0.2, 0.0]] {
        for _ in 0..8 {
            let (skeleton, effector) = random_arm(5, &mut random);
            let size = effector.error_scale(&skeleton, []);
            let mut solver = Solver::new(&skeleton).settings(settings());
            for turned in [false, true] {
                let there = tip(&skeleton, &effector, &skeleton.random_pose(&mut random)).position;
                let axes = if turned { random.rotation() } else { DQuat::IDENTITY };
                let slack = DVec3::from_array(open).map(|share| if share < 1.0 { share * size } else { share });
                // The target itself may be far out of reach, as long as what it accepts is not.
                let shift = slack.min(DVec3::splat(20.0 * size)) * random.range(-1.0, 1.0);
                let orientation = turned.then_some(Orientation::Rotation(axes));
                let target = Target { orientation, ..Target::from(there + axes * shift) };
                let freedom = Freedom { slack, ..Freedom::default() };
                let goal = Goal { rotation_weight: 0.0, freedom, ..Goal::new(effector, target) };
                solver.problem = Problem { goals: vec![goal], ..Problem::default() };
                let mut pose = skeleton.rest_pose();
                let report = solver.solve(&mut pose);
                let here = tip(&skeleton, &effector, &pose).position;
                let offset = axes.conjugate() * (here - target.position.unwrap());
                let beyond = (offset.abs() - slack).max(DVec3::ZERO).length();
                all += 1;
                if report.stop == Stop::Reached {
                    reached += 1;
                    assert!(beyond <= 1.001e-6 * size, "{beyond}");
                } else {
                    assert!(beyond > 0.99e-6 * size, "{beyond} {report}");
                }
                assert!((goal_errors(&skeleton, &solver.problem, &pose)[0].distance - beyond).abs() < 1e-9 * size);
            }
        }
    }
    assert!(reached * 100 >= all * 97, "{reached} of {all}");
}

/// Problems with and without freedom one after the other, and in lanes: each is answered as if it were alone.
#[test]
fn freedom_belongs_to_its_own_problem() {
    let mut random = Random::new(23);
    let (skeleton, effector) = random_arm(6, &mut random);
    let problem = |at: usize, random: &mut Random| {
        let there = tip(&skeleton, &effector, &skeleton.random_pose(random));
        let goal = match at % 3 {
            0 => Goal::pointing(effector, there.position, DVec3::Z, there.rotation * DVec3::Z),
            _ => Goal::new(effector, (there.position, there.rotation)),
        };
        Problem { goals: vec![goal], ..Problem::default() }
    };
    let problems: Vec<Problem> = (0..60).map(|at| problem(at, &mut random)).collect();
    let mut poses = vec![skeleton.rest_pose(); problems.len()];
    let reports = Solver::new(&skeleton).settings(settings()).solve_many(&problems, &mut poses);
    for (at, problem) in problems.iter().enumerate() {
        let mut pose = [skeleton.rest_pose()];
        let alone = Solver::new(&skeleton).settings(settings()).solve_many(std::slice::from_ref(problem), &mut pose);
        assert_eq!((alone[0], &pose[0]), (reports[at], &poses[at]), "{at}");
    }
    assert!(reports.iter().filter(|report| report.stop.is_reached()).count() > 55);
    let mut refused = problems[0].clone();
    refused.goals[0].freedom.slack.x = -1.0;
    assert!(refused.check(&skeleton).is_err());
    refused.goals[0].freedom = Freedom::spin(DVec3::ZERO);
    assert!(refused.check(&skeleton).is_err());
}
