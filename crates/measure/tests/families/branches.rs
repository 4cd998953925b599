//! Several poses for the same goals: distinct, inside the limits, and all of them solutions.
#![allow(clippy::unwrap_used)]

use crate::gathered;

use fabrik3d_ik::display::pose_distance;
use fabrik3d_ik::queries::{goal_errors, loop_gaps, worst_violation};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Goal, Pose, Problem, Settings, Skeleton, Solver};
use fabrik3d_measure::families::FAMILIES;
use fabrik3d_scene::Scene;
use gathered::gathered;

fn check(skeleton: &Skeleton, problem: &Problem, settings: &Settings, start: &[Coordinates], poses: &[Pose]) {
    let joints: Vec<usize> = (0..skeleton.len()).collect();
    let distance = |a: &[Coordinates], b: &[Coordinates]| pose_distance(skeleton, &joints, a, b, 1e9);
    for (at, pose) in poses.iter().enumerate() {
        assert!(worst_violation(skeleton, pose) <= 1e-12);
        for error in goal_errors(skeleton, problem, pose) {
            assert!(error.position <= settings.tolerance && error.angle <= settings.rotation_tolerance, "{error:?}");
        }
        assert!(loop_gaps(skeleton, problem, pose).iter().all(|&gap| gap < 1e-4));
        assert!(poses[..at].iter().all(|other| other != pose));
    }
    // Branches are sorted by distance from the start. That distance weighs slides by the reach and `distance` does not, so
    // skip skeletons with slides.
    if skeleton
        .joints()
        .iter()
        .all(|joint| !matches!(joint.kind, fabrik3d_ik::Kind::Slide { .. } | fabrik3d_ik::Kind::Free))
    {
        assert!(poses.windows(2).all(|pair| distance(start, &pair[0]) <= distance(start, &pair[1])));
        for (at, pose) in poses.iter().enumerate() {
            assert!(poses[..at].iter().all(|other| distance(other, pose) > 0.2));
        }
    }
}

#[test]
fn branches_are_distinct_solutions() {
    let mut random = Random::new(31);
    let settings = Settings { max_attempts: 10.try_into().unwrap(), ..Settings::default() };
    for family in FAMILIES {
        let case = family.case(&mut random);
        let poses = case.solver().settings(settings).solutions(&case.start, 3);
        check(&case.skeleton, &case.problem, &settings, &case.start, &poses);
        assert!(poses.len() <= 3);
        assert_eq!(poses, case.solver().settings(settings).solutions(&case.start, 3), "{}", family.name);
    }
}

#[test]
fn ur5_has_eight_branches() {
    let Some(file) = gathered("robots/ur_description/urdf/ur5_robot.urdf") else { return };
    let scene = Scene::open(file).unwrap();
    let effector = scene.effectors[0].effector;
    let mut random = Random::new(32);
    let mut eights = 0;
    for case in 0..20 {
        let there = scene.skeleton.random_pose(&mut random);
        let frame = scene.skeleton.frames(&there)[effector.joint];
        let goal = Goal::new(effector, (frame.point(effector.tip), frame.rotation));
        let problem = Problem { goals: vec![goal], ..Problem::default() };
        let poses = Solver::new(scene.skeleton.clone())
            .problem(problem.clone())
            .settings(scene.settings)
            .solutions(&scene.start, 12);
        check(&scene.skeleton, &problem, &scene.settings, &scene.start, &poses);
        // Near the boundary of the workspace, branches vanish in pairs. There are never more than eight.
        eights += usize::from(poses.len() == 8);
        assert!((2..=8).contains(&poses.len()), "{}", poses.len());
        if case < 5 {
            // Ten times as many attempts with another seed find no more: these are all.
            let thorough = Settings { seed: 99, max_attempts: 500.try_into().unwrap(), ..scene.settings };
            let more = Solver::new(scene.skeleton.clone())
                .problem(problem.clone())
                .settings(thorough)
                .solutions(&scene.start, 12);
            assert_eq!(more.len(), poses.len());
        }
    }
    assert!(eights >= 10, "{eights} of 20");
}

#[test]
fn the_solution_whose_joints_turn_least_comes_first() {
    let Some(file) = gathered("robots/ur_description/urdf/ur5_joint_limited_robot.urdf") else { return };
    let scene = Scene::open(file).unwrap();
    let effector = scene.effectors[0].effector;
    let mut random = Random::new(34);
    let mut beyond_half_a_turn = 0;
    for case in 0..40 {
        let there = scene.skeleton.random_pose(&mut random);
        let frame = scene.skeleton.frames(&there)[effector.joint];
        let start = scene.skeleton.random_pose(&mut random);
        let mut solver = Solver::new(scene.skeleton.clone())
            .settings(scene.settings)
            .goal(effector, (frame.point(effector.tip), frame.rotation));
        let poses = solver.solutions(&start, 12);
        // All joints have limits, so none can take the other way around.
        let most = |pose: &Pose| {
            let turns = scene.skeleton.joints().iter().enumerate();
            let turns = turns.filter(|(_, joint)| matches!(joint.kind, fabrik3d_ik::Kind::Hinge { .. }));
            turns.map(|(at, _)| (pose[at].value() - start[at].value()).abs()).fold(0.0, f64::max)
        };
        let moves: Vec<f64> = poses.iter().map(most).collect();
        assert!(moves.is_sorted(), "case {case}: {moves:?}");
        let mut nearest = start.clone();
        assert!(solver.solve_nearest(&mut nearest).stop.is_reached(), "case {case}");
        assert!((most(&nearest) - moves[0]).abs() < 1e-6, "case {case}: {} {moves:?}", most(&nearest));
        beyond_half_a_turn += usize::from(moves.iter().any(|&turn| turn > std::f64::consts::PI));
    }
    assert!(beyond_half_a_turn > 20, "{beyond_half_a_turn}");
}

#[test]
fn a_start_that_meets_the_goals_is_the_nearest_pose() {
    let mut random = Random::new(35);
    let mut met = 0;
    for family in FAMILIES {
        for _ in 0..10 {
            let case = family.case(&mut random);
            let (mut solver, mut pose) = (case.solver(), case.start.clone());
            if !solver.solve(&mut pose).stop.is_reached() {
                continue;
            }
            let start = pose.clone();
            let report = solver.solve_nearest(&mut pose);
            assert_eq!((pose, report.iterations, report.refine_steps), (start, 0, 0), "{}", family.name);
            met += 1;
        }
    }
    assert!(met > 5 * FAMILIES.len(), "{met}");
}

#[test]
fn invalid_requests_give_no_branches() {
    let mut random = Random::new(33);
    let case = FAMILIES[0].case(&mut random);
    assert!(case.solver().solutions(&case.start, 0).is_empty());
    assert!(case.solver().solutions(&[], 3).is_empty());
    assert!(!case.solver().set_target(99, glam::DVec3::X), "there is no goal 99");
}
