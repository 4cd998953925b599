//! A workspace takes no memory from the heap once it has seen its problem.
#![cfg(feature = "measure")]
#![allow(clippy::unwrap_used)]

mod counting;

use counting::ALLOCATIONS;
use fabrik3d::Settings;
use fabrik3d::ik::random::Random;
use fabrik3d::measure::families::FAMILIES;
use fabrik3d::measure::skeletons::workspaces;
use std::cell::Cell;

#[test]
fn a_workspace_allocates_nothing_after_the_first_solves() {
    let mut random = Random::new(3);
    for family in FAMILIES.iter().filter(|family| family.name != "chain of 10, unlimited") {
        let case = family.case(&mut random);
        let mut workspaces = workspaces(&case);
        let mut pose = case.start.clone();
        // Rows of obstacles come and go: the first solves make room for as many as there are links.
        let problems: Vec<_> = (0..12)
            .map(|_| {
                let mut problem = case.problem.clone();
                for goal in &mut problem.goals {
                    goal.target.position = goal.target.position.map(|position| position + random.ball() * 0.05);
                }
                problem
            })
            .collect();
        let mut run = |pose: &mut Vec<_>| {
            for problem in &problems {
                pose.copy_from_slice(&case.start);
                for island in &mut workspaces {
                    let _ = island.solve(&case.skeleton, problem, &Settings::default(), pose);
                }
            }
        };
        run(&mut pose);
        let before = ALLOCATIONS.with(Cell::get);
        run(&mut pose);
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "{}", family.name);
    }
}
