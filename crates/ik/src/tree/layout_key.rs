//! What a layout depends on: where the joints are on their parents, and which goals, loops, poles, obstacles and
//! capsules there are, but not where. Solvers compare keys to decide whether their layouts are still valid.

use crate::model::problem::{Attachment, Effector, Goal, Problem};
use crate::model::skeleton::Skeleton;
use glam::DVec3;

/// The part of a problem that determines its layouts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LayoutKey {
    /// Offset and stiffness of each joint of the skeleton.
    joints: Vec<(DVec3, f64)>,
    goals: Vec<GoalKey>,
    loops: Vec<(Attachment, Attachment)>,
    poles: Vec<usize>,
    obstacles: bool,
    /// The joint of each capsule, and the pairs that keep clear.
    capsules: Vec<usize>,
    pairs: Vec<[usize; 2]>,
}

impl LayoutKey {
    /// The key of a problem.
    pub fn of(skeleton: &Skeleton, problem: &Problem) -> Self {
        LayoutKey {
            joints: joint_keys(skeleton).collect(),
            goals: goal_keys(problem).collect(),
            loops: problem.loops.clone(),
            poles: problem.poles.iter().map(|pole| pole.joint).collect(),
            obstacles: !problem.obstacles.is_empty(),
            capsules: problem.keep_clear.capsules.iter().map(|capsule| capsule.joint).collect(),
            pairs: problem.keep_clear.pairs.clone(),
        }
    }

    /// Whether a problem has this key, so that layouts made for the key fit it.
    pub fn fits(&self, skeleton: &Skeleton, problem: &Problem) -> bool {
        self.joints.iter().copied().eq(joint_keys(skeleton))
            && self.obstacles != problem.obstacles.is_empty()
            && self.capsules.iter().copied().eq(problem.keep_clear.capsules.iter().map(|capsule| capsule.joint))
            && self.pairs == problem.keep_clear.pairs
            && self.loops == problem.loops
            && self.goals.iter().copied().eq(goal_keys(problem))
            && self.poles.iter().copied().eq(problem.poles.iter().map(|pole| pole.joint))
    }
}

fn joint_keys(skeleton: &Skeleton) -> impl Iterator<Item = (DVec3, f64)> + use<'_> {
    skeleton.joints().iter().map(|joint| (joint.offset, joint.stiffness))
}

/// An effector; whether its position and its orientation are requested, and whether both are fixed.
type GoalKey = (Effector, [bool; 3]);

fn goal_keys(problem: &Problem) -> impl Iterator<Item = GoalKey> + use<'_> {
    let key = |goal: &Goal| {
        let requested = [goal.requested_position().is_some(), goal.requested_rotation().is_some()];
        (goal.effector, [requested[0], requested[1], goal.freedom.is_none()])
    };
    problem.goals.iter().map(key)
}
