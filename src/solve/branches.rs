//! All poses that meet the targets of a scene.

use super::cases::solve_cases;
use fabrik3d_ik::{NoClosedForm, Pose, Problem, Report, SixAxisArm, Solver, Stop, goal_errors};
use fabrik3d_scene::{Case, Outcome, Scene};
use std::time::Instant;

/// Most poses that a search lists if there is no closed form.
const MOST_BRANCHES: usize = 16;

/// The poses that meet the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches {
    /// One outcome per pose, those next to the start pose first. If there is none, the outcome of the usual solve, which says
    /// why.
    pub outcomes: Vec<Outcome>,
    /// Whether these are all, by a closed form. Otherwise a search found them.
    pub is_complete: bool,
}

/// There are infinitely many poses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{joints} joints reach a target with {equations} coordinates in infinitely many ways\n  {}--nearest gives the pose \
    next to the start",
    if *joints <= 6 { "a whole position and --rotation leave finitely many; " } else { "" }
)]
pub struct Redundant {
    /// Joints that move the effector.
    pub joints: usize,
    /// Coordinates of the target: three of the position, three of the orientation.
    pub equations: usize,
}

/// Lists the poses that meet the targets of a scene.
///
/// # Errors
/// [`Redundant`] if one arm has more joints than the target has coordinates.
pub fn all_branches(scene: &Scene) -> Result<Branches, Redundant> {
    let Case { problem, start } = Case::of(scene);
    let mut is_complete = false;
    let mut goals = problem.goals.iter().filter(|goal| goal.is_active());
    if let (Some(goal), None) = (goals.next(), goals.next()) {
        let equations = goal.fixed_coordinates();
        let arm = SixAxisArm::new(&scene.skeleton, &goal.effector);
        let joints = match arm {
            Ok(_) | Err(NoClosedForm::Geometry | NoClosedForm::NotHinges(_)) => 6,
            Err(NoClosedForm::JointCount(count)) => count,
            Err(NoClosedForm::NotSerial(_)) => 0,
        };
        if joints > equations {
            return Err(Redundant { joints, equations });
        }
        is_complete = arm.is_ok() && equations == 6;
    }
    let mut solver = Solver::new(scene.skeleton.clone()).problem(problem.clone()).settings(scene.settings);
    let started = Instant::now();
    let poses = solver.branches(&start, MOST_BRANCHES);
    let micros = started.elapsed().as_secs_f64() * 1e6 / poses.len().max(1) as f64;
    let outcome = |pose: Pose| {
        let report = report(scene, &problem, &pose);
        Outcome::new(scene, &problem, pose, report, micros)
    };
    let outcomes = if poses.is_empty() {
        solve_cases(scene, vec![Case { problem, start }])
    } else {
        poses.into_iter().map(outcome).collect()
    };
    Ok(Branches { outcomes, is_complete })
}

/// The report of a pose that meets all goals.
fn report(scene: &Scene, problem: &Problem, pose: &Pose) -> Report {
    let errors = goal_errors(&scene.skeleton, problem, pose);
    let error = errors.iter().map(|error| error.position).fold(0.0, f64::max);
    Report { stop: Stop::Reached, error, iterations: 0, refine_steps: 0, attempts: 1 }
}
