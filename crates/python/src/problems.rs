//! From the goals of a call to problems of the solver.

use crate::goals::{Goals, Targets};
use crate::model::Model;
use fabrik3d_ik::{Goal, GoalRank, Problem, Target};

/// The scene's problem without the targets that a call gives. As in `solve --cases`, other effectors that are pinned keep
/// their targets.
pub fn problem_of(model: &Model, goals: &[Goals<'_>]) -> Problem {
    let mut problem = model.scene.problem();
    for goals in goals {
        let at = goals.index.unwrap_or(problem.goals.len());
        if goals.index.is_none() {
            problem.goals.push(Goal::new(goals.effector, Target::default()));
        }
        let goal = &mut problem.goals[at];
        (goal.target, goal.rank) = (Target::default(), GoalRank::Wanted);
        goal.freedom.spin_axis = goals.spin_axis.or(goal.freedom.spin_axis);
    }
    problem
}

/// The indices of the goals of a call in [`problem_of`].
pub fn goal_indices(model: &Model, goals: &[Goals<'_>]) -> Vec<usize> {
    let mut added = model.scene.effectors.len()..;
    goals.iter().filter_map(|goal| goal.index.or_else(|| added.next())).collect()
}

/// Sets the targets of one row.
pub fn set_targets(problem: &mut Problem, indices: &[usize], targets: &[Targets<'_>], row: usize) {
    for (&at, targets) in indices.iter().zip(targets) {
        problem.goals[at].target = targets.row(row);
    }
}
