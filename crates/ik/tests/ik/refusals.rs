//! Input that makes no sense is refused and changes nothing; any other input gives a pose of finite numbers.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::collision::{KeepClear, LinkCapsule, Obstacle};
use fabrik3d_ik::errors::{Part, Reason, SkeletonError};
use fabrik3d_ik::glam::{DQuat, DVec3};
use fabrik3d_ik::goals::{Attachment, Freedom, Orientation, Pole};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::queries::{loop_gaps, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Chain, Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Report, Settings, Skeleton, Solver, Stop,
    Swing,
};
use std::num::NonZeroU32;

/// Numbers that users do pass, by mistake or by dividing by nearly nothing.
const ODD: [f64; 17] = [
    0.0,
    -0.0,
    1e-320,
    1e-170,
    1e-70,
    1e-9,
    -1.0,
    1e6,
    1e16,
    1e74,
    -1e74,
    1e76,
    1e151,
    1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// A skeleton of all kinds of joints, with two branches.
fn skeleton(random: &mut Random) -> Vec<Joint> {
    let range = Interval::new(-1.5, 1.5).ok();
    let limited = Kind::Ball { swing: Swing::new([1.0, 0.5, 1.4, 2.0]).ok(), twist: range };
    let kinds = [
        Kind::UNLIMITED_BALL,
        limited,
        Kind::Hinge { axis: DVec3::Y, range },
        Kind::Slide { axis: DVec3::Z, range },
        Kind::Hinge { axis: DVec3::X, range: None },
        Kind::Free,
        Kind::Fixed,
    ];
    let count = 3 + random.index(5);
    let joint = |at: usize, random: &mut Random| {
        let parent = if at == 0 { None } else { Some(random.index(at)) };
        let kind = kinds[random.index(if at == 0 { 7 } else { 5 })];
        Joint::new(at.to_string(), parent, random.direction(), kind)
    };
    (0..count).map(|at| joint(at, random)).collect()
}

/// A problem with something of everything.
fn problem(random: &mut Random, joints: usize) -> Problem {
    let at = |random: &mut Random| random.index(joints);
    let mut problem = Problem::default();
    for _ in 0..1 + random.index(2) {
        let effector = Effector::new(at(random), random.direction());
        let mut goal = Goal::new(effector, random.ball() * 2.0);
        goal.target.orientation = match random.index(4) {
            0 => Some(Orientation::Rotation(random.rotation())),
            1 => Some(Orientation::LookAt(random.direction() * 3.0)),
            _ => None,
        };
        goal.freedom = Freedom {
            spin_axis: (random.unit() < 0.3).then(|| random.direction()),
            slack: if random.unit() < 0.3 { DVec3::new(0.1, 0.0, 9.0) } else { DVec3::ZERO },
        };
        problem.goals.push(goal);
    }
    let end = |random: &mut Random| Attachment { joint: at(random), point: random.direction() };
    if random.unit() < 0.3 {
        problem.loops.push((end(random), end(random)));
    }
    if random.unit() < 0.3 {
        problem.poles.push(Pole { joint: random.index(joints), toward: random.direction() * 2.0 });
    }
    if random.unit() < 0.4 {
        let center = random.direction() * 1.5;
        let obstacle = match random.index(4) {
            0 => Obstacle::Sphere { center, radius: 0.3 },
            1 => Obstacle::HalfSpace { normal: DVec3::Z, offset: -1.0 },
            2 => Obstacle::Capsule { ends: [center, center * 1.2], radius: 0.2 },
            _ => Obstacle::Box { center, rotation: random.rotation(), half: DVec3::splat(0.2) },
        };
        problem.obstacles = vec![obstacle];
        problem.link_radius = 0.01;
    }
    if random.unit() < 0.3 {
        let capsule = |joint| LinkCapsule::new(joint, [DVec3::ZERO, DVec3::Z * 0.5], 0.05);
        problem.keep_clear = KeepClear {
            capsules: (0..joints).map(capsule).collect(),
            pairs: vec![[0, joints - 1]],
            margin: if random.unit() < 0.5 { 0.1 } else { 0.0 },
        };
    }
    problem
}

/// Puts an odd number into one field of the input.
fn spoil(random: &mut Random, joints: &mut [Joint], problem: &mut Problem, settings: &mut Settings, pose: &mut Pose) {
    let odd = ODD[random.index(ODD.len())];
    let axis = random.index(3);
    let joint = random.index(joints.len());
    let any_goal = random.index(problem.goals.len());
    let goal = &mut problem.goals[any_goal];
    match random.index(24) {
        0 => joints[joint].offset[axis] = odd,
        1 => joints[joint].offset = DVec3::splat(odd),
        2 => joints[joint].rest = DQuat::from_xyzw(odd, 0.0, 0.0, 1.0),
        3 => joints.iter_mut().for_each(|joint| joint.offset *= odd),
        4 => goal.effector.tip[axis] = odd,
        5 => goal.target.position = Some(DVec3::splat(odd)),
        6 => goal.target.orientation = Some(Orientation::Rotation(DQuat::from_xyzw(0.0, odd, 0.0, 0.0))),
        7 => goal.target.orientation = Some(Orientation::LookAt(DVec3::splat(odd))),
        8 => goal.weight = odd,
        9 => goal.rotation_weight = odd,
        10 => goal.freedom.spin_axis = Some(DVec3::X * odd),
        11 => goal.freedom.slack[axis] = odd,
        12 => problem.poles.push(Pole { joint, toward: DVec3::splat(odd) }),
        13 => problem.loops.iter_mut().for_each(|(a, _)| a.point[axis] = odd),
        14 => problem.obstacles.push(Obstacle::Sphere { center: DVec3::splat(odd), radius: 1.0 }),
        15 => problem.obstacles.push(Obstacle::Sphere { center: DVec3::X, radius: odd }),
        16 => problem.obstacles.push(Obstacle::Box {
            center: DVec3::X,
            rotation: DQuat::IDENTITY,
            half: DVec3::splat(odd),
        }),
        17 => problem.link_radius = odd,
        18 => problem.keep_clear.margin = odd,
        19 => problem.keep_clear.capsules.iter_mut().for_each(|capsule| capsule.radius = odd),
        20 => problem.base.position[axis] = odd,
        21 => settings.tolerance = odd,
        22 => settings.rotation_tolerance = odd,
        _ => {
            let values = vec![odd; joints[joint].kind.coordinate_count()];
            pose[joint] = Coordinates::from_values(&joints[joint].kind, &values).unwrap();
        }
    }
}

#[test]
fn odd_numbers_are_refused_or_give_a_finite_pose() {
    let (mut refused, mut solved) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut joints = skeleton(&mut random);
        let mut problem = problem(&mut random, joints.len());
        let mut settings = Settings { max_attempts: NonZeroU32::new(4).unwrap(), ..Settings::default() };
        let mut start = Skeleton::new(joints.clone()).unwrap().rest_pose();
        for _ in 0..1 + random.index(2) {
            spoil(&mut random, &mut joints, &mut problem, &mut settings, &mut start);
        }
        let Ok(skeleton) = Skeleton::new(joints) else {
            refused += 1;
            continue;
        };
        let mut solver = Solver::new(&skeleton).problem(problem).settings(settings);
        for verb in [Solver::solve, Solver::track, Solver::solve_nearest] {
            let mut pose = start.clone();
            let report: Report = verb(&mut solver, &mut pose);
            let context = format!("seed {seed}: {report:?}, {:?}", solver.check(&start));
            assert_eq!(report.stop == Stop::Refused, solver.check(&start).is_err(), "{context}");
            if report.stop == Stop::Refused {
                refused += 1;
                // NaN differs from itself.
                let same = |(a, b): (&Coordinates, &Coordinates)| format!("{a:?}") == format!("{b:?}");
                assert!(pose.iter().zip(&start).all(same), "{context}");
                continue;
            }
            solved += 1;
            assert!(pose.iter().all(Coordinates::is_finite), "{context}");
            let frames = skeleton.frames_at(solver.problem.base, &pose);
            assert!(frames.iter().all(|frame| frame.is_finite()), "{context}");
            assert!(!report.error.is_nan(), "{context}");
            assert!(worst_violation(&skeleton, &pose) <= 1e-12, "{context}");
        }
    }
    assert!(refused > 1000 && solved > 2500, "{refused} refused, {solved} solved");
}

/// An arm of two hinges, its rest pose and a goal for its tip.
fn arm() -> (Solver, Pose) {
    let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    let joints =
        vec![Joint::new("a", None, DVec3::ZERO, hinge), Joint::new("b", Some(0), DVec3::X, Kind::UNLIMITED_BALL)];
    let skeleton = Skeleton::new(joints).unwrap();
    let pose = skeleton.rest_pose();
    (Solver::new(skeleton).goal(Effector::new(1, DVec3::X), DVec3::ONE), pose)
}

#[test]
fn a_refusal_names_the_part_and_the_reason() {
    let refused = |change: &dyn Fn(&mut Solver, &mut Pose)| {
        let (mut solver, mut pose) = arm();
        assert_eq!(solver.check(&pose), Ok(()));
        change(&mut solver, &mut pose);
        assert_eq!(solver.solve(&mut pose), Report::REFUSED);
        solver.check(&pose).unwrap_err()
    };
    let refusal = refused(&|solver, _| solver.settings.tolerance = -1.0);
    assert_eq!((refusal.part, refusal.reason), (Part::Tolerance, Reason::Negative));
    let refusal = refused(&|solver, _| solver.settings.rotation_tolerance = f64::NAN);
    assert_eq!((refusal.part, refusal.reason), (Part::RotationTolerance, Reason::Number));
    for (step, reason) in [(0.0, Reason::NoStep), (-0.1, Reason::Negative), (f64::NAN, Reason::Number)] {
        let refusal = refused(&|solver, _| solver.settings.max_step = Some(step));
        assert_eq!((refusal.part, refusal.reason), (Part::MaxStep, reason));
    }
    let refusal = refused(&|_, pose| pose[1] = Coordinates::default());
    assert_eq!((refusal.part, refusal.reason), (Part::Joint(1), Reason::Zero));
    let refusal = refused(&|_, pose| pose.truncate(1));
    assert_eq!(refusal.to_string(), "the pose: it needs one entry per joint, 2 in all, and has 1");
    let refusal = refused(&|solver, _| solver.problem.goals[0].effector.joint = 7);
    assert_eq!(refusal.to_string(), "goal 0: there is no joint 7");
    let refusal = refused(&|solver, _| solver.problem.base.rotation = DQuat::IDENTITY * 2.0);
    assert_eq!((refusal.part, refusal.reason), (Part::Base, Reason::NotUnit));
    let refusal =
        refused(&|solver, _| solver.problem.obstacles.push(Obstacle::Sphere { center: DVec3::X, radius: -1.0 }));
    assert_eq!((refusal.part, refusal.reason), (Part::Obstacle(0), Reason::Negative));
    let refusal = refused(&|solver, pose| {
        solver.problem.home.clone_from(pose);
        solver.problem.home[0] = Coordinates::scalar(f64::NAN);
    });
    assert_eq!(refusal.part, Part::Home);
}

#[test]
fn tolerances_that_make_no_sense_are_refused_everywhere() {
    for tolerance in [-1e-3, f64::NAN, f64::INFINITY] {
        let settings = Settings { tolerance, ..Settings::default() };
        let points = [DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 2.0, 0.0)];
        let mut chain = Chain::new(&points).unwrap();
        assert_eq!(chain.solve(DVec3::X, &settings), Report::REFUSED);
        assert_eq!(chain.points(), points);
        let (mut solver, pose) = arm();
        solver.settings = settings;
        let problems = [solver.problem.clone()];
        assert_eq!(solver.solve_many(&problems, &mut [pose.clone()]), [Report::REFUSED]);
        assert_eq!(solver.solve_paths(&problems, &[1], &mut [pose.clone()]), [Report::REFUSED]);
        assert_eq!(solver.solve_path(&problems, &pose), [(pose.clone(), Report::REFUSED)]);
        assert!(solver.figures().is_none() && solver.solutions(&pose, 3).is_empty());
        solver.settings = Settings::default();
        assert_eq!(solver.figures().unwrap().solve(0, &settings, &mut pose.clone()), Report::REFUSED);
    }
}

#[test]
fn ranges_of_followers_and_leaders_agree_or_are_an_error() {
    let (mut built, mut refused) = (0, 0);
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let mut range = |width: f64| {
            let low = random.range(-2.0, 2.0);
            Interval::new(low, low + random.range(0.0, width)).unwrap()
        };
        let hinge = |range| Kind::Hinge { axis: DVec3::Z, range: Some(range) };
        let mut joints = vec![Joint::new("leader", None, DVec3::ZERO, hinge(range(2.0)))];
        joints.push(Joint::new("one", Some(0), DVec3::X, hinge(range(3.0))));
        joints.push(Joint::new("two", Some(1), DVec3::X, hinge(range(3.0))));
        for joint in &mut joints[1..] {
            let scale = if random.unit() < 0.1 { 0.0 } else { random.range(-2.0, 2.0) };
            joint.mimic = Some(Mimic { joint: 0, scale, offset: random.range(-1.0, 1.0) });
        }
        // Whether some angle of the leader suits all.
        let suits = |angle: f64| {
            joints.iter().all(|joint| {
                let Kind::Hinge { range: Some(range), .. } = joint.kind else { return false };
                range.contains(joint.mimic.map_or(angle, |mimic| mimic.scale * angle + mimic.offset))
            })
        };
        let some = (-20_000..20_000).map(|at| f64::from(at) * 2.5e-4).any(suits);
        match Skeleton::new(joints) {
            Ok(skeleton) => {
                built += 1;
                let mut solver = Solver::new(&skeleton).goal(Effector::new(2, DVec3::X), random.ball() * 3.0);
                let mut pose = skeleton.rest_pose();
                assert!(worst_violation(&skeleton, &pose) <= 1e-12, "seed {seed}");
                let _ = solver.solve(&mut pose);
                assert!(worst_violation(&skeleton, &pose) <= 1e-12, "seed {seed}");
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, SkeletonError::NoCommonRange { .. }) && !some, "seed {seed}: {error}");
            }
        }
    }
    assert!(built > 50 && refused > 100, "{built} built, {refused} refused");
    // Ranges that meet in one value, up to rounding.
    let only = |angle: f64| Kind::Hinge { axis: DVec3::Z, range: Interval::new(angle, angle).ok() };
    let follower = Joint {
        mimic: Some(Mimic { joint: 0, scale: 0.1, offset: 0.2 }),
        ..Joint::new("b", Some(0), DVec3::X, only(0.3 * 0.1 + 0.2 + 1e-16))
    };
    assert!(Skeleton::new(vec![Joint::new("a", None, DVec3::ZERO, only(0.3)), follower]).is_ok());
}

#[test]
fn loops_close_from_any_pose_from_which_a_solve_closes_them() {
    // Four bars in a line: two cranks of length 1 and 2 on a ground of length 2, and a coupler of length 2.
    let hinge =
        |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::Hinge { axis: DVec3::Z, range: None });
    let skeleton = Skeleton::new(vec![
        Joint::new("ground", None, DVec3::ZERO, Kind::Fixed),
        hinge("crank", Some(0), DVec3::ZERO),
        hinge("coupler", Some(1), DVec3::X),
        hinge("rocker", Some(0), DVec3::X * 2.0),
    ])
    .unwrap();
    let end = |joint, point| Attachment { joint, point };
    let problem = Problem { loops: vec![(end(2, DVec3::X * 2.0), end(3, DVec3::X * 2.0))], ..Problem::default() };
    let mut random = Random::new(3);
    for case in 0..50 {
        let mut solver = Solver::new(&skeleton).problem(problem.clone());
        let mut closed = if case == 0 { skeleton.rest_pose() } else { skeleton.random_pose(&mut random) };
        let start = closed.clone();
        let gap = solver.close_loops(&mut closed);
        let left = loop_gaps(&skeleton, &problem, &closed)[0];
        assert!(gap <= 1e-6 && left <= 1e-5, "case {case}: {gap}, {left}");
        let mut solved = start.clone();
        assert!(solver.solve(&mut solved).stop.is_reached(), "case {case}");
    }
}
