//! One of many problems on the same scene.

use crate::Scene;
use fabrik3d_ik::{Pose, Problem};

/// A problem, and the pose to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What is asked.
    pub problem: Problem,
    /// Where to start, inside the limits.
    pub start: Pose,
}

impl Case {
    /// What the scene itself asks.
    pub fn of(scene: &Scene) -> Self {
        Case { problem: scene.problem(), start: scene.start.clone() }
    }
}
