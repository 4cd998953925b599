//! An island as a skeleton and a problem of its own, so that the work and the buffers of its solver grow with the island and
//! not with the skeleton.

use super::near::Range;
use super::share::Share;
use crate::model::islands::Island;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::{Attachment, Pole, Problem};
use crate::model::skeleton::Skeleton;

/// The joints of an island that matter to its problem, and the immovable ones that they depend on, with new numbers.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub skeleton: Skeleton,
    joints: Vec<usize>,
    /// Where its joints can be, if there are obstacles.
    range: Option<Range>,
}

/// The problem and the pose of a part, with its numbers of joints.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartCase {
    pub problem: Problem,
    pub pose: Pose,
    /// The numbers of the obstacles nearby.
    near: Vec<usize>,
}

impl Part {
    /// An island of a skeleton with its share of the problem; none if that is the whole skeleton.
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island, share: &Share) -> Option<Self> {
        let loops = share.loops.iter().map(|&at| &problem.loops[at]).flat_map(|(a, b)| [a.joint, b.joint]);
        let capsules = share.capsules.iter().map(|&at| problem.keep_clear.capsules[at].joint);
        let mut joints = skeleton.joints_with_supports(island, loops.chain(capsules));
        let has_size = |&at: &usize| problem.goals[at].is_active() && problem.goals[at].effector.size(skeleton) > 0.0;
        let meets_nothing = problem.obstacles.is_empty() && share.capsules.is_empty();
        // Loops, and goals without a size, are measured by the extent of the island; any link may meet something.
        if meets_nothing && share.loops.is_empty() && share.goals.iter().any(has_size) {
            joints = relevant(skeleton, problem, share, &joints);
        }
        (joints.len() < skeleton.len()).then(|| {
            let skeleton = skeleton.part(&joints);
            let range = if problem.obstacles.is_empty() { None } else { Range::of(&skeleton) };
            Part { skeleton, joints, range }
        })
    }

    /// Its joints, as numbered in the whole skeleton; ascending.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Writes the coordinates of its joints in a pose of the whole skeleton to `own`.
    pub fn load_pose(&self, pose: &[Coordinates], own: &mut Pose) {
        own.clear();
        own.extend(self.joints.iter().map(|&joint| pose[joint]));
    }

    /// Writes the share of the island of a problem to that of `case`.
    pub fn load_problem(&self, problem: &Problem, share: &Share, case: &mut PartCase) {
        let PartCase { problem: own, near, .. } = case;
        let number = |joint: usize| self.joints.binary_search(&joint).unwrap_or_default();
        let end = |end: Attachment| Attachment { joint: number(end.joint), ..end };
        own.goals.clear();
        own.goals.extend(share.goals.iter().map(|&at| problem.goals[at]));
        own.goals.iter_mut().for_each(|goal| goal.effector.joint = number(goal.effector.joint));
        own.loops.clear();
        own.loops.extend(share.loops.iter().map(|&at| problem.loops[at]).map(|(a, b)| (end(a), end(b))));
        own.poles.clear();
        own.poles.extend(share.poles.iter().map(|&at| problem.poles[at]));
        own.poles.iter_mut().for_each(|pole: &mut Pole| pole.joint = number(pole.joint));
        let (clear, whole) = (&mut own.keep_clear, &problem.keep_clear);
        clear.capsules.clear();
        clear.capsules.extend(share.capsules.iter().map(|&at| whole.capsules[at]));
        clear.capsules.iter_mut().for_each(|capsule| capsule.joint = number(capsule.joint));
        let place = |capsule: usize| share.capsules.binary_search(&capsule).unwrap_or_default();
        clear.pairs.clear();
        clear.pairs.extend(share.pairs.iter().map(|&at| whole.pairs[at].map(place)));
        clear.margin = whole.margin;
        (own.link_radius, own.base) = (problem.link_radius, problem.base);
        own.home.clear();
        if !problem.home.is_empty() {
            own.home.extend(self.joints.iter().map(|&joint| problem.home[joint]));
        }
        Range::choose_obstacles(self.range, &problem.obstacles, own, near);
    }

    /// Writes the values of the island's joints from a list for the part to one for the whole skeleton.
    pub fn write<T: Copy>(&self, island: &Island, own: &[T], whole: &mut [T]) {
        for (&joint, value) in self.joints.iter().zip(own).filter(|(joint, _)| island.has(**joint)) {
            whole[joint] = *value;
        }
    }
}

/// Those of `joints` (ascending, with all parents) that move an effector or a pole's joint, or follow another joint: in a
/// large tree with few effectors these are few.
fn relevant(skeleton: &Skeleton, problem: &Problem, share: &Share, joints: &[usize]) -> Vec<usize> {
    let mut needed = vec![false; joints.len()];
    let goals = share.goals.iter().map(|&at| problem.goals[at].effector.joint);
    let poles = share.poles.iter().map(|&at| problem.poles[at].joint);
    let followers = joints.iter().filter_map(|&joint| Some([joint, skeleton.joints()[joint].mimic?.joint]));
    for joint in goals.chain(poles).chain(followers.flatten()) {
        joints.binary_search(&joint).into_iter().for_each(|at| needed[at] = true);
    }
    for at in (0..joints.len()).rev() {
        let parent = skeleton.joints()[joints[at]].parent.filter(|_| needed[at]);
        if let Some(Ok(parent)) = parent.map(|parent| joints.binary_search(&parent)) {
            needed[parent] = true;
        }
    }
    joints.iter().zip(needed).filter(|(_, needed)| *needed).map(|(&joint, _)| joint).collect()
}
