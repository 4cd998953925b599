//! Islands: the parts of a skeleton that are solved independently of each other.

use super::{Kind, Skeleton};

/// Joints that must be solved together: the moving joints below one root or one [immovable](Skeleton::is_anchored) joint,
/// or several such parts that loops, mimic joints, links that keep clear of each other, or one center of mass tie together.
/// The immovable joints of a tree belong to its first part. Islands are independent of each other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Island {
    /// Indices of its joints, parents first.
    pub joints: Vec<usize>,
}

impl Island {
    /// Whether a joint belongs to the island.
    pub fn has(&self, joint: usize) -> bool {
        self.joints.binary_search(&joint).is_ok()
    }
}

impl Skeleton {
    /// The islands of the skeleton, in the order of their first joints. Each pair of `ties` connects the parts of two
    /// joints that can move; so does a mimic joint and the joint that it follows.
    pub fn islands(&self, ties: impl IntoIterator<Item = (usize, usize)>) -> Vec<Island> {
        // For each joint, one that comes no later on the same island; the first joint of an island is its own.
        let mut earlier: Vec<usize> = Vec::with_capacity(self.len());
        let mut has_moving_part = vec![false; self.len()];
        for (i, joint) in self.joints().iter().enumerate() {
            let first = joint.parent.map_or(i, |parent| earlier[parent]);
            let begins = !self.is_anchored(i) && joint.parent.is_some_and(|parent| self.is_anchored(parent));
            let is_new = begins && std::mem::replace(&mut has_moving_part[first], true);
            earlier.push(if is_new { i } else { first });
        }
        let mimics = self.followers.iter().filter_map(|&i| self.joints()[i].mimic.map(|mimic| (i, mimic.joint)));
        for (a, b) in mimics.chain(ties) {
            if !self.is_anchored(a) && !self.is_anchored(b) {
                let (a, b) = (first_of(&mut earlier, a), first_of(&mut earlier, b));
                earlier[a.max(b)] = a.min(b);
            }
        }
        let mut islands: Vec<Island> = Vec::new();
        let mut island_of: Vec<usize> = Vec::with_capacity(self.len());
        for i in 0..self.len() {
            let at = if earlier[i] == i { islands.len() } else { island_of[earlier[i]] };
            match islands.get_mut(at) {
                Some(island) => island.joints.push(i),
                None => islands.push(Island { joints: vec![i] }),
            }
            island_of.push(at);
        }
        islands
    }

    /// Whether `joints` (of one island) form a single line of unlimited balls without stiffness. The first joint may be
    /// free and the last ones fixed. Such islands are solved by the fast path for chains and mixed by link directions.
    pub fn is_simple_chain(&self, joints: &[usize]) -> bool {
        let mut turning = true;
        joints.iter().enumerate().all(|(at, &i)| {
            let joint = &self.joints()[i];
            let linked = at == 0 || (joint.parent == Some(joints[at - 1]) && joint.offset.length_squared() > 0.0);
            let allowed = match joint.kind {
                Kind::Ball { swing: None, twist: None } => turning,
                Kind::Free => at == 0,
                Kind::Fixed => {
                    turning = false;
                    at > 0
                }
                _ => false,
            };
            linked && allowed && joint.stiffness == 0.0 && self.children(i).len() <= 1
        }) && joints.first().is_some_and(|&root| self.joints()[root].parent.is_none())
    }

    /// The joint whose island closes a loop between two joints: the first one that can move.
    pub fn closing_joint(&self, a: usize, b: usize) -> usize {
        if self.is_anchored(a) && !self.is_anchored(b) { b } else { a }
    }

    /// The joints of a figure (ascending) and the immovable ones that it depends on: those that it hangs from, and those
    /// among `ties`, the joints of its loops and capsules. In ascending order.
    pub fn joints_with_supports(&self, own: &[usize], ties: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut joints = own.to_vec();
        let parents = own.iter().filter_map(|&joint| self.joints()[joint].parent);
        for support in
            parents.chain(ties).filter(|&joint| self.is_anchored(joint) && own.binary_search(&joint).is_err())
        {
            joints.extend(self.ancestors(support));
        }
        joints.sort_unstable();
        joints.dedup();
        joints
    }
}

/// The first joint of the island of `joint`. Shortens the ways there.
fn first_of(earlier: &mut [usize], mut joint: usize) -> usize {
    while earlier[joint] != joint {
        earlier[joint] = earlier[earlier[joint]];
        joint = earlier[joint];
    }
    joint
}
