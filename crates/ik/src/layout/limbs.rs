//! Limbs: the chains of joints from a sub-base to an end (a goal or an end of a loop). Layouts store them, searches randomize
//! them.

use crate::model::joint::Kind;
use crate::model::skeleton::Skeleton;

/// Finds the limb of a joint. A limb begins at a child of a sub-base (a joint from which several ends are reached),
/// or at a root.
pub(crate) struct Limbs {
    moving: Vec<bool>,
    /// For each joint, the number of its children that lead to ends, plus the ends on the joint itself.
    end_counts: Vec<usize>,
}

impl Limbs {
    /// `ends` are the joints that carry goals and ends of loops.
    pub fn new(skeleton: &Skeleton, moving: &[bool], ends: impl Iterator<Item = usize>) -> Self {
        let mut end_counts = vec![0; skeleton.len()];
        ends.for_each(|end| end_counts[end] += 1);
        for i in (0..skeleton.len()).rev() {
            if let (Some(parent), true) = (skeleton.joints()[i].parent, end_counts[i] > 0) {
                end_counts[parent] += 1;
            }
        }
        Limbs { moving: moving.to_vec(), end_counts }
    }

    /// The limb of `joint`, extended by the limbs above it until it has at least as many degrees of freedom as
    /// `rows`, the number of residuals that it must bring to zero. For example, a finger that only slides includes its
    /// arm.
    pub fn with_freedom(&self, skeleton: &Skeleton, joint: usize, rows: usize) -> Vec<usize> {
        let mut limb = self.limb(skeleton, joint);
        while let Some(parent) = limb.last().and_then(|&top| skeleton.joints()[top].parent) {
            let freedom: usize = limb.iter().map(|&i| skeleton.kind(i).degrees_of_freedom()).sum();
            let above = self.limb(skeleton, parent);
            if freedom >= rows || above.is_empty() {
                break;
            }
            limb.extend(above);
        }
        limb
    }

    /// The joints from `joint` up to the last one below a sub-base, below a free joint, or below one that does not
    /// move.
    pub fn limb(&self, skeleton: &Skeleton, joint: usize) -> Vec<usize> {
        let mut limb = Vec::new();
        let mut at = joint;
        while self.moving[at] && *skeleton.kind(at) != Kind::Free {
            limb.push(at);
            match skeleton.joints()[at].parent {
                Some(parent) if self.end_counts[parent] <= 1 => at = parent,
                _ => break,
            }
        }
        limb
    }
}
