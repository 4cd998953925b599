//! The figure of a lesson: its nodes, how they are connected, and their goals. It does not change during the lesson.

use super::subject::Subject;
use crate::session::numbers::NEGLIGIBLE;
use crate::session::numbers::ROUNDING;
use crate::session::numbers::digits;
use fabrik3d_ik::figures::Figure;
use fabrik3d_ik::goals::Attachment;
use fabrik3d_ik::queries::at_limits;
use fabrik3d_ik::{Coordinates, Effector, Isometry, Kind, Problem, Skeleton};
use glam::DVec3;
use std::collections::HashSet;

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
    /// The point of the skeleton at each node.
    pub points: Vec<Attachment>,
    /// The joints of the skeleton that belong to the figure, with their nodes.
    pub joints: Vec<(usize, usize)>,
    /// Length of all links up to the effector, the unit of errors.
    pub reach: f64,
    /// Whether it is a plain chain. Its nodes are called P1, P2, ...; those of other figures have the names of joints.
    pub is_chain: bool,
}

impl LessonFigure {
    fn push(&mut self, name: String, parent: Option<usize>, length: f64, freedom: Freedom) {
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

    /// The bases that do not float.
    pub fn fixed_bases(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&node| self.is_base(node) && !self.floating.contains(&node))
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

    /// Positions of the nodes for these frames of the skeleton.
    pub(super) fn places(&self, frames: &[Isometry]) -> Vec<DVec3> {
        self.points.iter().map(|at| frames[at.joint].point(at.point)).collect()
    }

    /// The unit of distances in texts, a fraction of the reach. An arm is a part of a character's body.
    pub(super) fn unit(&self) -> &'static str {
        if self.is_chain { "arm lengths" } else { "of the reach" }
    }

    /// A fraction of the reach for a text: `0.4 arm lengths`.
    pub fn share(&self, fraction: f64) -> String {
        format!("{} {}", digits(fraction), self.unit())
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

impl LessonFigure {
    /// What is solved, as a lesson shows it, in a pose with these frames of all joints; none without a target position.
    pub(super) fn of(skeleton: &Skeleton, subject: &Subject, start: &[Isometry]) -> Option<Self> {
        let problem = in_whole(&subject.figure, &subject.problem);
        let figure = match subject.is_chain {
            true => Self::of_chain(skeleton, &subject.figure, &problem, start),
            false => Self::of_joints(skeleton, subject, &problem, start),
        };
        (!figure.goals.is_empty() && figure.reach > 0.0).then_some(figure)
    }

    /// A plain chain. Its nodes are the joints that turn, and the tip. Fixed joints before the tip share its node.
    fn of_chain(skeleton: &Skeleton, solved: &Figure, problem: &Problem, start: &[Isometry]) -> Self {
        let joints = solved.joints();
        let turning = joints.iter().take_while(|joint| *skeleton.kind(**joint) != Kind::Fixed);
        let goals = problem.goals.iter().filter_map(|goal| Some((goal.effector, goal.requested_position()?)));
        let goals: Vec<(Effector, DVec3)> = goals.collect();
        let tips = goals.iter().map(|(tip, _)| Attachment { joint: tip.joint, point: tip.tip });
        let points: Vec<Attachment> =
            turning.map(|&joint| Attachment { joint, point: DVec3::ZERO }).chain(tips).collect();
        let mut figure = LessonFigure { points, is_chain: true, ..LessonFigure::default() };
        let (places, last) = (figure.places(start), figure.points.len() - 1);
        for (node, place) in places.iter().enumerate() {
            let parent = node.checked_sub(1);
            let length = parent.map_or(0.0, |parent| place.distance(places[parent]));
            figure.push(format!("P{}", node + 1), parent, length, Freedom::Ball);
            figure.reach += length;
        }
        figure.goals.extend(goals.first().map(|&(_, target)| (last, target)));
        figure.joints = joints.iter().enumerate().map(|(at, &joint)| (joint, at.min(last))).collect();
        figure.floating.extend((*skeleton.kind(joints[0]) == Kind::Free).then_some(0));
        figure
    }

    /// A figure of joints. Those at the same position share a node. Tips and loop ends have their own nodes.
    fn of_joints(skeleton: &Skeleton, subject: &Subject, problem: &Problem, start: &[Isometry]) -> Self {
        let effectors = || problem.goals.iter().map(|goal| &goal.effector);
        let scales = effectors().map(|effector| effector.error_scale(skeleton, effectors()));
        let mut figure = LessonFigure { reach: scales.fold(0.0, f64::max), ..LessonFigure::default() };
        let least = ROUNDING * figure.reach;
        let mut of_joint = vec![None; skeleton.len()];
        // The immovable joints that it depends on are shown too: they are its ground.
        let ties = problem.loops.iter().flat_map(|(a, b)| [a.joint, b.joint]);
        for joint in skeleton.joints_with_supports(subject.figure.joints(), ties) {
            let parent = skeleton.joints()[joint].parent.and_then(|parent| of_joint[parent]);
            of_joint[joint] = Some(figure.add(skeleton, joint, parent, start));
        }
        let mut taken: HashSet<String> = figure.names.iter().cloned().collect();
        for (a, b) in &problem.loops {
            let [a, b] = [a, b].map(|end| {
                let name = format!("tied point of {}", skeleton.joints()[end.joint].name);
                figure.node_at(*end, &of_joint, least, &name, &mut taken)
            });
            if let (Some(a), Some(b)) = (a, b) {
                figure.ties.push((a, b));
            }
        }
        for goal in problem.goals.iter().filter(|goal| goal.requests_orientation()) {
            let carrier = skeleton.ancestors(goal.effector.joint).find(|&joint| skeleton.kind(joint).can_move());
            figure.oriented.extend(carrier.and_then(|joint| of_joint[joint]));
        }
        for (goal, name) in problem.goals.iter().zip(&subject.names) {
            let Some(target) = goal.target.position else { continue };
            let tip = Attachment { joint: goal.effector.joint, point: goal.effector.tip };
            if let Some(node) = figure.node_at(tip, &of_joint, least, name, &mut taken) {
                figure.goals.push((node, target));
                figure.rename(node, name, &mut taken);
            }
        }
        figure
    }

    /// Adds a joint, with a node of its own unless it is at the place of its parent's. Returns its node.
    fn add(&mut self, skeleton: &Skeleton, joint: usize, parent: Option<usize>, start: &[Isometry]) -> usize {
        let (own, kind) = (&skeleton.joints()[joint], skeleton.kind(joint));
        let length = parent.map_or(0.0, |parent: usize| {
            let parent = self.points[parent];
            start[joint].position.distance(start[parent.joint].point(parent.point))
        });
        let is_slide = matches!(kind, Kind::Slide { .. });
        let node = match parent.filter(|_| length <= ROUNDING * self.reach && !is_slide) {
            Some(shared) => {
                self.join(shared, &own.name, kind);
                shared
            }
            None => {
                let node = self.len();
                self.push(own.name.clone(), parent, length, Freedom::of(kind));
                self.points.push(Attachment { joint, point: DVec3::ZERO });
                self.immovable[node] = *kind == Kind::Fixed && parent.is_none_or(|parent| self.immovable[parent]);
                if *kind == Kind::Free {
                    self.floating.push(node);
                }
                if is_slide {
                    self.sliding.push(node);
                }
                node
            }
        };
        self.joints.push((joint, node));
        if own.stiffness > 0.0 && !self.stiff.contains(&node) {
            self.stiff.push(node);
        }
        node
    }

    /// Adds a joint to the node at the same position. The node has the name of the joint that can turn.
    fn join(&mut self, node: usize, name: &str, kind: &Kind) {
        let was = self.freedoms[node];
        self.freedoms[node] = match kind {
            Kind::Fixed => was,
            _ if was == Freedom::Rigid && !self.sliding.contains(&node) => {
                self.names[node] = name.to_owned();
                Freedom::of(kind)
            }
            _ => Freedom::Several,
        };
    }

    /// Gives a fixed joint at the end of a branch the name of its effector: robots have many with technical names.
    fn rename(&mut self, node: usize, effector: &str, taken: &mut HashSet<String>) {
        let is_end = self.children(node).next().is_none() && self.freedoms[node] == Freedom::Rigid;
        if is_end && !self.sliding.contains(&node) && taken.insert(effector.to_owned()) {
            taken.remove(&std::mem::replace(&mut self.names[node], effector.to_owned()));
        }
    }

    /// The node of a point on a joint: that of the joint, or a new one.
    fn node_at(
        &mut self,
        at: Attachment,
        of_joint: &[Option<usize>],
        least: f64,
        name: &str,
        taken: &mut HashSet<String>,
    ) -> Option<usize> {
        let joint = of_joint[at.joint]?;
        if at.point.length() <= least {
            return Some(joint);
        }
        // An effector may have the name of a joint.
        let name = if taken.contains(name) { format!("{name} tip") } else { name.to_owned() };
        taken.insert(name.clone());
        self.push(name, Some(joint), at.point.length(), Freedom::Rigid);
        self.points.push(at);
        Some(self.len() - 1)
    }

    /// Its joints that are at a limit.
    pub(super) fn limited(&self, skeleton: &Skeleton, pose: &[Coordinates]) -> Vec<usize> {
        let joints = self.joints.iter().map(|&(joint, _)| joint);
        let at_limits: Vec<usize> =
            at_limits(skeleton, pose, NEGLIGIBLE).into_iter().map(|limit| limit.joint).collect();
        joints.filter(|joint| at_limits.binary_search(joint).is_ok()).collect()
    }

    /// Its nodes that the obstacles have pushed out in a backward pass: those at the clearance from a surface.
    pub(super) fn pushed(&self, problem: &Problem, points: &[DVec3]) -> Vec<usize> {
        let slack = ROUNDING * self.reach;
        let touches = |point: DVec3| {
            problem.obstacles.iter().any(|obstacle| (obstacle.depth(point) + problem.link_radius).abs() <= slack)
        };
        (0..self.len()).filter(|&node| !self.immovable[node] && touches(points[node])).collect()
    }

    /// The frames of its joints, from those of the whole skeleton.
    pub(super) fn own(&self, frames: &[Isometry]) -> Vec<Isometry> {
        self.joints.iter().map(|&(joint, _)| frames[joint]).collect()
    }
}

/// The problem of a figure, with the numbers that its joints have in the whole skeleton.
fn in_whole(figure: &Figure, own: &Problem) -> Problem {
    let mut problem = own.clone();
    problem.goals.iter_mut().for_each(|goal| goal.effector.joint = figure.number(goal.effector.joint));
    let ends = problem.loops.iter_mut().flat_map(|(a, b)| [a, b]);
    ends.for_each(|end| end.joint = figure.number(end.joint));
    problem
}

impl Freedom {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Ball { swing: None, twist: None } | Kind::Free => Freedom::Ball,
            Kind::Ball { .. } => Freedom::Limited,
            Kind::Hinge { .. } => Freedom::Hinge,
            Kind::Slide { .. } | Kind::Fixed => Freedom::Rigid,
        }
    }
}
