//! Whole turns: of all angles that reach the same pose, the answer is the one next to the start, whatever solves.
#![allow(clippy::unwrap_used)]

use crate::arm_cases::Wanted;
use fabrik3d_ik::joints::Mimic;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_ik::{Coordinates, Effector, Goal, Interval, Joint, Kind, Pose, Problem, Settings, Skeleton, Solver};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// An arm with joints that turn for ever and with joints of several turns, like those of Kinova. `count` joints.
fn arm(count: usize, random: &mut Random) -> (Skeleton, Effector) {
    let kind = |at: usize, random: &mut Random| {
        let range = match at % 3 {
            0 => None,
            1 => Interval::new(-random.range(4.0, 15.0), random.range(4.0, 15.0)).ok(),
            _ => Interval::new(-PI, PI).ok(),
        };
        Kind::Hinge { axis: random.direction(), range }
    };
    let joints = (0..count).map(|at| {
        Joint::new(at.to_string(), at.checked_sub(1), random.direction() * random.range(0.3, 1.0), kind(at, random))
    });
    (Skeleton::new(joints.collect()).unwrap(), Effector::new(count - 1, random.direction() * 0.3))
}

/// A start some turns away, inside the limits, and a problem that another pose solves.
fn case(skeleton: &Skeleton, effector: Effector, wanted: Wanted, random: &mut Random) -> (Pose, Problem) {
    let mut start: Pose = (0..skeleton.len()).map(|_| Coordinates::scalar(random.range(-20.0, 20.0))).collect();
    skeleton.project(&mut start);
    let goal = Goal::new(effector, wanted.target(skeleton, &effector, &skeleton.random_pose(random)));
    (start, Problem { goals: vec![goal], ..Problem::default() })
}

/// No whole turn of a hinge, inside its range, comes nearer to `start`.
fn check(skeleton: &Skeleton, start: &[Coordinates], pose: &[Coordinates], what: &str) {
    assert_eq!(worst_violation(skeleton, pose), 0.0, "{what}");
    for joint in 0..skeleton.len() {
        let Kind::Hinge { range, .. } = skeleton.kind(joint) else { continue };
        let [now, near] = [pose, start].map(|pose| pose[joint].value());
        for turns in -9..=9 {
            let other = now + f64::from(turns) * TAU;
            let fits = range.is_none_or(|range| range.contains(other));
            assert!(
                !fits || (other - near).abs() > (now - near).abs() - 1e-9,
                "{what}: joint {joint} goes from {near} to {now}, and {other} is nearer"
            );
        }
    }
}

#[test]
fn every_answer_is_the_turn_next_to_the_start() {
    let mut random = Random::new(81);
    let verbs = ["solve", "track", "nearest", "many", "many, nearest"];
    for (count, wanted) in [(6, Wanted::Both), (7, Wanted::Both), (4, Wanted::Position), (2, Wanted::Position)] {
        for _ in 0..25 {
            let (skeleton, effector) = arm(count, &mut random);
            let (start, problem) = case(&skeleton, effector, wanted, &mut random);
            for verb in verbs {
                let prefer = if verb.ends_with("nearest") { Prefer::Nearest } else { Prefer::First };
                let mut solver = Solver::new(&skeleton).settings(Settings { prefer, ..Settings::default() });
                let mut poses = vec![start.clone()];
                if verb.starts_with("many") {
                    let _ = solver.solve_many(std::slice::from_ref(&problem), &mut poses);
                } else {
                    solver.problem.clone_from(&problem);
                    let _ = if verb == "track" { solver.track(&mut poses[0]) } else { solver.solve(&mut poses[0]) };
                }
                check(&skeleton, &start, &poses[0], verb);
            }
            let solutions = Solver::new(&skeleton).problem(problem.clone()).solutions(&start, 4);
            solutions.iter().for_each(|pose| check(&skeleton, &start, pose, "solutions"));
        }
    }
}

#[test]
fn rows_of_paths_and_tables_go_on_where_the_row_before_ends() {
    let mut random = Random::new(82);
    for _ in 0..10 {
        let (skeleton, effector) = arm(6, &mut random);
        let (start, _) = case(&skeleton, effector, Wanted::Both, &mut random);
        let problems: Vec<Problem> = (0..20).map(|_| case(&skeleton, effector, Wanted::Both, &mut random).1).collect();
        let mut poses = vec![start.clone(); problems.len()];
        let _ = Solver::new(&skeleton).solve_paths(&problems, &[problems.len()], &mut poses);
        let planned = Solver::new(&skeleton).solve_path(&problems, &start);
        let planned: Vec<Pose> = planned.into_iter().map(|(pose, _)| pose).collect();
        for rows in [poses, planned] {
            let mut before = &start;
            for row in &rows {
                check(&skeleton, before, row, "path");
                before = row;
            }
        }
        let angles: Vec<f64> = start.iter().map(Coordinates::value).collect();
        let targets: Vec<_> = problems.iter().map(|problem| problem.goals[0].target).collect();
        let mut solver = Solver::new(&skeleton).problem(problems[0].clone());
        let mut answers = angles.repeat(targets.len());
        let joints: Vec<usize> = (0..skeleton.len()).collect();
        let _ = solver.solve_rows(&targets, &start, &joints, &mut answers);
        for row in answers.chunks(angles.len()) {
            let pose: Pose = row.iter().map(|&angle| Coordinates::scalar(angle)).collect();
            check(&skeleton, &start, &pose, "table");
        }
    }
}

#[test]
fn a_wrist_turns_on() {
    let hinge = |name: &str, parent, offset, axis| Joint::new(name, parent, offset, Kind::Hinge { axis, range: None });
    let skeleton = Skeleton::new(vec![
        hinge("shoulder", None, DVec3::ZERO, DVec3::Y),
        hinge("elbow", Some(0), DVec3::X, DVec3::Y),
        hinge("wrist", Some(1), DVec3::X, DVec3::X),
    ])
    .unwrap();
    let effector = Effector::new(2, DVec3::X * 0.5);
    let mut pose = vec![Coordinates::scalar(0.3), Coordinates::scalar(-0.8), Coordinates::scalar(0.0)];
    let mut moving = pose.clone();
    let mut solver = Solver::new(&skeleton);
    // Three turns in steps of a tenth of a radian.
    for step in 1..=188 {
        moving[2] = Coordinates::scalar(0.1 * f64::from(step));
        let frame = skeleton.frames(&moving)[2];
        solver.problem.goals = vec![Goal::new(effector, (frame.point(effector.tip), frame.rotation))];
        let before = pose[2].value();
        assert!(solver.track(&mut pose).stop.is_reached());
        assert!((pose[2].value() - before).abs() < 0.11, "step {step}: from {before} to {}", pose[2].value());
    }
    assert!((pose[2].value() - 18.8).abs() < 0.01);
}

#[test]
fn followers_keep_their_angles() {
    // A turn of a joint that others follow at half the speed is half a turn of theirs; at twice the speed, it is two turns.
    for (scale, free) in [(0.5, false), (2.0, true), (-1.0, true)] {
        let hinge =
            |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::Hinge { axis: DVec3::Z, range: None });
        let mut tip = hinge("tip", Some(1), DVec3::X);
        tip.mimic = Some(Mimic { joint: 1, scale, offset: 0.3 });
        let joints = vec![hinge("shoulder", None, DVec3::ZERO), hinge("elbow", Some(0), DVec3::X), tip];
        let skeleton = Skeleton::new(joints).unwrap();
        let effector = Effector::new(2, DVec3::X);
        let mut random = Random::new(83);
        for _ in 0..50 {
            let frame = skeleton.frames(&skeleton.random_pose(&mut random))[2];
            let mut solver = Solver::new(&skeleton).goal(effector, frame.point(effector.tip));
            let mut start: Pose = (0..3).map(|_| Coordinates::scalar(random.range(-20.0, 20.0))).collect();
            skeleton.follow(&mut start);
            let mut pose = start.clone();
            assert!(solver.solve(&mut pose).stop.is_reached());
            assert_eq!(pose[2].value(), scale * pose[1].value() + 0.3);
            let turned = (pose[1].value() - start[1].value()).abs();
            assert!(!free || turned < PI + 1e-9, "{scale}: {turned}");
        }
    }
}
