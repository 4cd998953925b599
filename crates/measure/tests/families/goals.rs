//! Weights, chain lengths, poles, obstacles, and stop reasons.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::goals::Pole;
use fabrik3d_ik::queries::{goal_errors, penetration, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Effector, Goal, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Stop};
use fabrik3d_ik::{Interval, Isometry, Swing};
use fabrik3d_measure::families::{FAMILIES, Family};
use glam::{DQuat, DVec3};

fn chain(count: usize, kind: Kind) -> Skeleton {
    let joints = (0..count).map(|i| {
        let offset = if i == 0 { DVec3::ZERO } else { DVec3::Z };
        Joint::new(format!("{i}"), i.checked_sub(1), offset, kind)
    });
    Skeleton::new(joints.collect()).unwrap()
}

fn tip(count: usize) -> Effector {
    Effector::new(count - 1, DVec3::Z)
}

fn cone(degrees: f64) -> Kind {
    Kind::Ball { swing: Swing::cone(degrees.to_radians()).ok(), twist: Interval::new(-0.3, 0.3).ok() }
}

fn hinge(axis: DVec3, low: f64, high: f64) -> Kind {
    Kind::Hinge { axis, range: Interval::new(low, high).ok() }
}

/// The weighted sum of squares that a solve of position goals minimises.
fn cost(skeleton: &Skeleton, problem: &Problem, pose: &Pose) -> f64 {
    let errors = goal_errors(skeleton, problem, pose);
    problem.goals.iter().zip(errors).map(|(goal, error)| goal.weight * error.position * error.position).sum()
}

#[test]
fn two_targets_for_one_tip_give_their_weighted_mean() {
    let mut random = Random::new(1);
    for kind in [Kind::UNLIMITED_BALL, cone(80.0)] {
        let skeleton = chain(6, kind);
        for _ in 0..40 {
            // Near a reachable position, so that the mean is reachable too.
            let pose = skeleton.random_pose(&mut random);
            let place = skeleton.frames(&pose)[5].point(DVec3::Z) * 0.8;
            let targets = [0; 2].map(|_| place + random.ball() * 0.1);
            let weights = [random.range(0.2, 3.0), random.range(0.2, 3.0)];
            let goals = [0, 1].map(|k| Goal { weight: weights[k], ..Goal::new(tip(6), targets[k]) });
            let problem = Problem { goals: goals.to_vec(), ..Problem::default() };
            let mut pose = skeleton.rest_pose();
            let report = Solver::new(&skeleton).problem(problem).solve(&mut pose);
            let mean = (targets[0] * weights[0] + targets[1] * weights[1]) / (weights[0] + weights[1]);
            let off = skeleton.frames(&pose)[5].point(DVec3::Z).distance(mean);
            // Balls with cone limits may miss the mean; unlimited ones reach it.
            assert!(off < 1e-4 || kind != Kind::UNLIMITED_BALL, "{off} {report:?}");
            assert!(!report.stop.is_reached());
        }
    }
}

#[test]
fn conflicting_goals_within_limits_reach_a_local_minimum() {
    let mut random = Random::new(2);
    for name in ["random trees", "tree with nested sub-bases", "hexapod, pinned", "body pinned, 5 positions"] {
        for _ in 0..6 {
            let mut case = Family::named(name).unwrap().case(&mut random);
            case.problem.goals.retain(|goal| goal.target.position.is_some());
            for goal in &mut case.problem.goals {
                goal.target.orientation = None;
                goal.weight = random.range(0.3, 3.0);
                goal.target.position = goal.target.position.map(|position| position + random.ball() * 0.3);
            }
            let mut pose = case.start.clone();
            let mut solver = Solver::new(&case.skeleton).problem(case.problem.clone());
            let report = solver.solve(&mut pose);
            // An independent, derivative-free minimiser: projected random steps of all sizes from the result.
            let mut best = cost(&case.skeleton, &case.problem, &pose);
            let found = best;
            let mut at = pose.clone();
            for step in 0..4000 {
                let size = 0.02 * 0.5_f64.powi(step % 16);
                let other = case.skeleton.random_pose(&mut random);
                let joints: Vec<usize> = (0..at.len()).collect();
                let mut tried = at.clone();
                fabrik3d_ik::display::mix_poses(&case.skeleton, &joints, &at, &other, size, &mut tried);
                let cost = cost(&case.skeleton, &case.problem, &tried);
                if cost < best {
                    (best, at) = (cost, tried);
                }
            }
            let met = Settings::default().tolerance.powi(2) * case.problem.goals.len() as f64 * 3.0;
            assert!(best >= found * 0.998 - met, "{name}: {found} could be {best}, {report:?}");
        }
    }
}

#[test]
fn a_larger_weight_reduces_the_error_of_a_goal() {
    let skeleton = chain(4, cone(60.0));
    let errors = |weight: f64| {
        let goals = vec![
            Goal { weight, ..Goal::new(tip(4), DVec3::new(2.0, 0.0, 2.0)) },
            Goal::new(Effector::new(1, DVec3::Z), DVec3::new(-1.0, 0.0, 1.5)),
        ];
        let problem = Problem { goals, ..Problem::default() };
        let mut pose = skeleton.rest_pose();
        let _ = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
        goal_errors(&skeleton, &problem, &pose)
    };
    let (light, even, heavy) = (errors(0.1), errors(1.0), errors(10.0));
    assert!(light[0].position > even[0].position && even[0].position > heavy[0].position);
    assert!(light[1].position < even[1].position && even[1].position < heavy[1].position);
    let ignored = errors(0.0);
    assert!(ignored[1].position < 1e-3, "a goal with weight 0 has no influence");
}

#[test]
fn joints_outside_the_chain_length_do_not_move() {
    let mut random = Random::new(3);
    for method in [Method::Accelerated, Method::Textbook] {
        for _ in 0..30 {
            let skeleton = chain(8, cone(70.0));
            let start = skeleton.random_pose(&mut random);
            let hand = Effector { chain_length: Some(3), ..tip(8) };
            let mut pose = start.clone();
            let settings = Settings { method, ..Settings::default() };
            let _ = Solver::new(&skeleton).goal(hand, random.ball() * 8.0).settings(settings).solve(&mut pose);
            assert_eq!(pose[..5], start[..5]);
            assert_ne!(pose[5..], start[5..]);
        }
    }
}

#[test]
fn a_goal_does_not_affect_joints_outside_its_chain_length() {
    let mut random = Random::new(4);
    for _ in 0..20 {
        let skeleton = chain(8, cone(70.0));
        let start = skeleton.random_pose(&mut random);
        let middle = skeleton.frames(&skeleton.random_pose(&mut random))[4].point(DVec3::Z);
        let elbow = Effector::new(4, DVec3::Z);
        let hand = Effector { chain_length: Some(3), ..tip(8) };
        let mut alone = start.clone();
        let _ = Solver::new(&skeleton).goal(elbow, middle).solve(&mut alone);
        let mut both = start.clone();
        let _ = Solver::new(&skeleton).goal(elbow, middle).goal(hand, random.ball() * 8.0).solve(&mut both);
        assert_eq!(both[..5], alone[..5], "the first five joints move as if the hand were not there");
    }
}

#[test]
fn poles_are_followed_without_missing_the_goal() {
    let mut random = Random::new(5);
    let free_shoulder = Kind::Ball { swing: Swing::cone(2.9).ok(), twist: Interval::new(-3.0, 3.0).ok() };
    let skeleton = Skeleton::new(vec![
        Joint::new("shoulder", None, DVec3::ZERO, free_shoulder),
        Joint::new("elbow", Some(0), DVec3::Z * 0.3, hinge(DVec3::Y, 0.0, 2.5)),
        Joint::new("wrist", Some(1), DVec3::Z * 0.26, cone(60.0)),
    ])
    .unwrap();
    let (mut aligned, count) = (0, 100);
    for _ in 0..count {
        let target = random.direction() * random.range(0.25, 0.6);
        let axis = target.normalize();
        let pole = random.direction();
        let side = pole.reject_from_normalized(axis).normalize();
        let problem = Problem {
            goals: vec![Goal::new(Effector::new(2, DVec3::Z * 0.1), target)],
            poles: vec![Pole { joint: 1, toward: pole * 2.0 }],
            ..Problem::default()
        };
        let mut pose = skeleton.rest_pose();
        let report = Solver::new(&skeleton).problem(problem).solve(&mut pose);
        assert_eq!(report.stop, Stop::Reached);
        assert!(worst_violation(&skeleton, &pose) <= 1e-12);
        let elbow = skeleton.frames(&pose)[1].position.reject_from_normalized(axis);
        aligned += usize::from(elbow.angle_between(side) < 10_f64.to_radians());
    }
    // The limits of the shoulder prevent some elbows from pointing to their poles.
    assert!(aligned >= 85, "{aligned} of {count} elbows point to their pole");
}

#[test]
fn links_stay_outside_obstacles() {
    let mut random = Random::new(6);
    for family in FAMILIES.iter().filter(|family| family.name.starts_with("obstacles")) {
        for _ in 0..40 {
            let case = family.case(&mut random);
            let mut pose = case.start.clone();
            let report = Solver::new(&case.skeleton).problem(case.problem.clone()).solve(&mut pose);
            assert_eq!(report.stop, Stop::Reached);
            assert!(penetration(&case.skeleton, &case.problem, &pose) <= 1.1e-4);
        }
    }
}

#[test]
fn a_base_on_the_floor_does_not_block_the_solve() {
    let skeleton = chain(4, cone(80.0));
    let floor = Obstacle::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    let goals = vec![Goal::new(tip(4), DVec3::new(2.0, 0.0, 1.0))];
    let problem = Problem { goals, obstacles: vec![floor], link_radius: 0.1, ..Problem::default() };
    let mut pose = skeleton.rest_pose();
    let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
    assert_eq!(report.stop, Stop::Reached);
    for frame in &skeleton.frames(&pose)[1..] {
        assert!(frame.position.z >= 0.1 - 1e-3);
    }
}

#[test]
fn reports_have_the_right_stop_reason() {
    let solve = |skeleton: &Skeleton, problem: Problem| {
        let mut pose = skeleton.rest_pose();
        (Solver::new(skeleton).problem(problem).solve(&mut pose), pose)
    };
    let goal = |effector, target: DVec3| Problem { goals: vec![Goal::new(effector, target)], ..Problem::default() };
    let skeleton = chain(3, cone(80.0));
    let (report, pose) = solve(&skeleton, goal(tip(3), DVec3::new(0.0, 3.0, 3.0)));
    assert_eq!(report.stop, Stop::TooFar);
    let end = skeleton.frames(&pose)[2].point(DVec3::Z);
    assert!(end.distance(DVec3::new(0.0, 3.0, 3.0).normalize() * 3.0) < 1e-3, "stretched toward it: {end}");
    let (report, _) = solve(&skeleton, goal(tip(3), DVec3::new(0.0, 0.0, -1.5)));
    assert_eq!(report.stop, Stop::Limited, "the target is behind the limits");
    let long = Effector::new(2, DVec3::Z * 5.0);
    let (report, _) = solve(&skeleton, goal(long, DVec3::Z * 1.5));
    assert_eq!(report.stop, Stop::TooClose);
    let free = chain(3, Kind::UNLIMITED_BALL);
    let goals = vec![Goal::new(tip(3), DVec3::X), Goal::new(tip(3), DVec3::Y)];
    let (report, _) = solve(&free, Problem { goals, ..Problem::default() });
    assert_eq!(report.stop, Stop::Stalled, "two targets for one tip, without limits");
    let blocked = Problem {
        obstacles: vec![Obstacle::Sphere { center: DVec3::Y * 2.0, radius: 0.5 }],
        ..goal(tip(3), DVec3::Y * 2.0)
    };
    assert_eq!(solve(&free, blocked).0.stop, Stop::Limited, "the target is inside an obstacle");
    let textbook = Settings { method: Method::Textbook, ..Settings::default() };
    let mut pose = skeleton.rest_pose();
    let mut slow = Solver::new(&skeleton).problem(goal(tip(3), DVec3::new(0.0, 2.999, 0.0))).settings(textbook);
    let report = slow.solve(&mut pose);
    assert!(matches!(report.stop, Stop::IterationLimit | Stop::Limited | Stop::Reached), "{report:?}");
    assert!(report.iterations <= 100 && report.refine_steps == 0);
}

#[test]
fn a_problem_without_targets_is_reached() {
    let skeleton = chain(3, cone(80.0));
    let mut pose = skeleton.rest_pose();
    let before = pose.clone();
    let report = Solver::new(&skeleton).solve(&mut pose);
    assert_eq!((report.stop, report.error), (Stop::Reached, 0.0));
    assert_eq!(pose, before);
}

#[test]
fn a_rope_can_be_dragged_by_either_end() {
    let mut random = Random::new(7);
    let mut joints = vec![Joint::new("root", None, DVec3::ZERO, Kind::Free)];
    for i in 0..6 {
        joints.push(Joint::new(format!("{i}"), Some(i), if i == 0 { DVec3::ZERO } else { DVec3::Z }, cone(60.0)));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    for _ in 0..20 {
        let (a, b) = (random.ball() * 20.0, random.direction() * random.range(0.0, 5.5));
        for goals in [
            vec![Goal::new(Effector::new(0, DVec3::ZERO), a)],
            vec![Goal::new(Effector::new(6, DVec3::Z), a)],
            vec![Goal::new(Effector::new(0, DVec3::ZERO), a), Goal::new(Effector::new(6, DVec3::Z), a + b)],
        ] {
            let mut pose = skeleton.rest_pose();
            let report = Solver::new(&skeleton).problem(Problem { goals, ..Problem::default() }).solve(&mut pose);
            let near = b.length() > 2.5;
            assert!(report.stop.is_reached() || !near, "{report:?}");
        }
    }
}

#[test]
fn orientation_errors_scale_with_their_weight() {
    let skeleton = chain(3, cone(60.0));
    let frame = Isometry::new(DVec3::new(0.5, 0.5, 2.5), DQuat::from_rotation_x(2.0));
    let angle = |rotation_weight: f64| {
        let goal =
            Goal { rotation_weight, ..Goal::new(Effector::new(2, DVec3::ZERO), (frame.position, frame.rotation)) };
        let problem = Problem { goals: vec![goal], ..Problem::default() };
        let mut pose = skeleton.rest_pose();
        let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
        // Measure the errors of the whole target, independently of the weight in the solve.
        let measured = Problem { goals: vec![Goal { rotation_weight: 1.0, ..goal }], ..Problem::default() };
        (goal_errors(&skeleton, &measured, &pose)[0], report)
    };
    let (off, light, heavy) = (angle(0.0), angle(0.1), angle(10.0));
    assert!(off.0.angle > light.0.angle && light.0.angle > heavy.0.angle, "{off:?} {light:?} {heavy:?}");
    assert!(off.0.position < light.0.position && light.0.position < heavy.0.position);
}
