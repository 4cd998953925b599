//! All poses that meet the targets of a scene.

use super::cases::solve_cases;
use fabrik3d_ik::arms::{AllSolutions, Coverage};
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::{Pose, Problem, Report, SixAxisArm, Solver};
use fabrik3d_scene::{Case, Outcome, Scene};
use std::time::Instant;

/// The poses that meet the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches {
    /// One per pose, those next to the start pose first. If there is none, that of the usual solve, which says why.
    pub outcomes: Vec<Outcome>,
    /// What they are of all poses that meet the targets.
    pub coverage: Coverage,
}

/// Lists the poses that meet the targets of a case of a scene, or some of infinitely many.
pub fn all_branches(scene: &Scene, case: Case) -> Branches {
    let Case { problem, start, .. } = &case;
    let mut solver = Solver::new(scene.skeleton.clone()).problem(problem.clone()).settings(scene.settings);
    let started = Instant::now();
    let AllSolutions { poses, coverage } = solver.all_solutions(start);
    let micros = started.elapsed().as_secs_f64() * 1e6 / poses.len().max(1) as f64;
    let goal = problem.goals.iter().find(|goal| goal.is_active()).filter(|_| coverage == Coverage::All);
    let arm = goal.and_then(|goal| SixAxisArm::new(&scene.skeleton, &goal.effector).ok());
    let outcome = |pose: Pose| {
        let report = report(scene, problem, &pose);
        let free_joints = arm.as_ref().map(|arm| free_joints(arm, &pose)).unwrap_or_default();
        Outcome { free_joints, ..Outcome::new(scene, problem, pose, report, micros) }
    };
    let outcomes: Vec<Outcome> = poses.into_iter().map(outcome).collect();
    // Where there is no pose, the usual solve says why.
    let outcomes = if outcomes.is_empty() { solve_cases(scene, vec![case]) } else { outcomes };
    Branches { outcomes, coverage }
}

/// The joints that turn freely against each other in a solution.
fn free_joints(arm: &SixAxisArm, pose: &Pose) -> Vec<usize> {
    let angles = std::array::from_fn(|at| pose[arm.joints()[at]].value());
    let free = arm.joints().iter().zip(arm.free_joints(&angles));
    free.filter(|(_, is_free)| *is_free).map(|(&joint, _)| joint).collect()
}

/// The report of a pose that meets all goals.
fn report(scene: &Scene, problem: &Problem, pose: &Pose) -> Report {
    let errors = goal_errors(&scene.skeleton, problem, pose);
    let error = errors.iter().map(|error| error.position).fold(0.0, f64::max);
    Report::reached(error, 1)
}
