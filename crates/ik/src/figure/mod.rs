//! Figures: the parts of a skeleton that are solved independently of each other, each as a skeleton of its own.

mod near;
pub mod plain_chain;
mod redundant;
mod share;
pub mod solver;
mod split;
mod stage;

use crate::model::{Coordinates, Pose, Problem, Skeleton};
use near::Range;
use share::Share;
use std::sync::Arc;

pub(crate) use share::{Asked, asked};
pub use split::split;

/// The joints of an [island](crate::figures::Island). What one figure does leaves all others where they are. [`split`] finds them.
///
/// A figure is a skeleton of its own, without names, and the way between its numbers and those of the whole skeleton. Its
/// problem and its pose are taken from the whole ones when it is solved, so that ten thousand figures keep one copy of
/// everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    skeleton: Arc<Skeleton>,
    /// The joints that belong to it, in the numbers of the whole skeleton; ascending.
    joints: Vec<usize>,
    /// For each joint of its skeleton, its number in the whole one; ascending. Its skeleton has those of `joints` that matter
    /// to its problem, and the immovable ones that they depend on.
    numbers: Vec<usize>,
    pub(crate) share: Share,
    /// Where its joints can be, if there are obstacles.
    range: Option<Range>,
}

/// The problem and the pose of a figure, in its numbers. One for each thread that solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    problem: Problem,
    pose: Pose,
}

impl Figure {
    /// Its own skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The joints that belong to it, in the numbers of the whole skeleton; ascending.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Indices of its goals in the whole problem; ascending.
    pub fn goals(&self) -> &[usize] {
        &self.share.goals
    }

    /// Whether loops close on it.
    pub fn has_loops(&self) -> bool {
        !self.share.loops.is_empty()
    }

    /// Whether a joint of the whole skeleton belongs to it.
    pub fn has(&self, joint: usize) -> bool {
        self.joints.binary_search(&joint).is_ok()
    }

    /// The number in the whole skeleton of a joint of its own.
    pub fn number(&self, own: usize) -> usize {
        self.numbers[own]
    }

    /// Its problem, in its numbers: its share of a problem like that of the split.
    pub fn problem(&self, whole: &Problem) -> Problem {
        let mut case = Case::default();
        self.load_problem(whole, &mut case);
        case.problem
    }

    /// Its pose: that of its joints in a pose of the whole skeleton.
    pub fn pose(&self, whole: &[Coordinates]) -> Pose {
        let mut own = Pose::new();
        self.read(whole, &mut own);
        own
    }

    /// Writes its pose to `own`.
    pub(crate) fn read(&self, whole: &[Coordinates], own: &mut Pose) {
        own.clear();
        own.extend(self.numbers.iter().map(|&joint| whole[joint]));
    }

    /// Writes values of its joints, such as its pose, to those of the whole skeleton.
    pub fn write<T: Copy>(&self, own: &[T], whole: &mut [T]) {
        for (&joint, value) in self.numbers.iter().zip(own).filter(|(joint, _)| self.has(**joint)) {
            whole[joint] = *value;
        }
    }

    /// Moves its joints in a pose of the whole skeleton inside their limits.
    pub(crate) fn project(&self, skeleton: &Skeleton, pose: &mut [Coordinates]) {
        self.joints.iter().for_each(|&joint| pose[joint] = skeleton.kind(joint).project(pose[joint]));
    }

    /// Calls `work` with its problem and its pose, and takes over the pose that it leaves.
    pub(crate) fn with_case<R>(
        &self,
        problem: &Problem,
        pose: &mut [Coordinates],
        case: &mut Case,
        work: impl FnOnce(&Problem, &mut [Coordinates]) -> R,
    ) -> R {
        if self.numbers.len() == pose.len() {
            // It is everything.
            return work(problem, pose);
        }
        self.load_problem(problem, case);
        self.read(pose, &mut case.pose);
        let result = work(&case.problem, &mut case.pose);
        self.write(&case.pose, pose);
        result
    }

    fn load_problem(&self, whole: &Problem, case: &mut Case) {
        self.share.load(whole, &self.numbers, &mut case.problem);
        Range::choose_obstacles(self.range, &whole.obstacles, &mut case.problem);
    }
}
