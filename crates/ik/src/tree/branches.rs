//! Branches: where they begin, and how far they reach.

use super::layout::Shell;
use crate::model::jacobian::column_count;
use crate::model::joint::Kind;
use crate::model::problem::Effector;
use crate::model::skeleton::Skeleton;

/// Bounds of the tip's distance from the base of its chain: they hold where neither that nor anything in between can
/// move away.
pub(crate) fn shell(skeleton: &Skeleton, effector: &Effector, moving: &[bool]) -> Option<Shell> {
    let branch: Vec<usize> = effector.chain_joints(skeleton).collect();
    let center = *branch.last()?;
    let base_moves = skeleton.joints()[center].parent.is_some_and(|p| skeleton.ancestors(p).any(|i| moving[i]));
    let unbounded = |&i: &usize| matches!(skeleton.kind(i), Kind::Free | Kind::Slide { range: None, .. });
    if base_moves || branch.iter().any(unbounded) {
        return None;
    }
    let outer = effector.reach(skeleton);
    let links = branch.iter().rev().skip(1).map(|&i| skeleton.joints()[i].offset.length());
    let longest = links.chain([effector.tip.length()]).fold(0.0, f64::max);
    Some(Shell { center, inner: (2.0 * longest - outer).max(0.0), outer })
}

/// Where branches begin: at a child of a joint that bears several, or a goal itself.
pub(crate) struct Branches {
    moving: Vec<bool>,
    /// For each joint the number of its children that lead to ends, plus the ends on it.
    load: Vec<usize>,
}

impl Branches {
    /// For the joints on which goals and ends of loops sit.
    pub fn new(skeleton: &Skeleton, moving: &[bool], ends: impl Iterator<Item = usize>) -> Self {
        let mut load = vec![0; skeleton.len()];
        ends.for_each(|end| load[end] += 1);
        for i in (0..skeleton.len()).rev() {
            if let (Some(parent), true) = (skeleton.joints()[i].parent, load[i] > 0) {
                load[parent] += 1;
            }
        }
        Branches { moving: moving.to_vec(), load }
    }

    /// The branch of `joint`, and those above it that are needed for as many degrees of freedom as it has rows to meet: a
    /// finger that only slides takes its arm along.
    pub fn with_freedom(&self, skeleton: &Skeleton, joint: usize, rows: usize) -> Vec<usize> {
        let mut branch = self.branch(skeleton, joint);
        while let Some(parent) = branch.last().and_then(|&top| skeleton.joints()[top].parent) {
            let freedom: usize = branch.iter().map(|&i| column_count(skeleton.kind(i))).sum();
            let above = self.branch(skeleton, parent);
            if freedom >= rows || above.is_empty() {
                break;
            }
            branch.extend(above);
        }
        branch
    }

    /// From `joint` up to the last one below a sub-base, a free joint, or one that cannot move.
    pub fn branch(&self, skeleton: &Skeleton, joint: usize) -> Vec<usize> {
        let mut branch = Vec::new();
        let mut at = joint;
        while self.moving[at] && *skeleton.kind(at) != Kind::Free {
            branch.push(at);
            match skeleton.joints()[at].parent {
                Some(parent) if self.load[parent] <= 1 => at = parent,
                _ => break,
            }
        }
        branch
    }
}
