//! A solver allocates nothing once it has solved its problem.
#![allow(clippy::unwrap_used)]

use crate::counting;

use counting::ALLOCATIONS;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Goal, Joint, KeepClear, Kind, LinkCapsule, Problem, Skeleton, Solver};
use fabrik3d_measure::families::FAMILIES;
use glam::DVec3;
use std::cell::Cell;

#[test]
fn a_solver_does_not_allocate_after_the_first_solves() {
    let mut random = Random::new(3);
    for family in FAMILIES.iter().filter(|family| family.name != "chain of 10, unlimited") {
        let case = family.case(&mut random);
        let (mut solver, mut pose) = (case.solver(), case.start.clone());
        // The number of obstacle rows varies: the first solves allocate enough for all links.
        let problems: Vec<_> = (0..12)
            .map(|_| {
                let mut problem = case.problem.clone();
                for goal in &mut problem.goals {
                    goal.target.position = goal.target.position.map(|position| position + random.ball() * 0.05);
                }
                problem
            })
            .collect();
        let mut run = |solver: &mut Solver| {
            for problem in &problems {
                solver.problem.goals.copy_from_slice(&problem.goals);
                pose.copy_from_slice(&case.start);
                let _ = solver.solve(&mut pose);
                let _ = solver.track(&mut pose);
            }
        };
        run(&mut solver);
        let before = ALLOCATIONS.with(Cell::get);
        run(&mut solver);
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "{}", family.name);
    }
}

#[test]
fn the_solver_of_an_island_that_keeps_clear_does_not_allocate() {
    let ball = |at: usize| Joint::new(format!("{at}"), at.checked_sub(1), DVec3::Y, Kind::UNLIMITED_BALL);
    let skeleton = Skeleton::new((0..8).map(ball).collect()).unwrap();
    let capsules: Vec<_> =
        (0..8).map(|joint| LinkCapsule { joint, ends: [DVec3::ZERO, DVec3::Y], radius: 0.2 }).collect();
    let pairs = KeepClear::separable_pairs(&skeleton, &capsules, &skeleton.rest_pose());
    assert!(!pairs.is_empty());
    let goals = vec![Goal::new(Effector::new(7, DVec3::Y), DVec3::X)];
    let keep_clear = KeepClear { capsules, pairs, margin: 0.1 };
    let problem = Problem { goals, keep_clear, ..Problem::default() };
    let rest = skeleton.rest_pose();
    let mut solver = Solver::new(skeleton).problem(problem);
    let mut pose = rest.clone();
    let mut run = || {
        let mut random = Random::new(3);
        pose.copy_from_slice(&rest);
        for _ in 0..50 {
            solver.set_target(0, random.ball() * 9.0);
            let _ = solver.solve(&mut pose);
            let _ = solver.track(&mut pose);
        }
    };
    run();
    let before = ALLOCATIONS.with(Cell::get);
    run();
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
}
