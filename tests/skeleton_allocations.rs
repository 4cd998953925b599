//! A workspace takes no memory from the heap once it has seen its problem.
#![cfg(feature = "measure")]
#![allow(clippy::unwrap_used)]
// A counting allocator cannot be written without `unsafe`; it only counts and passes on.
#![allow(unsafe_code)]

use fabrik3d::Settings;
use fabrik3d::ik::random::Random;
use fabrik3d::measure::families::FAMILIES;
use fabrik3d::measure::skeletons::workspaces;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u32> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise about `layout` is passed on as it is.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: every pointer comes from `alloc` above, so from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
