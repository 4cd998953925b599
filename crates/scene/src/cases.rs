//! One of many problems on the same scene.

use crate::Scene;
use fabrik3d_ik::{Pose, Problem};

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
}
