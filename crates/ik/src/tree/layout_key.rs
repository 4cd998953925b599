//! What the layouts of a problem depend on: which goals, loops, poles and obstacles there are, not where.

use crate::model::problem::{Attachment, Effector, Goal, Problem};
use crate::model::skeleton::Skeleton;

/// What a layout depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LayoutKey {
    /// Joints of the skeleton.
    joints: usize,
    goals: Vec<(Effector, bool, bool)>,
    loops: Vec<(Attachment, Attachment)>,
    poles: Vec<usize>,
    obstacles: bool,
}

impl LayoutKey {
    /// That of a problem.
    pub fn of(skeleton: &Skeleton, problem: &Problem) -> Self {
        LayoutKey {
            joints: skeleton.len(),
            goals: goal_keys(problem).collect(),
            loops: problem.loops.clone(),
            poles: problem.poles.iter().map(|pole| pole.joint).collect(),
            obstacles: !problem.obstacles.is_empty(),
        }
    }

    /// Whether a problem has this shape.
    pub fn fits(&self, skeleton: &Skeleton, problem: &Problem) -> bool {
        self.joints == skeleton.len()
            && self.obstacles != problem.obstacles.is_empty()
            && self.loops == problem.loops
            && self.goals.iter().copied().eq(goal_keys(problem))
            && self.poles.iter().copied().eq(problem.poles.iter().map(|pole| pole.joint))
    }
}

fn goal_keys(problem: &Problem) -> impl Iterator<Item = (Effector, bool, bool)> + use<'_> {
    let shape = |goal: &Goal| (goal.effector, goal.asked_position().is_some(), goal.asked_rotation().is_some());
    problem.goals.iter().map(shape)
}
