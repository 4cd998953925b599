//! After its first solve a solver allocates nothing, whatever happens then: the first target out of reach, the first contact,
//! the first restart.
#![allow(clippy::unwrap_used)]

use crate::counting::ALLOCATIONS;
use fabrik3d_ik::collision::Obstacle;
use fabrik3d_ik::goals::{Attachment, CustomGoal, GoalRank, Orientation, Residual};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Pose, Problem, Settings, SixAxisArm, Skeleton, Solver};
use fabrik3d_measure::families::FAMILIES;
use fabrik3d_scene::Scene;
use glam::DVec3;
use std::cell::Cell;
use std::num::NonZeroU32;
use std::path::Path;

/// Solves and tracks problems that differ in their targets, after one solve; returns the number of allocations.
fn late_allocations(skeleton: &Skeleton, problem: &Problem, start: &Pose, random: &mut Random) -> u32 {
    // Few attempts are enough to start from everywhere.
    let whole = Settings { max_attempts: NonZeroU32::new(8).unwrap(), ..Settings::default() };
    let divided = Settings::realtime();
    [whole, divided].map(|settings| late_allocations_with(settings, skeleton, problem, start, random)).iter().sum()
}

fn late_allocations_with(
    settings: Settings,
    skeleton: &Skeleton,
    problem: &Problem,
    start: &Pose,
    random: &mut Random,
) -> u32 {
    let size = skeleton.extent().max(0.1);
    let mut solver = Solver::new(skeleton).problem(problem.clone()).settings(settings);
    let mut pose = start.clone();
    let _ = solver.solve(&mut pose);
    let before = ALLOCATIONS.with(Cell::get);
    for round in 0..12 {
        for (own, first) in solver.problem.goals.iter_mut().zip(&problem.goals) {
            let shift = match round {
                // Standing still, out of reach, somewhere, and next to where they were.
                0 | 6 => DVec3::ZERO,
                1 | 7 => random.direction() * 9.0 * size,
                2 | 3 | 8 | 9 => random.ball() * size,
                _ => random.ball() * 0.05 * size,
            };
            own.target.position = first.target.position.map(|position| position + shift);
            if let Some(Orientation::Rotation(rotation)) = &mut own.target.orientation
                && round % 2 == 1
            {
                *rotation = random.rotation();
            }
        }
        if round % 3 == 0 {
            pose.copy_from_slice(start);
        }
        let _ = solver.solve(&mut pose);
        for _ in 0..3 {
            let _ = solver.track(&mut pose);
        }
    }
    ALLOCATIONS.with(Cell::get) - before
}

/// Whether a closed form takes over what a search misses. It lists its solutions.
fn has_closed_form(skeleton: &Skeleton, problem: &Problem) -> bool {
    problem.goals.iter().any(|goal| goal.requests_orientation() && SixAxisArm::new(skeleton, &goal.effector).is_ok())
}

#[test]
fn a_solver_allocates_nothing_after_its_first_solve() {
    let mut random = Random::new(17);
    for family in FAMILIES {
        let case = family.case(&mut random);
        let late = late_allocations(&case.skeleton, &case.problem, &case.start, &mut random);
        assert_eq!(late, 0, "{}", family.name);
        // The same with obstacles about one place, where targets lead.
        let mut problem = case.problem.clone();
        let size = case.skeleton.extent();
        let center = random.direction() * 2.0 * size;
        let sphere = |at: i32| Obstacle::Sphere { center, radius: (1.2 + 0.05 * f64::from(at)) * size };
        problem.obstacles.extend((0..8).map(sphere));
        let late = late_allocations(&case.skeleton, &problem, &case.start, &mut random);
        assert_eq!(late, 0, "{} among obstacles", family.name);
        // The same with goals that only the caller knows, of every rank.
        let mut problem = case.problem.clone();
        let ends = problem.goals.iter().map(|goal| Attachment { joint: goal.effector.joint, point: goal.effector.tip });
        let ends: Vec<Attachment> = ends.collect();
        problem.custom_goals = [GoalRank::Firm, GoalRank::Wanted, GoalRank::Preferred]
            .map(|rank| CustomGoal { rank, ..CustomGoal::new(ends.clone(), Lift) })
            .to_vec();
        let late = late_allocations(&case.skeleton, &problem, &case.start, &mut random);
        assert_eq!(late, 0, "{} with custom goals", family.name);
    }
}

/// Points that should lie above the ground.
#[derive(Debug)]
struct Lift;

impl Residual for Lift {
    fn at(&self, points: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        for (point, gradient) in points.iter().zip(gradient) {
            *gradient = if point.z < 0.0 { DVec3::NEG_Z } else { DVec3::ZERO };
        }
        points.iter().map(|point| (-point.z).max(0.0)).sum()
    }
}

#[test]
fn the_solvers_of_the_example_scenes_allocate_nothing_after_their_first_solves() {
    let mut random = Random::new(18);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20);
    for file in files {
        let scene = Scene::open(&file).unwrap();
        let problem = scene.problem();
        let late = late_allocations(&scene.skeleton, &problem, &scene.start, &mut random);
        assert!(late == 0 || has_closed_form(&scene.skeleton, &problem), "{}: {late}", file.display());
    }
}
