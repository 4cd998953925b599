//! An island as a skeleton and a problem of its own, so that the work and the buffers of its solver grow with the island and
//! not with the skeleton.

use super::share::Share;
use crate::model::islands::Island;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::{Attachment, Pole, Problem};
use crate::model::skeleton::Skeleton;

/// The joints of an island and the immovable ones that it depends on, with new numbers.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub skeleton: Skeleton,
    pub problem: Problem,
    pub pose: Pose,
    joints: Vec<usize>,
}

impl Part {
    /// An island of a skeleton with its share of the problem. The pose is not loaded yet.
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island, share: &Share) -> Self {
        let loops = share.loops.iter().map(|&at| &problem.loops[at]).flat_map(|(a, b)| [a.joint, b.joint]);
        let capsules = share.capsules.iter().map(|&at| problem.keep_clear.capsules[at].joint);
        let joints = skeleton.joints_with_supports(island, loops.chain(capsules));
        let mut part = Part {
            skeleton: skeleton.part(&joints),
            problem: Problem::default(),
            pose: vec![Coordinates::default(); joints.len()],
            joints,
        };
        part.load_problem(problem, share);
        part
    }

    /// Its joints, as numbered in the whole skeleton; ascending.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Takes the share of the island from a problem.
    pub fn load_problem(&mut self, problem: &Problem, share: &Share) {
        let number = |joint: usize| self.joints.binary_search(&joint).unwrap_or_default();
        let end = |end: Attachment| Attachment { joint: number(end.joint), ..end };
        let own = &mut self.problem;
        own.goals.clear();
        own.goals.extend(share.goals.iter().map(|&at| problem.goals[at]));
        own.goals.iter_mut().for_each(|goal| goal.effector.joint = number(goal.effector.joint));
        own.loops.clear();
        own.loops.extend(share.loops.iter().map(|&at| problem.loops[at]).map(|(a, b)| (end(a), end(b))));
        own.poles.clear();
        own.poles.extend(share.poles.iter().map(|&at| problem.poles[at]));
        own.poles.iter_mut().for_each(|pole: &mut Pole| pole.joint = number(pole.joint));
        own.obstacles.clone_from(&problem.obstacles);
        let (clear, whole) = (&mut own.keep_clear, &problem.keep_clear);
        clear.capsules.clear();
        clear.capsules.extend(share.capsules.iter().map(|&at| whole.capsules[at]));
        clear.capsules.iter_mut().for_each(|capsule| capsule.joint = number(capsule.joint));
        let place = |capsule: usize| share.capsules.binary_search(&capsule).unwrap_or_default();
        clear.pairs.clear();
        clear.pairs.extend(share.pairs.iter().map(|&at| whole.pairs[at].map(place)));
        clear.margin = whole.margin;
        (own.link_radius, own.base) = (problem.link_radius, problem.base);
    }

    /// Takes the coordinates of its joints from a pose of the whole skeleton.
    pub fn load_pose(&mut self, pose: &[Coordinates]) {
        self.joints.iter().zip(&mut self.pose).for_each(|(&joint, own)| *own = pose[joint]);
    }

    /// Writes the values of the island's joints from a list for the part to one for the whole skeleton.
    pub fn write<T: Copy>(&self, island: &Island, own: &[T], whole: &mut [T]) {
        let mut joints = self.joints.iter().zip(own);
        for &joint in &island.joints {
            if let Some((_, value)) = joints.find(|(at, _)| **at == joint) {
                whole[joint] = *value;
            }
        }
    }
}
