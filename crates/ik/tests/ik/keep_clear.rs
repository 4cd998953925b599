//! Links as capsules: what is reached is clear, and what can be reached clear is reached.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::collision::{Hull, KeepClear, LinkCapsule, Obstacle};
use fabrik3d_ik::goals::Orientation;
use fabrik3d_ik::queries::{NearPart, clearance, goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{
    Coordinates, Effector, Goal, Interval, Isometry, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver, Stop,
    Target,
};
use glam::{DQuat, DVec3};

/// An arm with the dimensions and ranges of the Franka Emika Panda, and a tool of 0.2 m.
fn arm() -> (Skeleton, Effector) {
    let links = [
        (0.0, 0.333, 0.0, [-2.8973, 2.8973]),
        (0.0, 0.0, -90.0, [-1.7628, 1.7628]),
        (0.0, 0.316, 90.0, [-2.8973, 2.8973]),
        (0.0825, 0.0, 90.0, [-3.0718, -0.0698]),
        (-0.0825, 0.384, -90.0, [-2.8973, 2.8973]),
        (0.0, 0.0, 90.0, [-0.0175, 3.7525]),
        (0.088, 0.0, 90.0, [-2.8973, 2.8973]),
    ];
    let joints = links.into_iter().enumerate().map(|(at, (a, d, twist, [low, high]))| {
        let rest = DQuat::from_rotation_x(f64::to_radians(twist));
        let kind = Kind::Hinge { axis: DVec3::Z, range: Interval::new(low, high).ok() };
        let offset = DVec3::X * a + rest * (DVec3::Z * d);
        Joint { rest, ..Joint::new(format!("{at}"), at.checked_sub(1), offset, kind) }
    });
    (Skeleton::new(joints.collect()).unwrap(), Effector::new(6, DVec3::Z * 0.2))
}

/// Half the sides of the boxes in capsules around links of this length.
fn half(length: f64) -> DVec3 {
    DVec3::new(0.03, 0.04, 0.5 * length)
}

/// The box in a capsule with its joint at `frame`.
fn placed_box(ends: [DVec3; 2], frame: Isometry) -> Obstacle {
    let [a, b] = ends.map(|end| frame.point(end));
    let along = DQuat::from_rotation_arc(DVec3::Z, (ends[1] - ends[0]).normalize());
    let (rotation, half) = (frame.rotation * along, half(a.distance(b)));
    Obstacle::Box { center: a.midpoint(b), rotation, half }
}

/// The hull of that box, in the frame of the joint.
fn box_hull(ends: [DVec3; 2]) -> Hull {
    let Obstacle::Box { center, rotation, half } = placed_box(ends, Isometry::IDENTITY) else { unreachable!() };
    let corner = |at: i32| DVec3::new(f64::from(at & 1), f64::from(at >> 1 & 1), f64::from(at >> 2)) * 2.0 - 1.0;
    let corners: Vec<DVec3> = (0..8).map(|at| center + rotation * (half * corner(at))).collect();
    Hull::new(&corners, 0.0).unwrap()
}

/// The links of the arm as capsules, every other one with a box in it, with the pairs that can touch.
fn bodies(skeleton: &Skeleton, effector: &Effector, margin: f64) -> KeepClear {
    let ends = skeleton.joints().iter().skip(1).map(|joint| joint.offset).chain([effector.tip]);
    let capsules = ends.enumerate().filter(|(_, end)| end.length() > 0.01);
    let capsules = capsules.map(|(joint, end)| {
        let ends = [DVec3::ZERO, end];
        LinkCapsule { hull: (joint % 2 == 1).then(|| box_hull(ends)), ..LinkCapsule::new(joint, ends, 0.05) }
    });
    let capsules: Vec<LinkCapsule> = capsules.collect();
    let bent = skeleton.rest_pose();
    // Boxes of some pairs are next to each other in all poses: no margin would move them apart.
    let without_hulls: Vec<LinkCapsule> =
        capsules.iter().map(|capsule| LinkCapsule { hull: None, ..capsule.clone() }).collect();
    let [pairs, _] = KeepClear::pairs_in(skeleton, &without_hulls, &bent);
    KeepClear { capsules, pairs, margin }
}

/// Obstacles of every kind around the arm, and a floor.
fn obstacles(random: &mut Random) -> Vec<Obstacle> {
    let mut obstacles = vec![Obstacle::HalfSpace { normal: DVec3::Z, offset: -0.06 }];
    for _ in 0..4 {
        let mut point = || DVec3::Z * 0.4 + random.direction() * random.range(0.35, 0.8);
        let [a, b, center] = [point(), point(), point()];
        let (rotation, half) = (random.rotation(), DVec3::new(0.05, 0.1, 0.15));
        obstacles.push(Obstacle::Sphere { center: a, radius: 0.1 });
        obstacles.push(Obstacle::Capsule { ends: [b, b + random.ball() * 0.2], radius: 0.05 });
        obstacles.push(Obstacle::Box { center, rotation, half });
    }
    obstacles
}

fn goal(skeleton: &Skeleton, effector: Effector, pose: &[Coordinates], with_rotation: bool) -> Goal {
    let frame = skeleton.frame_of(Isometry::IDENTITY, pose, effector.joint);
    let orientation = with_rotation.then_some(Orientation::Rotation(frame.rotation));
    Goal::new(effector, Target { orientation, ..Target::from(frame.point(effector.tip)) })
}

/// A pose that is at least this clear.
fn clear_pose(skeleton: &Skeleton, problem: &Problem, least: f64, random: &mut Random) -> Pose {
    let poses = (0..10_000).map(|_| skeleton.random_pose(random));
    let mut clear = poses.filter(|pose| clearance(skeleton, problem, pose).unwrap().distance > least);
    clear.next().expect("the obstacles leave room")
}

/// Whether points of the capsules, taken at random, are in obstacles or in capsules that should keep clear.
fn sampled_overlap(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates], random: &mut Random) -> bool {
    let frames = skeleton.frames(pose);
    let KeepClear { capsules, pairs, .. } = &problem.keep_clear;
    let mut point = |at: usize| {
        let LinkCapsule { joint, ends, radius, ref hull } = capsules[at];
        let Some(hull) = hull else {
            return frames[joint].point(ends[0].lerp(ends[1], random.unit())) + random.direction() * radius;
        };
        let weights: Vec<f64> = hull.points().iter().map(|_| random.unit().powi(3)).collect();
        let sum: DVec3 = hull.points().iter().zip(&weights).map(|(point, weight)| *point * *weight).sum();
        frames[joint].point(sum / weights.iter().sum::<f64>())
    };
    let is_in = |at: usize, point: DVec3| {
        let LinkCapsule { joint, ends, radius, ref hull } = capsules[at];
        let body = match hull {
            Some(_) => placed_box(ends, frames[joint]),
            None => Obstacle::Capsule { ends: ends.map(|end| frames[joint].point(end)), radius },
        };
        body.depth(point) > 1e-9
    };
    let hits_pair = pairs.iter().any(|&[a, b]| (0..30).any(|_| is_in(b, point(a)) || is_in(a, point(b))));
    let mut in_obstacle = |at| {
        let point = point(at);
        problem.obstacles.iter().any(|obstacle| obstacle.depth(point) > 1e-9)
    };
    // The first capsule turns about its own axis.
    hits_pair || (0..capsules.len()).any(|at| (0..30).any(|_| in_obstacle(at)))
}

#[test]
fn poses_that_can_be_reached_clear_are_reached_clear() {
    let (skeleton, effector) = arm();
    let mut random = Random::new(1);
    for with_rotation in [false, true] {
        let (mut reached, mut overlapping_without, count) = (0, 0, 150);
        for _ in 0..count {
            let keep_clear = bodies(&skeleton, &effector, 0.02);
            let mut problem = Problem { obstacles: obstacles(&mut random), keep_clear, ..Problem::default() };
            let witness = clear_pose(&skeleton, &problem, 0.005, &mut random);
            problem.goals = vec![goal(&skeleton, effector, &witness, with_rotation)];
            let start = clear_pose(&skeleton, &problem, 0.005, &mut random);
            let mut pose = start.clone();
            let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
            let found = clearance(&skeleton, &problem, &pose).unwrap();
            assert_eq!(worst_violation(&skeleton, &pose), 0.0);
            if report.stop.is_reached() {
                reached += 1;
                let error = goal_errors(&skeleton, &problem, &pose)[0];
                let settings = Settings::default();
                assert!(error.position <= settings.tolerance && error.angle <= settings.rotation_tolerance);
                assert!(found.distance >= 0.0, "{found:?}");
                assert!(!sampled_overlap(&skeleton, &problem, &pose, &mut random));
            } else {
                assert_eq!(report.stop, Stop::Limited, "{found:?}");
            }
            let mut blind = start;
            let only_goals = Problem { goals: problem.goals.clone(), ..Problem::default() };
            assert!(Solver::new(&skeleton).problem(only_goals).solve(&mut blind).stop.is_reached());
            overlapping_without += usize::from(clearance(&skeleton, &problem, &blind).unwrap().distance < 0.0);
        }
        assert!(reached * 100 >= count * 97, "{reached} of {count}");
        assert!(overlapping_without * 20 > count, "too easy: {overlapping_without} of {count}");
    }
}

/// Many problems at once run in lanes; what they leave goes to the search. Each answer is clear, and depends on its own
/// problem alone.
#[test]
fn many_problems_are_reached_clear() {
    let (skeleton, effector) = arm();
    for (with_rotation, margin) in [(false, 0.0), (true, 0.0), (true, 0.02)] {
        let mut random = Random::new(21);
        let keep_clear = bodies(&skeleton, &effector, margin);
        let around = Problem { obstacles: obstacles(&mut random), keep_clear, ..Problem::default() };
        let problem = |at: usize, random: &mut Random| {
            let witness = match at % 4 {
                0 => skeleton.random_pose(random),
                _ => clear_pose(&skeleton, &around, 0.005, random),
            };
            Problem { goals: vec![goal(&skeleton, effector, &witness, with_rotation)], ..around.clone() }
        };
        let problems: Vec<Problem> = (0..200).map(|at| problem(at, &mut random)).collect();
        let starts: Vec<Pose> = problems.iter().map(|_| skeleton.random_pose(&mut random)).collect();
        let (mut poses, mut solver) = (starts.clone(), Solver::new(&skeleton));
        assert!(solver.runs_in_lanes(&problems[0]));
        let reports = solver.solve_many(&problems, &mut poses);
        let (mut reached, mut reached_alone) = (0, 0);
        for (at, (problem, report)) in problems.iter().zip(&reports).enumerate() {
            let distance = clearance(&skeleton, problem, &poses[at]).unwrap().distance;
            assert_eq!(worst_violation(&skeleton, &poses[at]), 0.0);
            if report.stop.is_reached() {
                reached += 1;
                let (error, settings) = (goal_errors(&skeleton, problem, &poses[at])[0], Settings::default());
                assert!(error.position <= settings.tolerance && error.angle <= settings.rotation_tolerance);
                assert!(distance >= 0.0, "{distance}");
                assert!(!sampled_overlap(&skeleton, problem, &poses[at], &mut random));
            } else {
                assert_eq!(report.stop, Stop::Limited, "{distance}");
            }
            let mut alone = starts[at].clone();
            let scalar = Solver::new(&skeleton).problem(problem.clone()).solve(&mut alone);
            reached_alone += usize::from(scalar.stop.is_reached());
            if at % 5 == 0 {
                let mut pose = [starts[at].clone()];
                let again = Solver::new(&skeleton).solve_many(&problems[at..=at], &mut pose);
                assert_eq!((again[0], &pose[0]), (*report, &poses[at]), "{at}");
            }
        }
        assert!(reached >= reached_alone && reached >= 140, "{reached} {reached_alone}");
    }
}

/// A target that puts the tool into an obstacle takes few attempts, and the answer keeps out of it.
#[test]
fn a_tool_pose_in_an_obstacle_ends_early() {
    let (skeleton, effector) = arm();
    let mut random = Random::new(23);
    let mut in_obstacle = 0;
    for _ in 0..200 {
        let keep_clear = bodies(&skeleton, &effector, 0.0);
        let mut problem = Problem { obstacles: obstacles(&mut random), keep_clear, ..Problem::default() };
        let start = clear_pose(&skeleton, &problem, 0.005, &mut random);
        let there = skeleton.random_pose(&mut random);
        problem.goals = vec![goal(&skeleton, effector, &there, true)];
        let mut tool = problem.clone();
        tool.keep_clear.capsules.retain(|capsule| capsule.joint == effector.joint);
        tool.keep_clear.pairs.clear();
        let depth = -clearance(&skeleton, &tool, &there).unwrap().distance;
        let mut pose = start;
        let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
        if depth > 0.02 {
            in_obstacle += 1;
            assert_eq!(report.stop, Stop::Limited);
            assert!(report.attempts <= 5, "{report:?}");
            // The attempts are few, so that another link may stay in another obstacle.
            assert!(clearance(&skeleton, &problem, &pose).unwrap().distance > -0.05);
        }
    }
    assert!(in_obstacle > 15, "{in_obstacle}");
}

/// The margin moves links apart without costing a goal.
#[test]
fn a_margin_widens_the_distance_and_costs_no_goal() {
    let (skeleton, effector) = arm();
    let mut random = Random::new(2);
    let (mut wider, mut close, count) = (0, 0, 200);
    for _ in 0..count {
        let keep_clear = bodies(&skeleton, &effector, 0.0);
        let mut problem = Problem { obstacles: obstacles(&mut random), keep_clear, ..Problem::default() };
        let witness = clear_pose(&skeleton, &problem, 0.02, &mut random);
        problem.goals = vec![goal(&skeleton, effector, &witness, false)];
        let start = clear_pose(&skeleton, &problem, 0.0, &mut random);
        let mut solve = |margin: f64| {
            problem.keep_clear.margin = margin;
            let mut pose = start.clone();
            let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
            (report.stop.is_reached(), clearance(&skeleton, &problem, &pose).unwrap().distance)
        };
        let ((reached, without), (still_reached, with)) = (solve(0.0), solve(0.04));
        assert_eq!(reached, still_reached);
        assert!(!reached || with >= without.min(0.04) - 1e-9, "{with} {without}");
        if reached && without < 0.04 {
            close += 1;
            wider += usize::from(with > 0.035);
        }
    }
    assert!(close > 30 && wider * 10 > close * 6, "{wider} of {close}");
}

/// A target that moves through the room next to an obstacle: every frame is clear, and no frame jumps far.
#[test]
fn tracking_stays_clear() {
    let (skeleton, effector) = arm();
    let mut random = Random::new(3);
    let (mut reached, mut frames) = (0, 0);
    for _ in 0..12 {
        let keep_clear = bodies(&skeleton, &effector, 0.03);
        let mut problem = Problem { obstacles: obstacles(&mut random), keep_clear, ..Problem::default() };
        let mut pose = clear_pose(&skeleton, &problem, 0.03, &mut random);
        let other = clear_pose(&skeleton, &problem, 0.03, &mut random);
        let [from, to] =
            [&pose, &other].map(|pose| goal(&skeleton, effector, pose, false).target.position.unwrap_or_default());
        problem.goals = vec![goal(&skeleton, effector, &pose, false)];
        let mut solver = Solver::new(&skeleton).problem(problem.clone());
        for frame in 0..=100 {
            let target = from.lerp(to, f64::from(frame) / 100.0);
            solver.set_target(0, target);
            let report = solver.track(&mut pose);
            frames += 1;
            if report.stop.is_reached() {
                reached += 1;
                assert!(clearance(&skeleton, &problem, &pose).unwrap().distance >= 0.0);
            }
        }
    }
    // Some targets are inside obstacles or too close to them.
    assert!(reached * 10 > frames * 7, "{reached} of {frames}");
}

#[test]
fn a_target_in_an_obstacle_is_limited_and_says_what_is_in_the_way() {
    let (skeleton, effector) = arm();
    let center = DVec3::new(0.5, 0.0, 0.4);
    let obstacle = Obstacle::Box { center, rotation: DQuat::IDENTITY, half: DVec3::splat(0.1) };
    let problem = Problem {
        goals: vec![Goal::new(effector, center)],
        obstacles: vec![obstacle],
        keep_clear: bodies(&skeleton, &effector, 0.0),
        ..Problem::default()
    };
    let mut pose = skeleton.rest_pose();
    let report = Solver::new(&skeleton).problem(problem.clone()).solve(&mut pose);
    assert_eq!(report.stop, Stop::Limited);
    let nearest = clearance(&skeleton, &problem, &pose).unwrap();
    // The pose touches the box and is not in it: the goal gives way.
    assert!(nearest.distance.abs() < 1e-3, "{nearest:?}");
    assert_eq!(nearest.other, NearPart::Obstacle(0));
    assert_eq!(problem.keep_clear.capsules[nearest.capsule].joint, 6);
}

#[test]
fn neighbors_and_parts_of_one_body_are_no_pairs() {
    let (skeleton, effector) = arm();
    let keep_clear = bodies(&skeleton, &effector, 0.0);
    assert!(!keep_clear.pairs.is_empty());
    for &[a, b] in &keep_clear.pairs {
        let [a, b] = [a, b].map(|at| keep_clear.capsules[at].joint);
        assert!(a.abs_diff(b) > 1, "{a} {b}");
    }
    let problem = Problem { keep_clear, ..Problem::default() };
    assert!(clearance(&skeleton, &problem, &skeleton.rest_pose()).unwrap().distance > 0.0);
    assert_eq!(clearance(&skeleton, &Problem::default(), &skeleton.rest_pose()), None);
}

#[test]
fn bodies_with_two_joints_between_them_are_pairs() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let count = 2 + random.index(9);
        let joint = |at: usize| {
            let kind = if random.unit() < 0.4 { Kind::Fixed } else { Kind::UNLIMITED_BALL };
            Joint::new(at.to_string(), (at > 0).then(|| random.index(at)), random.direction(), kind)
        };
        let skeleton = Skeleton::new((0..count).map(joint).collect()).expect("a tree");
        let point = |joint| LinkCapsule { joint, ends: [random.direction(); 2], radius: 0.0, hull: None };
        let capsules: Vec<LinkCapsule> = (0..count).map(point).collect();
        let moving = |joint: usize| skeleton.ancestors(joint).filter(|&at| skeleton.kind(at).can_move());
        // The joints that move one of the two and not the other one.
        let between = |a: usize, b: usize| {
            let alone = |a, b| moving(a).filter(|&at| moving(b).all(|other| other != at)).count();
            alone(a, b) + alone(b, a)
        };
        let pairs = (0..count).flat_map(|b| (0..b).map(move |a| [a, b]));
        let expected: Vec<[usize; 2]> = pairs.filter(|&[a, b]| between(a, b) >= 2).collect();
        let found = KeepClear::pairs_in(&skeleton, &capsules, &skeleton.rest_pose());
        assert_eq!(found, [expected, Vec::new()], "seed {seed}");
    }
}

#[test]
fn capsules_that_do_not_fit_are_refused() {
    let (skeleton, effector) = arm();
    let refused = |change: fn(&mut KeepClear)| {
        let mut keep_clear = bodies(&skeleton, &effector, 0.01);
        change(&mut keep_clear);
        let problem = Problem { keep_clear, ..Problem::default() };
        let mut pose = skeleton.rest_pose();
        assert_eq!(Solver::new(&skeleton).problem(problem).solve(&mut pose).stop, Stop::Refused);
    };
    refused(|keep| keep.capsules[0].joint = 99);
    refused(|keep| keep.capsules[0].radius = -1.0);
    refused(|keep| keep.capsules[0].ends[1].x = f64::NAN);
    refused(|keep| keep.pairs.push([0, 99]));
    refused(|keep| keep.pairs.push([1, 1]));
    refused(|keep| keep.margin = f64::INFINITY);
}

/// Two arms on roots of their own, and beside each other on one root that cannot move: their links keep clear of each
/// other, so they are one island.
#[test]
fn separate_arms_keep_clear_of_each_other() {
    let (single, effector) = arm();
    let count = single.len();
    let mut random = Random::new(11);
    for shares_root in [false, true] {
        let root = Joint::new("root", None, DVec3::ZERO, Kind::Fixed);
        let mut joints = if shares_root { vec![root] } else { Vec::new() };
        let firsts = [0, 1].map(|arm| {
            let first = joints.len();
            for (at, own) in single.joints().iter().enumerate() {
                let parent = own.parent.map(|parent| first + parent).or(shares_root.then_some(0));
                let shift = if at == 0 { DVec3::X * (0.5 * f64::from(arm)) } else { DVec3::ZERO };
                let name = format!("{arm}.{at}");
                joints.push(Joint { name, parent, offset: own.offset + shift, ..own.clone() });
            }
            first
        });
        let pair = Skeleton::new(joints).unwrap();
        let capsules: Vec<LinkCapsule> = firsts
            .iter()
            .flat_map(|first| {
                let own = bodies(&single, &effector, 0.0).capsules;
                own.into_iter().map(move |capsule| LinkCapsule { joint: first + capsule.joint, ..capsule })
            })
            .collect();
        let [pairs, _] = KeepClear::pairs_in(&pair, &capsules, &pair.rest_pose());
        let keep_clear = KeepClear { capsules, pairs, margin: 0.0 };
        let effectors = firsts.map(|first| Effector { joint: first + count - 1, ..effector });
        let mut problem = Problem { keep_clear, ..Problem::default() };
        let islands = pair.islands(problem.ties());
        assert!(islands.iter().any(|island| effectors.iter().all(|effector| island.has(effector.joint))));
        let (mut reached, mut overlapping_without) = (0, 0);
        for _ in 0..60 {
            let witness = clear_pose(&pair, &problem, 0.01, &mut random);
            problem.goals = effectors.iter().map(|&effector| goal(&pair, effector, &witness, false)).collect();
            let start = clear_pose(&pair, &problem, 0.01, &mut random);
            let (mut pose, mut blind) = (start.clone(), start);
            if Solver::new(&pair).problem(problem.clone()).solve(&mut pose).stop.is_reached() {
                reached += 1;
                assert!(clearance(&pair, &problem, &pose).unwrap().distance >= 0.0);
            }
            let only_goals = Problem { goals: problem.goals.clone(), ..Problem::default() };
            let _ = Solver::new(&pair).problem(only_goals).solve(&mut blind);
            overlapping_without += usize::from(clearance(&pair, &problem, &blind).unwrap().distance < 0.0);
        }
        assert!(reached >= 57, "{reached} of 60");
        assert!(overlapping_without > 2, "too easy: {overlapping_without}");
    }
}

/// Among thousands of obstacles, the nearest one is that which asking about each alone finds.
#[test]
fn the_nearest_of_many_obstacles_is_the_nearest_of_each() {
    let (skeleton, effector) = arm();
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let around: Vec<Obstacle> = (0..600 + 400 * seed)
            .map(|at| {
                let (center, radius) = (random.ball() * 20.0, random.range(0.0, 0.3));
                match at % 3 {
                    0 => Obstacle::Sphere { center, radius },
                    1 => Obstacle::Capsule { ends: [center, center + random.ball()], radius },
                    _ => Obstacle::Box { center, rotation: random.rotation(), half: DVec3::new(0.1, radius, 0.5) },
                }
            })
            .collect();
        let mut problem = Problem { keep_clear: bodies(&skeleton, &effector, 0.02), ..Problem::default() };
        problem.keep_clear.pairs.clear();
        let pose = skeleton.random_pose(&mut random);
        let alone = around.iter().map(|&obstacle| {
            problem.obstacles = vec![obstacle];
            clearance(&skeleton, &problem, &pose).unwrap().distance
        });
        let (nearest, distance) = alone.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        problem.obstacles = around;
        let found = clearance(&skeleton, &problem, &pose).unwrap();
        assert_eq!((found.other, found.distance), (NearPart::Obstacle(nearest), distance), "seed {seed}");
    }
}
