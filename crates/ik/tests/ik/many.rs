//! Many problems on one skeleton: the answers of the SIMD batch are those of the scalar path.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::{ArmCase, Wanted, random_case};

use fabrik3d_ik::goals::{Freedom, Orientation, Pole};
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Coordinates, Effector, Goal, Pose, Problem, Target};
use fabrik3d_ik::{Isometry, Joint, Kind, Report, Settings, Skeleton, Solver, Stop};
use glam::{DQuat, DVec3};

/// Trees of unlimited balls in a line, each with an effector at its end; the bases apart from one another.
fn chains(links: &[usize], random: &mut Random) -> (Skeleton, Vec<Effector>) {
    let mut joints: Vec<Joint> = Vec::new();
    let mut effectors = Vec::new();
    for &links in links {
        for link in 0..links {
            let parent = (link > 0).then(|| joints.len() - 1);
            let offset = random.direction() * if link == 0 { 100.0 * random.unit() } else { random.range(0.5, 1.5) };
            joints.push(Joint::new(format!("joint {}", joints.len()), parent, offset, Kind::UNLIMITED_BALL));
        }
        effectors.push(Effector::new(joints.len() - 1, random.direction() * random.range(0.5, 1.5)));
    }
    (Skeleton::new(joints).unwrap(), effectors)
}

/// A crooked pose.
fn pose(skeleton: &Skeleton, random: &mut Random) -> Pose {
    let turn = |random: &mut Random| DQuat::from_axis_angle(random.direction(), random.range(0.0, 1.0));
    skeleton.joints().iter().map(|_| Coordinates::rotation(turn(random))).collect()
}

/// Targets up to a tenth beyond the reach.
fn problem(skeleton: &Skeleton, effectors: &[Effector], random: &mut Random) -> Problem {
    let frames = skeleton.frames(&skeleton.rest_pose());
    let goal = |effector: &Effector| {
        let mut root = effector.joint;
        while let Some(parent) = skeleton.joints()[root].parent {
            root = parent;
        }
        let reach = effector.reach(skeleton);
        Goal::new(*effector, frames[root].position + random.ball() * reach * 1.1)
    };
    Problem { goals: effectors.iter().map(goal).collect(), ..Problem::default() }
}

struct Work {
    skeleton: Skeleton,
    problems: Vec<Problem>,
    starts: Vec<Pose>,
}

fn work(links: &[usize], count: usize, seed: u64) -> Work {
    let mut random = Random::new(seed);
    let (skeleton, effectors) = chains(links, &mut random);
    let problems = (0..count).map(|_| problem(&skeleton, &effectors, &mut random)).collect();
    let starts = (0..count).map(|_| pose(&skeleton, &mut random)).collect();
    Work { skeleton, problems, starts }
}

fn solve(work: &Work, settings: Settings) -> (Vec<Report>, Vec<Pose>) {
    let mut poses = work.starts.clone();
    (Solver::new(&work.skeleton).settings(settings).solve_many(&work.problems, &mut poses), poses)
}

/// Largest distance between the joints and tips of two poses, as a fraction of the longest reach.
fn apart(skeleton: &Skeleton, problem: &Problem, one: &Pose, other: &Pose) -> f64 {
    let (one, other) = (skeleton.frames(one), skeleton.frames(other));
    let joints = one.iter().zip(&other).map(|(one, other)| one.position.distance(other.position));
    let ends = problem.goals.iter().map(|goal| {
        let end = goal.effector;
        one[end.joint].point(end.tip).distance(other[end.joint].point(end.tip))
    });
    let reach = problem.goals.iter().map(|goal| goal.effector.reach(skeleton));
    joints.chain(ends).fold(0.0, f64::max) / reach.fold(0.0, f64::max)
}

#[test]
fn answers_are_those_of_the_scalar_path() {
    let shapes: [&[usize]; 6] = [&[3], &[10], &[40], &[10, 10, 10], &[4, 9, 4, 1, 2], &[2]];
    for (seed, links) in shapes.into_iter().enumerate() {
        let work = work(links, 2000, seed as u64);
        let settings = Settings::default();
        let (reports, poses) = solve(&work, settings);
        let mut agree = 0;
        for (at, problem) in work.problems.iter().enumerate() {
            let mut alone = work.starts[at].clone();
            let mut solver = Solver::new(&work.skeleton).settings(settings).problem(problem.clone());
            let report = solver.solve(&mut alone);
            assert_eq!(reports[at].stop, report.stop, "{links:?} {at}");
            let mut worst: f64 = 0.0;
            for goal in &problem.goals {
                let end = goal.effector;
                let tip = work.skeleton.frames(&poses[at])[end.joint].point(end.tip);
                let reach = end.reach(&work.skeleton);
                worst = worst.max(tip.distance(goal.target.position.unwrap()) / reach);
            }
            assert!((worst - reports[at].error).abs() < 1e-12, "{links:?} {at}: {worst} {:?}", reports[at]);
            assert_eq!(worst <= settings.tolerance, report.stop == Stop::Reached, "{links:?} {at}");
            let apart = apart(&work.skeleton, problem, &poses[at], &alone);
            assert!(apart < 2e-3, "{links:?} {at}: {apart}");
            agree += usize::from(apart < 1e-5);
        }
        assert!(agree * 100 >= work.problems.len() * 98, "{links:?}: {agree}");
    }
}

#[test]
fn an_answer_depends_on_its_own_problem_only() {
    let work = work(&[7, 7, 12], 300, 9);
    let (reports, poses) = solve(&work, Settings::default());
    let mut solver = Solver::new(&work.skeleton);
    for at in (0..work.problems.len()).rev() {
        let mut pose = [work.starts[at].clone()];
        let report = solver.solve_many(&work.problems[at..=at], &mut pose);
        assert_eq!((report[0], &pose[0]), (reports[at], &poses[at]), "{at}");
    }
}

/// Problems of all kinds one after the other: what the lanes cannot do comes out as from the scalar path, bit by bit.
#[test]
fn other_problems_are_solved_one_by_one() {
    let mut work = work(&[6, 6], 240, 4);
    let mut random = Random::new(5);
    for (at, problem) in work.problems.iter_mut().enumerate() {
        match at % 6 {
            1 => {
                let rotation = DQuat::from_axis_angle(random.direction(), 1.0);
                problem.goals[0].target.orientation = Some(Orientation::Rotation(rotation));
            }
            2 => problem.goals[1].target = Target::default(),
            3 => problem.poles.push(Pole { joint: 2, toward: random.direction() * 50.0 }),
            4 => problem.goals[0].target.position = Some(DVec3::splat(f64::NAN)),
            _ => {}
        }
    }
    let (reports, poses) = solve(&work, Settings::default());
    for (at, problem) in work.problems.iter().enumerate() {
        let mut alone = work.starts[at].clone();
        let report = Solver::new(&work.skeleton).problem(problem.clone()).solve(&mut alone);
        assert_eq!(reports[at].stop, report.stop, "{at}");
        assert!(apart(&work.skeleton, problem, &poses[at], &alone) < 2e-3, "{at}");
        if at % 6 == 4 {
            assert_eq!((report.stop, &poses[at]), (Stop::Refused, &work.starts[at]));
        }
    }
    for settings in [
        Settings { tolerance: 1e-9, ..Settings::default() },
        Settings { method: Method::Textbook, ..Settings::default() },
        Settings { method: Method::Ccd, ..Settings::default() },
    ] {
        let (reports, poses) = solve(&work, settings);
        for (at, problem) in work.problems.iter().enumerate() {
            let mut alone = work.starts[at].clone();
            let mut solver = Solver::new(&work.skeleton).settings(settings).problem(problem.clone());
            assert_eq!((solver.solve(&mut alone), &alone), (reports[at], &poses[at]), "{at} {settings:?}");
        }
    }
}

/// A target too far for single precision is still answered for what it is.
#[test]
fn wild_targets_do_not_disturb_the_others() {
    let mut work = work(&[5], 64, 6);
    let wild = [1e39, 1e60, 1e300, 1e-300];
    for (at, size) in wild.into_iter().enumerate() {
        work.problems[17 * at].goals[0].target.position = Some(DVec3::Y * size);
    }
    let (reports, _) = solve(&work, Settings::default());
    for (at, problem) in work.problems.iter().enumerate() {
        let mut alone = work.starts[at].clone();
        let report = Solver::new(&work.skeleton).problem(problem.clone()).solve(&mut alone);
        assert_eq!(reports[at].stop, report.stop, "{at}");
    }
}

#[test]
fn a_solver_takes_a_problem_whose_target_pole_and_base_move() {
    let work = work(&[6], 40, 7);
    let mut kept_solver = Solver::new(&work.skeleton);
    for (at, problem) in work.problems.iter().enumerate() {
        let mut problem = problem.clone();
        problem.base.position = DVec3::X * at as f64;
        if at >= 20 {
            problem.poles.push(Pole { joint: 3, toward: DVec3::Z * at as f64 });
        }
        let (mut kept, mut fresh) = (work.starts[at].clone(), work.starts[at].clone());
        kept_solver.problem.clone_from(&problem);
        let report = kept_solver.solve(&mut kept);
        assert_eq!(report, Solver::new(&work.skeleton).problem(problem).solve(&mut fresh), "{at}");
        assert_eq!(kept, fresh, "{at}");
    }
}

/// Arms run in lanes too: whatever the scalar path reaches is reached, inside all limits.
#[test]
fn arms_reach_what_the_scalar_path_reaches() {
    for seed in 0..12 {
        let wanted = Wanted::ALL[seed % 3];
        let case = random_case(3 + seed % 5, wanted, 40, 60 + seed as u64);
        let settings = Settings::default();
        let mut random = Random::new(seed as u64);
        let problems: Vec<Problem> = case.targets.iter().map(|target| arm_problem(&case, *target)).collect();
        let starts: Vec<Pose> = problems.iter().map(|_| case.skeleton.random_pose(&mut random)).collect();
        let mut solver = Solver::new(&case.skeleton).settings(settings);
        assert!(solver.runs_in_lanes(&problems[0]));
        let mut poses = starts.clone();
        let reports = solver.solve_many(&problems, &mut poses);
        for (at, problem) in problems.iter().enumerate() {
            let mut alone = starts[at].clone();
            let scalar = Solver::new(&case.skeleton).settings(settings).problem(problem.clone()).solve(&mut alone);
            assert!(reports[at].stop == Stop::Reached || scalar.stop != Stop::Reached, "arm {seed}, target {at}");
            assert_eq!(worst_violation(&case.skeleton, &poses[at]), 0.0, "arm {seed}, target {at}");
            let error = goal_errors(&case.skeleton, problem, &poses[at])[0];
            let reached = error.position <= settings.tolerance && error.angle <= settings.rotation_tolerance;
            assert_eq!(reached, reports[at].stop == Stop::Reached, "arm {seed}, target {at}: {error:?}");
            // Joints that do not move the effector stay.
            let side = case.skeleton.find("side").unwrap();
            assert_eq!(poses[at][side], case.skeleton.kind(side).project(starts[at][side]));
        }
        for at in (0..problems.len()).rev().step_by(7) {
            let mut pose = [starts[at].clone()];
            let report = solver.solve_many(&problems[at..=at], &mut pose);
            assert_eq!((report[0], &pose[0]), (reports[at], &poses[at]), "arm {seed}, target {at}");
        }
    }
}

/// Problems of different kinds on one arm, with bases that move: each is solved for what it is.
#[test]
fn arms_take_problems_of_all_kinds() {
    let case = random_case(6, Wanted::Both, 60, 2);
    let mut random = Random::new(8);
    let mut problems: Vec<Problem> = case.targets.iter().map(|target| arm_problem(&case, *target)).collect();
    for (at, problem) in problems.iter_mut().enumerate() {
        let base = Isometry::new(random.direction() * 5.0, random.rotation());
        let target = &mut problem.goals[0].target;
        *target = Target {
            position: target.position.map(|position| base.point(position)),
            orientation: target.rotation().map(|rotation| Orientation::Rotation(base.rotation * rotation)),
        };
        problem.base = base;
        match at % 6 {
            0 => target.orientation = None,
            1 => target.position = None,
            2 => problem.goals[0].rotation_weight = 0.0,
            3 => target.position = Some(DVec3::splat(f64::NAN)),
            4 => problem.goals.push(Goal::new(Effector::new(2, DVec3::X), DVec3::ONE)),
            _ => {}
        }
    }
    let mut poses = vec![case.skeleton.rest_pose(); problems.len()];
    let mut solver = Solver::new(&case.skeleton);
    let reports = solver.solve_many(&problems, &mut poses);
    for (at, problem) in problems.iter().enumerate() {
        match at % 6 {
            3 => assert_eq!((reports[at].stop, &poses[at]), (Stop::Refused, &case.skeleton.rest_pose())),
            4 => {
                let mut alone = case.skeleton.rest_pose();
                let report = Solver::new(&case.skeleton).problem(problem.clone()).solve(&mut alone);
                assert_eq!((report, &alone), (reports[at], &poses[at]), "{at}");
            }
            _ => {
                assert_eq!(reports[at].stop, Stop::Reached, "{at}");
                let error = goal_errors(&case.skeleton, problem, &poses[at])[0];
                assert!(error.position <= 1e-4 && error.angle <= 0.002, "{at}: {error:?}");
            }
        }
    }
}

/// Goals that leave different things open, one after the other: each is met as if it were alone, bit by bit.
#[test]
fn arms_take_problems_that_leave_different_things_open() {
    let case = random_case(7, Wanted::Both, 1200, 3);
    let slack = DVec3::new(0.0, 0.05, 0.0) * case.effector.size(&case.skeleton);
    let freedoms = [Freedom::default(), Freedom::spin(DVec3::Z), Freedom { slack, ..Freedom::default() }];
    let mut problems: Vec<Problem> = case.targets.iter().map(|target| arm_problem(&case, *target)).collect();
    for (at, problem) in problems.iter_mut().enumerate() {
        problem.goals[0].freedom = freedoms[at % freedoms.len()];
        if at % 5 == 0 {
            problem.goals[0].target.orientation = None;
        }
    }
    let start = case.skeleton.rest_pose();
    let mut poses = vec![start.clone(); problems.len()];
    let reports = Solver::new(&case.skeleton).solve_many(&problems, &mut poses);
    let mut alone = Solver::new(&case.skeleton);
    for (at, problem) in problems.iter().enumerate() {
        assert_eq!(reports[at].stop, Stop::Reached, "{at}");
        assert!(alone.runs_in_lanes(problem));
        let mut pose = [start.clone()];
        let report = alone.solve_many(&problems[at..=at], &mut pose);
        assert_eq!((report[0], &pose[0]), (reports[at], &poses[at]), "{at}");
    }
}

fn arm_problem(case: &ArmCase, target: Target) -> Problem {
    Problem { goals: vec![Goal::new(case.effector, target)], ..Problem::default() }
}

/// Rows of a straight line in joint space, as targets: from one random pose of an arm to another.
fn path(case: &ArmCase, wanted: Wanted, rows: usize, random: &mut Random) -> (Pose, Vec<Problem>) {
    let (from, to) = (case.skeleton.random_pose(random), case.skeleton.random_pose(random));
    let problem = |row: usize| {
        let share = row as f64 / rows as f64;
        let mix =
            |(a, b): (&Coordinates, &Coordinates)| Coordinates::scalar(a.value() + share * (b.value() - a.value()));
        let pose: Pose = from.iter().zip(&to).map(mix).collect();
        let target = wanted.target(&case.skeleton, &case.effector, &pose);
        Problem { goals: vec![Goal::new(case.effector, target)], ..Problem::default() }
    };
    (from.clone(), (1..=rows).map(problem).collect())
}

/// The largest move of a hinge or slide between two poses.
fn jump(one: &Pose, other: &Pose) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one.value() - other.value()).abs()).fold(0.0, f64::max)
}

/// Paths in lanes: every row that the scalar solver reaches is reached. Where neither way has left the branch of the start,
/// the poses agree as far as the tolerance determines them, and on the whole the lanes jump no more.
#[test]
fn paths_follow_as_tracking_does() {
    let mut random = Random::new(31);
    let settings = Settings { tolerance: 1e-7, rotation_tolerance: 1e-7, ..Settings::default() };
    let (mut rows, mut close, mut jumps) = (0, 0, [0; 2]);
    for (joints, wanted) in [(6, Wanted::Both), (7, Wanted::Both), (3, Wanted::Position)] {
        for seed in 0..4 {
            let case = random_case(joints, wanted, 1, seed);
            let lengths: Vec<usize> = (0..10).map(|at| 1 + 7 * at).collect();
            let (mut problems, mut starts) = (Vec::new(), Vec::new());
            for &rows in &lengths {
                let (start, path) = path(&case, wanted, rows, &mut random);
                problems.extend(path);
                starts.extend(std::iter::repeat_n(start, rows));
            }
            let mut poses = starts.clone();
            let mut solver = Solver::new(&case.skeleton).settings(settings);
            let reports = solver.solve_paths(&problems, &lengths, &mut poses);
            let mut alone = Solver::new(&case.skeleton).settings(settings);
            let mut first = 0;
            for &length in &lengths {
                let (mut pose, mut before) = (starts[first].clone(), starts[first].clone());
                for at in first..first + length {
                    let tracked = pose.clone();
                    alone.problem.clone_from(&problems[at]);
                    let report = alone.track(&mut pose);
                    assert!(reports[at].stop.is_reached() || !report.stop.is_reached(), "{joints} {seed} {at}");
                    assert!(worst_violation(&case.skeleton, &poses[at]) < 1e-9);
                    jumps[0] += usize::from(jump(&before, &poses[at]) > 1.0);
                    jumps[1] += usize::from(jump(&tracked, &pose) > 1.0);
                    before.clone_from(&poses[at]);
                    rows += 1;
                    close += usize::from(joints == 7 || jump(&pose, &poses[at]) < 1e-3);
                }
                // Each path alone gives the same bits.
                let mut own = starts[first..first + length].to_vec();
                let path = &problems[first..first + length];
                assert_eq!(solver.solve_paths(path, &[length], &mut own), reports[first..first + length]);
                assert_eq!(own, poses[first..first + length]);
                first += length;
            }
        }
    }
    assert!(close * 100 >= rows * 97, "{close} of {rows}");
    assert!(jumps[0] <= jumps[1], "{jumps:?}");
}

/// Paths that the lanes cannot solve, and paths with problems that are refused.
#[test]
fn paths_of_other_problems_are_tracked_one_by_one() {
    let work = work(&[6, 6], 60, 4);
    let mut problems = work.problems.clone();
    problems[25].goals[0].target.position = Some(DVec3::splat(f64::NAN));
    for problem in &mut problems[40..50] {
        problem.poles.push(Pole { joint: 2, toward: DVec3::Y * 50.0 });
    }
    let lengths = [20, 25, 10];
    let mut poses = work.starts.clone();
    let reports = Solver::new(&work.skeleton).solve_paths(&problems, &lengths, &mut poses);
    let mut first = 0;
    for length in lengths {
        let mut pose = work.starts[first].clone();
        for at in first..first + length {
            let report = Solver::new(&work.skeleton).problem(problems[at].clone()).track(&mut pose);
            assert_eq!((report, &pose), (reports[at], &poses[at]), "{at}");
        }
        first += length;
    }
    assert!(reports[first..].iter().all(|report| report.stop == Stop::Refused));
    assert_eq!(poses[first..], work.starts[first..]);
}

/// A table has the answers of single solves also for what its goals do not ask of: an arm that rests outside its limits, and
/// joints that follow others, whose columns the lanes do not move.
#[test]
fn tables_hold_what_rests_and_what_follows() {
    let hinge = |axis| Kind::limited_hinge(axis, -2.0, 2.0).unwrap();
    let follower = |name: &str, parent, leader| Joint {
        mimic: Some(Mimic { joint: leader, scale: -0.5, offset: 0.1 }),
        ..Joint::new(name, Some(parent), DVec3::Z * 0.3, hinge(DVec3::Y))
    };
    let joint = |name: &str, parent, offset, axis| Joint::new(name, Some(parent), offset, hinge(axis));
    let skeleton = Skeleton::new(vec![
        Joint::new("base", None, DVec3::ZERO, Kind::Fixed),
        joint("left turn", 0, DVec3::NEG_X, DVec3::Z),
        joint("left shoulder", 1, DVec3::Z * 0.2, DVec3::Y),
        joint("left elbow", 2, DVec3::Z * 0.5, DVec3::Y),
        follower("left finger", 3, 3),
        joint("right turn", 0, DVec3::X, DVec3::Z),
        follower("right finger", 5, 5),
    ])
    .unwrap();
    let hand = Effector::new(3, DVec3::Z * 0.5);
    let (joints, mut random) = ([1, 2, 3, 4, 5, 6], Random::new(8));
    let starts: Vec<Pose> = (0..200).map(|_| skeleton.random_pose(&mut random)).collect();
    let targets: Vec<Target> = starts.iter().map(|pose| skeleton.frames(pose)[3].point(hand.tip).into()).collect();
    let mut rows: Vec<f64> = Vec::new();
    for _ in &targets {
        let outside = [0.1, 0.4, 0.4, 0.0, random.range(2.0, 4.0), 0.0];
        rows.extend(outside);
    }
    let given = rows.clone();
    let mut solver = Solver::new(skeleton.clone()).goal(hand, Target::default());
    let reports = solver.solve_rows(&targets, &skeleton.rest_pose(), &joints, &mut rows);
    for (at, row) in rows.chunks(6).enumerate() {
        assert!(reports[at].stop.is_reached(), "{at}: {:?}", reports[at]);
        let mut alone = skeleton.rest_pose();
        joints.iter().zip(&given[6 * at..]).for_each(|(&joint, &value)| alone[joint] = Coordinates::scalar(value));
        let mut pose = alone.clone();
        joints.iter().zip(row).for_each(|(&joint, &value)| pose[joint] = Coordinates::scalar(value));
        let mut single = Solver::new(skeleton.clone()).goal(hand, targets[at]);
        assert!(single.solve(&mut alone).stop.is_reached());
        assert_eq!(pose[5..], alone[5..], "{at}: what rests is as in a single solve");
        assert_eq!([row[4], row[5]], [2.0, -0.9]);
        let mut followed = pose.clone();
        skeleton.follow(&mut followed);
        assert_eq!(pose, followed, "{at}: what follows does");
        assert!(skeleton.frames(&pose)[3].point(hand.tip).distance(targets[at].position.unwrap()) < 1e-3);
    }
}
