//! The figure of a lesson: its nodes, how they are connected, and their goals. It does not change during the lesson.

use fabrik3d_ik::goals::Attachment;
use fabrik3d_ik::{Chain, Isometry};
use glam::DVec3;

/// How freely the children of a node can turn about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// In every direction.
    Ball,
    /// In every direction, within limits.
    Limited,
    /// About one axis.
    Hinge,
    /// About the axes of several joints at the same position.
    Several,
    /// Not at all, as at a slide or a fixed joint.
    Rigid,
}

/// The nodes of a figure (joints and the tips of effectors), parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonFigure {
    /// Names of the nodes, without primes.
    pub names: Vec<String>,
    /// Parent of each node; none for a base.
    pub parents: Vec<Option<usize>>,
    /// Length of the link to the parent; 0 for a base.
    pub lengths: Vec<f64>,
    /// How freely the children of each node turn about it.
    pub freedoms: Vec<Freedom>,
    /// For each node, whether it never moves: a fixed root, and joints fixed to it.
    pub immovable: Vec<bool>,
    /// Bases that move freely: those of ropes and of floating bodies.
    pub floating: Vec<usize>,
    /// Nodes whose link changes its length: slides.
    pub sliding: Vec<usize>,
    /// Nodes with a stiff joint.
    pub stiff: Vec<usize>,
    /// Nodes whose rigid piece has a target orientation.
    pub oriented: Vec<usize>,
    /// The effectors: nodes and their target positions.
    pub goals: Vec<(usize, DVec3)>,
    /// Pairs of nodes that a loop joins.
    pub ties: Vec<(usize, usize)>,
    /// The point of the skeleton at each node; empty for a chain without a skeleton.
    pub points: Vec<Attachment>,
    /// The joints of the skeleton that belong to the figure, with their nodes; empty for a chain without a skeleton.
    pub joints: Vec<(usize, usize)>,
    /// Length of all links up to the effector, the unit of errors.
    pub reach: f64,
}

impl LessonFigure {
    /// A chain with its end effector at the last node.
    pub(super) fn chain(chain: &Chain, target: DVec3) -> Self {
        let mut figure = LessonFigure { reach: chain.reach(), ..LessonFigure::default() };
        for (node, length) in std::iter::once(0.0).chain(chain.lengths().iter().copied()).enumerate() {
            figure.push(format!("P{}", node + 1), node.checked_sub(1), length, Freedom::Ball);
        }
        figure.goals.push((figure.len() - 1, target));
        figure
    }

    pub(super) fn push(&mut self, name: String, parent: Option<usize>, length: f64, freedom: Freedom) {
        self.names.push(name);
        self.parents.push(parent);
        self.lengths.push(length);
        self.freedoms.push(freedom);
        self.immovable.push(false);
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether its nodes have the names of joints. Otherwise they are P1, P2, ...
    pub fn has_own_names(&self) -> bool {
        self.names.first().is_some_and(|name| name != "P1")
    }

    /// Nodes whose parent is `node`.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents.iter().enumerate().filter(move |(_, parent)| **parent == Some(node)).map(|(child, _)| child)
    }

    /// Whether the node is an effector with a target.
    pub fn is_effector(&self, node: usize) -> bool {
        self.target_of(node).is_some()
    }

    /// Target position of the effector at this node.
    pub fn target_of(&self, node: usize) -> Option<DVec3> {
        self.goals.iter().find(|(goal, _)| *goal == node).map(|&(_, target)| target)
    }

    /// The node that a loop ties to this one.
    pub fn tied_to(&self, node: usize) -> Option<usize> {
        let other = |&(a, b): &(usize, usize)| if a == node { Some(b) } else { (b == node).then_some(a) };
        self.ties.iter().find_map(other)
    }

    /// Whether the node is a movable root, or the child of an immovable node.
    pub fn is_base(&self, node: usize) -> bool {
        !self.immovable[node] && self.parents[node].is_none_or(|parent| self.immovable[parent])
    }

    /// The node, its parent, and so on.
    fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&node| self.parents[node])
    }

    /// For each node, whether it is between a base and this end.
    pub fn limb(&self, end: usize) -> Vec<bool> {
        let mut limb = vec![false; self.len()];
        self.ancestors(end).for_each(|node| limb[node] = true);
        limb
    }

    /// The base that carries the node.
    pub fn base_of(&self, node: usize) -> usize {
        self.ancestors(node).find(|&at| self.is_base(at) || self.parents[at].is_none()).unwrap_or(node)
    }

    /// The node that carries the rigid piece of this one: itself, or the nearest one below it that can turn.
    pub(super) fn piece_of(&self, node: usize) -> usize {
        self.ancestors(node)
            .find(|&at| self.freedoms[at] != Freedom::Rigid || self.parents[at].is_none())
            .unwrap_or(node)
    }

    /// For each node, whether it or a node that it carries has a target or belongs to a loop.
    pub(super) fn pulled(&self) -> Vec<bool> {
        let mut pulled = vec![false; self.len()];
        self.goals.iter().for_each(|&(node, _)| pulled[node] = true);
        self.ties.iter().flat_map(|&(a, b)| [a, b]).for_each(|node| pulled[node] = true);
        for node in (0..self.len()).rev() {
            if let Some(parent) = self.parents[node].filter(|_| pulled[node]) {
                pulled[parent] = true;
            }
        }
        pulled
    }

    /// The only effector that the node carries, if the figure has several effectors.
    pub fn branch_effector(&self, node: usize) -> Option<usize> {
        let is_carried = |&end: &usize| self.ancestors(end).any(|at| at == node);
        let mut ends = self.goals.iter().map(|&(goal, _)| goal).filter(is_carried);
        let first = ends.next().filter(|_| self.goals.len() > 1);
        first.filter(|_| ends.next().is_none())
    }

    /// Positions of the nodes for these frames of the skeleton; empty for a chain without a skeleton.
    pub(super) fn places(&self, frames: &[Isometry]) -> Vec<DVec3> {
        self.points.iter().map(|at| frames[at.joint].point(at.point)).collect()
    }

    /// The effector that is farthest from its target, and its distance as a fraction of the reach.
    pub fn worst_goal(&self, points: &[DVec3]) -> Option<(usize, f64)> {
        let gaps = self.goals.iter().map(|&(node, target)| (node, points[node].distance(target) / self.reach));
        gaps.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Largest distance of an effector from its target, as a fraction of the reach.
    pub fn error(&self, points: &[DVec3]) -> f64 {
        self.worst_goal(points).map_or(0.0, |(_, gap)| gap)
    }
}
