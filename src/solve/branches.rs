//! All poses that meet the targets of a scene.

use super::cases::solve_cases;
use fabrik3d_ik::queries::goal_errors;
use fabrik3d_ik::{Effector, Pose, Problem, Report, SixAxisArm, Skeleton, Solver, Stop};
use fabrik3d_scene::{Case, Outcome, Scene};
use std::time::Instant;

/// Most poses that are listed. An arm with six hinges has at most sixteen.
const MOST_BRANCHES: usize = 16;

/// The poses that meet the targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches {
    /// One per pose, those next to the start pose first. If there is none, that of the usual solve, which says why.
    pub outcomes: Vec<Outcome>,
    /// Whether these are all, as for an arm with six hinges. Otherwise a search found them.
    pub is_complete: bool,
}

/// There are infinitely many poses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{freedoms} {} a target with {equations} coordinates in infinitely many ways\n  {}--nearest gives the pose \
    next to the start",
    if *has_balls { "degrees of freedom of the joints reach" } else { "joints reach" },
    if *freedoms <= 6 { "a whole position and --rotation leave finitely many; " } else { "" }
)]
pub struct Redundant {
    /// Degrees of freedom of the joints that move the effector: one per hinge or slide, three per ball, six per free joint.
    pub freedoms: usize,
    /// Whether some of these joints have several.
    pub has_balls: bool,
    /// Coordinates of the target: three of the position, three of the orientation.
    pub equations: usize,
}

/// Lists the poses that meet the targets of a case of a scene.
///
/// # Errors
/// [`Redundant`] if the joints of one arm have more degrees of freedom than the target has coordinates.
pub fn all_branches(scene: &Scene, case: Case) -> Result<Branches, Redundant> {
    let Case { problem, start, .. } = &case;
    let mut arm = None;
    let mut goals = problem.goals.iter().filter(|goal| goal.is_active());
    if let (Some(goal), None) = (goals.next(), goals.next()) {
        let freedoms = freedoms(&scene.skeleton, &goal.effector);
        let equations = match freedoms[..] {
            // A ball alone turns about the line to its tip. The distance of the target is none of its choices.
            [3] if !goal.requests_orientation() => goal.fixed_coordinates().min(2),
            _ => goal.fixed_coordinates(),
        };
        let [count, most] = [freedoms.iter().sum(), freedoms.iter().copied().max().unwrap_or_default()];
        // The loops take away some of them.
        if problem.loops.is_empty() && count > equations {
            return Err(Redundant { freedoms: count, has_balls: most > 1, equations });
        }
        arm = SixAxisArm::new(&scene.skeleton, &goal.effector).ok().filter(|_| equations == 6);
    }
    let mut solver = Solver::new(scene.skeleton.clone()).problem(problem.clone()).settings(scene.settings);
    let started = Instant::now();
    let poses = solver.solutions(start, MOST_BRANCHES);
    let micros = started.elapsed().as_secs_f64() * 1e6 / poses.len().max(1) as f64;
    let outcome = |pose: Pose| {
        let report = report(scene, problem, &pose);
        let free_joints = arm.as_ref().map(|arm| free_joints(arm, &pose)).unwrap_or_default();
        Outcome { free_joints, ..Outcome::new(scene, problem, pose, report, micros) }
    };
    let outcomes: Vec<Outcome> = poses.into_iter().map(outcome).collect();
    let is_complete = arm.is_some();
    Ok(Branches { outcomes: if outcomes.is_empty() { solve_cases(scene, vec![case]) } else { outcomes }, is_complete })
}

/// The joints that turn freely against each other in a solution.
fn free_joints(arm: &SixAxisArm, pose: &Pose) -> Vec<usize> {
    let angles = std::array::from_fn(|at| pose[arm.joints()[at]].value());
    let free = arm.joints().iter().zip(arm.free_joints(&angles));
    free.filter(|(_, is_free)| *is_free).map(|(&joint, _)| joint).collect()
}

/// The degrees of freedom of each joint that moves an effector. Joints that follow one leader count once.
fn freedoms(skeleton: &Skeleton, effector: &Effector) -> Vec<usize> {
    let leader = |joint: usize| skeleton.joints()[joint].mimic.map_or(joint, |mimic| mimic.joint);
    let mut moving: Vec<usize> = effector.chain_joints(skeleton).map(leader).collect();
    moving.sort_unstable();
    moving.dedup();
    moving.into_iter().map(|joint| skeleton.kind(joint).degrees_of_freedom()).filter(|&count| count > 0).collect()
}

/// The report of a pose that meets all goals.
fn report(scene: &Scene, problem: &Problem, pose: &Pose) -> Report {
    let errors = goal_errors(&scene.skeleton, problem, pose);
    let error = errors.iter().map(|error| error.position).fold(0.0, f64::max);
    Report { stop: Stop::Reached, error, iterations: 0, refine_steps: 0, attempts: 1 }
}
