//! A solver allocates nothing once it has solved its problem.
#![allow(clippy::unwrap_used)]

use crate::counting;

use counting::ALLOCATIONS;
use fabrik3d_ik::Solver;
use fabrik3d_ik::random::Random;
use fabrik3d_measure::families::FAMILIES;
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
