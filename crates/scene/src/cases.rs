//! One of many problems on the same scene.

use crate::{EffectorMode, Scene, SceneEffector};
use fabrik3d_ik::{Goal, Pose, Problem, Target};

/// A problem and the pose to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Goals and constraints.
    pub problem: Problem,
    /// Start pose, inside the limits.
    pub start: Pose,
}

impl Case {
    /// The scene's own problem and start pose.
    pub fn of(scene: &Scene) -> Self {
        Case { problem: scene.problem(), start: scene.start.clone() }
    }

    /// Whether there is nothing to reach: no target is given, and all effectors of the scene are free, as those of a URDF
    /// file are. Every pose would count as reached.
    pub(crate) fn lacks_targets(&self, scene: &Scene) -> bool {
        let is_free = |effector: &SceneEffector| effector.hold == EffectorMode::Free;
        let is_empty = |goal: &Goal| goal.target == Target::default();
        !scene.effectors.is_empty() && scene.effectors.iter().all(is_free) && self.problem.goals.iter().all(is_empty)
    }
}
