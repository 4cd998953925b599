//! Tracking with `Settings::max_step`: no joint goes farther in one call, and calls that follow each other arrive.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::display::mix_poses;
use fabrik3d_ik::queries::angle_between;
use fabrik3d_ik::queries::{goal_errors, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Pose, Settings, Skeleton, Solver, Stop};
use fabrik3d_measure::families::{FAMILIES, FamilyCase};
use glam::DVec3;

/// The largest move of a joint: radians, or units of length.
pub(crate) fn moved(skeleton: &Skeleton, from: &[Coordinates], to: &[Coordinates]) -> f64 {
    (0..skeleton.len()).map(|joint| moved_joint(skeleton, joint, from, to)).fold(0.0, f64::max)
}

fn moved_joint(skeleton: &Skeleton, joint: usize, from: &[Coordinates], to: &[Coordinates]) -> f64 {
    let (kind, from, to) = (skeleton.kind(joint), &from[joint], &to[joint]);
    match kind {
        Kind::Fixed => 0.0,
        Kind::Hinge { .. } | Kind::Slide { .. } => (to.value() - from.value()).abs(),
        Kind::Ball { .. } => angle_between(kind.rotation(from), kind.rotation(to)),
        Kind::Free => {
            let shift = from.free_position().distance(to.free_position());
            shift.max(angle_between(from.free_rotation(), to.free_rotation()))
        }
    }
}

fn solver(case: &FamilyCase, max_step: f64) -> Solver {
    let settings = Settings { max_step: Some(max_step), ..Settings::default() };
    case.solver().settings(settings)
}

/// Moves all targets by a shift from where they are in the case.
fn shift_targets(solver: &mut Solver, case: &FamilyCase, shift: DVec3) {
    for (goal, first) in solver.problem.goals.iter_mut().zip(&case.problem.goals) {
        goal.target.position = first.target.position.map(|position| position + shift);
    }
}

#[test]
fn no_joint_goes_farther_than_the_largest_step() {
    let mut random = Random::new(31);
    for family in FAMILIES {
        for _ in 0..6 {
            let case = family.case(&mut random).with_random_start(&mut random);
            let most = random.range(0.005, 0.4);
            let mut solver = solver(&case, most);
            let size = case.skeleton.extent().max(0.1);
            let mut pose = case.start.clone();
            for frame in 0..12 {
                // Glides, jumps, and targets out of reach.
                let shift = random.direction() * size * [0.004, 0.004, 0.5, 3.0][frame % 4];
                shift_targets(&mut solver, &case, shift);
                let before = pose.clone();
                let report = solver.track(&mut pose);
                assert_ne!(report.stop, Stop::Refused, "{}", family.name);
                let way = moved(&case.skeleton, &before, &pose);
                assert!(way <= most + 1e-9, "{}: a step of {way}, not {most}", family.name);
                assert!(worst_violation(&case.skeleton, &pose) <= 1e-12, "{}", family.name);
                let errors = goal_errors(&case.skeleton, &solver.problem, &pose);
                let reached = errors.iter().all(|error| error.position <= 1.001 * solver.settings.tolerance);
                assert!(reached || report.stop != Stop::Reached, "{}: {errors:?}", family.name);
            }
        }
    }
}

#[test]
fn each_joint_keeps_to_its_own_largest_step() {
    let mut random = Random::new(35);
    for family in FAMILIES {
        for _ in 0..6 {
            let case = family.case(&mut random).with_random_start(&mut random);
            let most: Vec<f64> = (0..case.skeleton.len())
                .map(|_| if random.unit() < 0.3 { f64::INFINITY } else { random.range(0.001, 0.3) })
                .collect();
            let all = random.range(0.1, 0.5);
            let mut solver = case.solver().settings(Settings { max_step: Some(all), ..Settings::default() });
            solver.problem.max_steps.clone_from(&most);
            let mut pose = case.start.clone();
            for frame in 0..8 {
                let shift = random.direction() * case.skeleton.extent().max(0.1) * [0.004, 0.5][frame % 2];
                shift_targets(&mut solver, &case, shift);
                let before = pose.clone();
                assert_ne!(solver.track(&mut pose).stop, Stop::Refused, "{}", family.name);
                for joint in 0..case.skeleton.len() {
                    let way = moved_joint(&case.skeleton, joint, &before, &pose);
                    assert!(way <= most[joint].min(all) + 1e-9, "{}, {joint}: {way} {most:?}", family.name);
                }
                assert!(worst_violation(&case.skeleton, &pose) <= 1e-12, "{}", family.name);
            }
        }
    }
    let case = FAMILIES[0].case(&mut random);
    for (steps, says) in [(vec![0.1], "one entry per joint"), (vec![0.0; case.skeleton.len()], "a step is zero")] {
        let mut solver = case.solver();
        solver.problem.max_steps = steps;
        let refusal = solver.check(&case.start).unwrap_err().to_string();
        assert!(refusal.contains(says), "{refusal}");
    }
}

#[test]
fn calls_that_follow_each_other_arrive_where_the_goals_are() {
    let mut random = Random::new(32);
    let (mut cases, mut arrived) = (0, 0);
    for family in FAMILIES {
        for _ in 0..8 {
            let case = family.case(&mut random);
            // Loops are closed at both ends of the way only, and obstacles may be on it.
            if !(case.problem.loops.is_empty() && case.problem.obstacles.is_empty()) {
                continue;
            }
            let joints: Vec<usize> = (0..case.skeleton.len()).collect();
            let mut start = case.witness.clone();
            let away = case.skeleton.random_pose(&mut random);
            mix_poses(&case.skeleton, &joints, &case.witness, &away, 0.15, &mut start);
            case.skeleton.project(&mut start);
            let mut solver = solver(&case, 0.04);
            let mut pose: Pose = start.clone();
            let is_there = |_: &usize| solver.track(&mut pose).stop.is_reached();
            arrived += usize::from((0..60).find(is_there).is_some());
            cases += 1;
        }
    }
    assert!(cases > 150 && arrived * 100 >= 97 * cases, "{arrived} of {cases}");
}

#[test]
fn a_fixed_target_comes_nearer_with_each_step() {
    let mut random = Random::new(33);
    for family in FAMILIES {
        for _ in 0..4 {
            let case = family.case(&mut random);
            if case.problem.goals.len() != 1 || !case.problem.loops.is_empty() || !case.problem.obstacles.is_empty() {
                continue;
            }
            let mut solver = solver(&case, 0.02);
            let far = random.direction() * 2.0 * case.skeleton.extent();
            let goal = &mut solver.problem.goals[0];
            goal.target.position = goal.target.position.map(|position| position + far);
            goal.target.orientation = None;
            let mut pose = case.start.clone();
            let error = |solver: &Solver, pose: &Pose| goal_errors(&case.skeleton, &solver.problem, pose)[0].position;
            for call in 0..30 {
                let before = error(&solver, &pose);
                let _ = solver.track(&mut pose);
                let now = error(&solver, &pose);
                // Poles and homes, which are nice to meet, cost no goal.
                assert!(now <= before * (1.0 + 1e-6) + 1e-9, "{}, call {call}: {before} to {now}", family.name);
            }
        }
    }
}

#[test]
fn an_arm_at_the_edge_of_its_reach_goes_out_and_back_without_a_jump() {
    let mut random = Random::new(34);
    let mut back = 0;
    for name in ["iiwa, pose", "panda, pose"] {
        let family = FAMILIES.iter().find(|family| family.name == name).unwrap();
        for _ in 0..10 {
            let case = family.case(&mut random);
            let mut solver = solver(&case, 0.1);
            let mut pose = case.witness.clone();
            let origin = solver.problem.goals[0].target.position.unwrap();
            let out = random.direction() * 0.004;
            for step in (0..300).chain((0..300).rev()) {
                solver.problem.goals[0].target.position = Some(origin + out * f64::from(step));
                let before = pose.clone();
                let _ = solver.track(&mut pose);
                assert!(moved(&case.skeleton, &before, &pose) <= 0.1 + 1e-9);
            }
            let report = (0..200).map(|_| solver.track(&mut pose)).last().unwrap();
            back += usize::from(report.stop.is_reached());
        }
    }
    // The others have come to rest where a limit is in the way.
    assert!(back >= 18, "{back} of 20");
}
