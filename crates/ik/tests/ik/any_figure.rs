//! Figures that are no serial arms: the nearest solution, all solutions, and paths, by the laws that hold for arms.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Skeleton, Solver};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_3, TAU};

/// A trunk of two hinges that carries two arms of four hinges, and their hands.
fn two_arms(random: &mut Random) -> (Skeleton, [Effector; 2]) {
    let mut joints: Vec<Joint> = Vec::new();
    let mut hinge = |parent: Option<usize>, random: &mut Random| {
        let range = Interval::new(-random.range(1.0, 2.5), random.range(1.0, 2.5)).ok();
        let offset = random.direction() * random.range(0.3, 0.8);
        joints.push(Joint::new(
            joints.len().to_string(),
            parent,
            offset,
            Kind::Hinge { axis: random.direction(), range },
        ));
        joints.len() - 1
    };
    let root = hinge(None, random);
    let trunk = hinge(Some(root), random);
    let ends = [0, 1].map(|_| (0..4).fold(trunk, |parent, _| hinge(Some(parent), random)));
    (Skeleton::new(joints).unwrap(), ends.map(|end| Effector::new(end, random.direction() * 0.3)))
}

fn problem(skeleton: &Skeleton, effectors: &[Effector], pose: &[Coordinates]) -> Problem {
    let frames = skeleton.frames(pose);
    let goal = |effector: &Effector| Goal::new(*effector, frames[effector.joint].point(effector.tip));
    Problem { goals: effectors.iter().map(goal).collect(), ..Problem::default() }
}

/// The largest move of a hinge.
fn moved(from: &[Coordinates], to: &[Coordinates]) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to.value() - from.value()).abs()).fold(0.0, f64::max)
}

fn errors(skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> f64 {
    goal_errors(skeleton, problem, pose).iter().map(|error| error.position).fold(0.0, f64::max)
}

#[test]
fn the_nearest_solution_of_two_hands_is_next_to_the_start() {
    let mut random = Random::new(61);
    let (mut near, mut nearer, mut sum) = (0, 0, [0.0; 3]);
    for _ in 0..100 {
        let (skeleton, effectors) = two_arms(&mut random);
        let known = skeleton.random_pose(&mut random);
        let mut start = known.clone();
        start.iter_mut().for_each(|angle| *angle = Coordinates::scalar(angle.value() + 0.2 * random.range(-1.0, 1.0)));
        skeleton.project(&mut start);
        let problem = problem(&skeleton, &effectors, &known);
        let found = [Prefer::Nearest, Prefer::First].map(|prefer| {
            let mut pose = start.clone();
            let mut solver = Solver::new(&skeleton).problem(problem.clone());
            solver.settings.prefer = prefer;
            assert!(solver.solve(&mut pose).stop.is_reached());
            assert_eq!(worst_violation(&skeleton, &pose), 0.0);
            assert!(errors(&skeleton, &problem, &pose) <= solver.settings.tolerance);
            moved(&start, &pose)
        });
        near += usize::from(found[0] <= 0.3);
        nearer += usize::from(found[0] <= 1.001 * found[1]);
        sum = [sum[0] + found[0], sum[1] + found[1], sum[2] + moved(&start, &known)];
    }
    assert!(near >= 98 && nearer >= 99, "{near} {nearer}");
    // The descent finds nearer poses than the one that made the targets, and than a solve that does not look for them.
    assert!(sum[0] < 0.8 * sum[1] && sum[0] < 0.8 * sum[2], "{sum:?}");
}

#[test]
fn two_hands_follow_their_paths_without_jumps() {
    let mut random = Random::new(62);
    let (mut jumps, mut missed) = (0, 0);
    for _ in 0..6 {
        let (skeleton, effectors) = two_arms(&mut random);
        let waves: Vec<[f64; 3]> = (0..skeleton.len())
            .map(|_| [random.range(0.2, 0.9), random.range(0.0, TAU), random.range(-0.1, 0.1)])
            .collect();
        let pose = |row: usize| -> Pose {
            let wave = |[size, phase, middle]: &[f64; 3]| middle + size * (TAU * row as f64 / 150.0 + phase).sin();
            waves.iter().map(|own| Coordinates::scalar(wave(own))).collect()
        };
        let problems: Vec<Problem> = (0..150).map(|row| problem(&skeleton, &effectors, &pose(row))).collect();
        let solved = Solver::new(&skeleton).solve_path(&problems, &skeleton.rest_pose());
        for ((pose, report), problem) in solved.iter().zip(&problems) {
            assert_eq!(worst_violation(&skeleton, pose), 0.0);
            missed += usize::from(!report.stop.is_reached());
            assert_eq!(report.stop.is_reached(), errors(&skeleton, problem, pose) <= 1.001e-4);
        }
        jumps += solved.windows(2).filter(|pair| moved(&pair[0].0, &pair[1].0) > FRAC_PI_3).count();
    }
    assert_eq!((jumps, missed), (0, 0));
}

#[test]
fn solutions_of_independent_arms_are_all_combinations() {
    let hinge = |name: &str, parent: Option<usize>, offset: DVec3| {
        Joint::new(name, parent, offset, Kind::Hinge { axis: DVec3::Z, range: None })
    };
    let fixed = Joint::new("base", None, DVec3::ZERO, Kind::Fixed);
    let joints = vec![
        fixed,
        hinge("left shoulder", Some(0), DVec3::X),
        hinge("left elbow", Some(1), DVec3::X),
        hinge("right shoulder", Some(0), -DVec3::X),
        hinge("right elbow", Some(3), -DVec3::X),
        hinge("idle", Some(0), DVec3::Y),
    ];
    let skeleton = Skeleton::new(joints).unwrap();
    let hands = [Effector::new(2, DVec3::X), Effector::new(4, -DVec3::X)];
    let mut pose = skeleton.rest_pose();
    for (joint, angle) in [(1, 0.4), (2, 0.9), (3, -0.3), (4, 1.1), (5, 0.7)] {
        pose[joint] = Coordinates::scalar(angle);
    }
    let mut solver = Solver::new(&skeleton).problem(problem(&skeleton, &hands, &pose));
    let all = solver.solutions(&pose, 100);
    assert_eq!(all.len(), 4);
    assert!(moved(&all[0], &pose) < 1e-3, "the nearest comes first");
    assert!(all.iter().all(|found| found[5] == pose[5]), "what nothing is asked of stays");
    assert_eq!(solver.solutions(&pose, 3), all[..3]);
}
