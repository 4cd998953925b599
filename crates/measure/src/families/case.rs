//! A problem with a known solution.

use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind, Orientation, Pose, Problem, Skeleton, Solver};

/// One problem with a known solution.
#[derive(Clone, Debug)]
pub struct FamilyCase {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// The problem.
    pub problem: Problem,
    /// The start pose: the rest pose, or a pose with closed loops for mechanisms.
    pub start: Pose,
    /// A solution inside all limits.
    pub witness: Pose,
}

impl FamilyCase {
    /// The same problem with a random start pose. Free joints stay at rest; problems with loops keep their start pose.
    #[must_use]
    pub fn with_random_start(mut self, random: &mut Random) -> Self {
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

    /// A solver for the problem.
    pub fn solver(&self) -> Solver {
        Solver::new(&self.skeleton).problem(self.problem.clone())
    }

    /// The same problem with the effector frames of `pose` as targets.
    pub fn problem_at(&self, pose: &[Coordinates]) -> Problem {
        let frames = self.skeleton.frames_at(self.problem.base, pose);
        let mut problem = self.problem.clone();
        for goal in &mut problem.goals {
            let frame = frames[goal.effector.joint];
            let target = &mut goal.target;
            target.position = target.position.map(|_| frame.point(goal.effector.tip));
            if let Some(Orientation::Rotation(rotation)) = &mut target.orientation {
                *rotation = frame.rotation;
            }
        }
        problem
    }
}
