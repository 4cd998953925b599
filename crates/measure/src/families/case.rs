//! A problem with a known solution.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Pose, Problem, Rig, Skeleton};

/// One problem with a known solution.
#[derive(Clone, Debug)]
pub struct Case {
    /// The joints.
    pub skeleton: Skeleton,
    /// What is asked.
    pub problem: Problem,
    /// The pose to start from: at rest, or near for mechanisms whose loops must begin closed.
    pub start: Pose,
    /// A pose inside all limits that meets everything that is asked.
    pub witness: Pose,
}

impl Case {
    /// The same problem, to be started from a random pose; free joints stay at rest, closed loops closed.
    #[must_use]
    pub fn from_anywhere(mut self, random: &mut Random) -> Self {
        if self.problem.loops.is_empty() {
            let rest = self.skeleton.rest_pose();
            self.start = self.skeleton.random_pose(random);
            for (i, joint) in self.skeleton.joints().iter().enumerate() {
                if joint.kind == Kind::Free {
                    self.start[i] = rest[i];
                }
            }
        }
        self
    }

    /// The problem put to its skeleton, in the start pose.
    pub fn rig(&self) -> Rig {
        let mut rig = Rig::new(self.skeleton.clone());
        rig.problem = self.problem.clone();
        rig.set_pose(&self.start);
        rig
    }

    /// The problem whose targets are where the effectors are in `pose`.
    pub fn problem_at(&self, pose: &[Coordinates]) -> Problem {
        let frames = self.skeleton.frames_at(self.problem.base, pose);
        let mut problem = self.problem.clone();
        for goal in &mut problem.goals {
            let frame = frames[goal.effector.joint];
            let target = &mut goal.target;
            target.position = target.position.map(|_| frame.point(goal.effector.tip));
            target.rotation = target.rotation.map(|_| frame.rotation);
        }
        problem
    }
}
