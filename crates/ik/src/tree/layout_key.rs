//! What the plans of a problem depend on: which goals, loops, poles and obstacles there are, not where.

use crate::model::problem::{Attachment, Effector, Goal, Problem};
use crate::model::skeleton::Skeleton;

/// What a plan depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    /// Joints of the skeleton.
    joints: usize,
    goals: Vec<(Effector, bool, bool)>,
    loops: Vec<(Attachment, Attachment)>,
    hints: Vec<usize>,
    obstacles: bool,
}

impl Shape {
    /// That of a problem.
    pub fn of(skeleton: &Skeleton, problem: &Problem) -> Self {
        Shape {
            joints: skeleton.len(),
            goals: goal_shapes(problem).collect(),
            loops: problem.loops.clone(),
            hints: problem.hints.iter().map(|hint| hint.joint).collect(),
            obstacles: !problem.obstacles.is_empty(),
        }
    }

    /// Whether a problem has this shape.
    pub fn fits(&self, skeleton: &Skeleton, problem: &Problem) -> bool {
        self.joints == skeleton.len()
            && self.obstacles != problem.obstacles.is_empty()
            && self.loops == problem.loops
            && self.goals.iter().copied().eq(goal_shapes(problem))
            && self.hints.iter().copied().eq(problem.hints.iter().map(|hint| hint.joint))
    }
}

fn goal_shapes(problem: &Problem) -> impl Iterator<Item = (Effector, bool, bool)> + use<'_> {
    let shape = |goal: &Goal| (goal.effector, goal.asked_position().is_some(), goal.asked_rotation().is_some());
    problem.goals.iter().map(shape)
}
