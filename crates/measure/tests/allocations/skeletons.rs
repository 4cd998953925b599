//! A rig allocates no memory after the first solves of a problem.
#![allow(clippy::unwrap_used)]

use crate::counting;

use counting::ALLOCATIONS;
use fabrik3d_ik::Rig;
use fabrik3d_ik::random::Random;
use fabrik3d_measure::families::FAMILIES;
use std::cell::Cell;

#[test]
fn a_rig_allocates_nothing_after_the_first_solves() {
    let mut random = Random::new(3);
    for family in FAMILIES.iter().filter(|family| family.name != "chain of 10, unlimited") {
        let case = family.case(&mut random);
        let mut rig = case.rig();
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
        let run = |rig: &mut Rig| {
            for problem in &problems {
                rig.problem.goals.copy_from_slice(&problem.goals);
                rig.set_pose(&case.start);
                let _ = rig.solve();
                let _ = rig.track();
            }
        };
        run(&mut rig);
        let before = ALLOCATIONS.with(Cell::get);
        run(&mut rig);
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "{}", family.name);
    }
}
