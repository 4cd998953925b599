//! One step of a lesson: a picture between two poses of a recording.

use super::recording::{Act, ActKind, Recording, Stop};
use super::{Figure, Unit};
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::{Isometry, SolveEvent as Move};
use glam::DVec3;

/// The state after one step: the nodes that the act has moved so far are in their new places, the others still in
/// their old ones.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    recording: &'a Recording,
    act: usize,
    /// Index of the act's stops.
    stop: usize,
    unit: Unit,
}

/// A joint on its way along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// Node that was moved.
    pub node: usize,
    /// Neighbour that had been moved before it; the line starts there.
    pub anchor: usize,
    /// Where that is.
    pub anchor_place: DVec3,
    /// Where the node was: the line passes through it.
    pub from: DVec3,
    /// Where it is now.
    pub to: DVec3,
    /// The place on the line at `length` from the anchor; a joint without limits is there now.
    pub ideal: DVec3,
    /// Length of the link between them, which it keeps.
    pub length: f64,
}

/// Where a pose is not yet what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapPlace {
    /// Between this effector and its target.
    Effector(usize),
    /// In the link from this node to its parent, which has not its length.
    Link(usize),
    /// Between this base and the place where it is fixed.
    Base(usize),
    /// Between these two points, which a loop ties together.
    Tie(usize, usize),
}

/// The widest gap in a pose: a reaching pass moves it along the chain, from the effector to the base and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Where it is.
    pub place: GapPlace,
    /// How wide, of the reach.
    pub size: f64,
}

/// The joints that keep a node from its line, and the frames in which they do.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// Joints of the skeleton.
    pub joints: Vec<usize>,
    /// Joints of the figure with their frames.
    pub frames: Vec<(usize, Isometry)>,
}

/// Where in a solve a step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The iteration, from 1; 0 before the first.
    pub iteration: u32,
    /// The kind of its act; what a backward pass aims at is left out.
    pub kind: ActKind,
    /// The node that it moves last.
    pub node: Option<usize>,
}

/// A node this far beside its line, of the reach, is held there by something.
const BESIDE: f64 = 1e-6;

impl<'a> Step<'a> {
    pub(super) fn new(recording: &'a Recording, act: usize, stop: usize, unit: Unit) -> Self {
        Step { recording, act, stop, unit }
    }

    fn stop(&self) -> Stop {
        self.act().stops[self.stop]
    }

    /// The act that it is a part of.
    pub fn act(&self) -> &'a Act {
        &self.recording.acts[self.act]
    }

    /// Number of that act, 0 for the start.
    pub fn act_number(&self) -> usize {
        self.act
    }

    /// Where in a solve the step is, told so that another method's solve may have the same place.
    pub fn place(&self) -> Place {
        let act = self.act();
        let kind = match act.kind {
            // Where a pass aims is its method's own matter.
            ActKind::Move(Move::Backward { .. }) => ActKind::Move(Move::Backward { target: DVec3::ZERO }),
            other => other,
        };
        Place { iteration: act.iteration, kind, node: self.stop().node }
    }

    /// What is solved.
    pub fn figure(&self) -> &'a Figure {
        &self.recording.figure
    }

    /// The whole solve.
    pub fn recording(&self) -> &'a Recording {
        self.recording
    }

    /// The pose before the act.
    pub fn before(&self) -> &'a [DVec3] {
        self.recording.before(self.act)
    }

    /// All nodes as they stand after the step.
    pub fn points(&self) -> Vec<DVec3> {
        let mut points = self.before().to_vec();
        let after = &self.act().points;
        match &self.act().order[..] {
            [] => points.clone_from(after),
            order => order[..self.stop().done].iter().for_each(|&node| points[node] = after[node]),
        }
        points
    }

    /// Whether the act is complete with this step.
    pub fn is_complete(&self) -> bool {
        self.stop + 1 == self.act().stops.len()
    }

    /// Whether the solve is over with this step.
    pub fn is_last(&self) -> bool {
        self.is_complete() && self.act + 1 == self.recording.acts.len()
    }

    /// Whether it shows a whole reaching pass at once.
    pub fn is_pass(&self) -> bool {
        self.unit == Unit::Pass && self.is_complete() && !self.act().order.is_empty()
    }

    /// Whether the act has moved this node so far.
    pub fn has_moved(&self, node: usize) -> bool {
        let order = &self.act().order;
        self.act > 0 && (order.is_empty() || order[..self.stop().done].contains(&node))
    }

    /// The node that this step moved; none when it moved several at once.
    pub fn node(&self) -> Option<usize> {
        self.stop().node.filter(|_| !self.is_pass())
    }

    /// The line along which the step moved its node; none when it was put somewhere or all moved at once.
    pub fn slide(&self) -> Option<Slide> {
        let node = self.node()?;
        let anchor = self.anchor(node)?;
        let (before, after) = (self.before(), &self.act().points);
        let link = node.max(anchor);
        let is_sliding = self.figure().sliding.contains(&link);
        let length = if is_sliding { after[node].distance(after[anchor]) } else { self.figure().lengths[link] };
        Some(Slide {
            node,
            anchor,
            anchor_place: after[anchor],
            from: before[node],
            to: after[node],
            ideal: passes::place(after[anchor], before[node], length, before[node] - before[anchor]),
            length,
        })
    }

    /// The neighbour that the act had moved before this node.
    fn anchor(&self, node: usize) -> Option<usize> {
        let figure = self.figure();
        let is_neighbour = |other: usize| figure.parents[node] == Some(other) || figure.parents[other] == Some(node);
        let before = self.act().order.iter().take_while(|&&other| other != node);
        before.copied().filter(|&other| !figure.pinned[other] && is_neighbour(other)).last()
    }

    /// What keeps the node of this step from its line; none when it got there, or when no joint of a skeleton is to blame.
    pub fn hold(&self) -> Option<Hold> {
        let slide = self.slide().filter(|slide| self.is_beside(slide) && self.wishes().is_empty())?;
        let (figure, act) = (self.figure(), self.act());
        let held = |limited: bool| {
            let at_anchor = figure.joints.iter().filter(move |(_, node)| *node == slide.anchor);
            at_anchor.map(|&(joint, _)| joint).filter(move |joint| !limited || act.limited.contains(joint))
        };
        // Of several joints in one place those at their limits are to blame.
        let mut joints: Vec<usize> = held(true).collect();
        if joints.is_empty() {
            joints = held(false).collect();
        }
        let frames = figure.joints.iter().map(|&(joint, _)| joint).zip(act.frames.iter().copied()).collect();
        (!joints.is_empty()).then_some(Hold { joints, frames })
    }

    /// Whether the node of a slide stands beside its line.
    pub fn is_beside(&self, slide: &Slide) -> bool {
        slide.to.distance(slide.ideal) > BESIDE * self.figure().reach
    }

    /// Whether a joint that stands at this node rests at a limit after the act.
    pub fn is_limited(&self, node: usize) -> bool {
        self.figure().joints.iter().any(|(joint, at)| *at == node && self.act().limited.contains(joint))
    }

    /// The gap that the step left at its node, or else the widest one in the pose.
    pub fn gap(&self) -> Gap {
        let (figure, points) = (self.figure(), self.points());
        let links = (0..figure.len()).filter_map(|node| self.link_gap(node, &points));
        let effectors = figure.worst_goal(&points).map(|(node, size)| Gap { place: GapPlace::Effector(node), size });
        let ties = figure.ties.iter().map(|&(a, b)| {
            let size = points[a].distance(points[b]) / figure.reach;
            Gap { place: GapPlace::Tie(a, b), size }
        });
        let wider = |widest: Gap, gap: Gap| if gap.size > widest.size { gap } else { widest };
        let is_at = |gap: &Gap| match (gap.place, self.node()) {
            (GapPlace::Link(child), Some(node)) => child == node || figure.parents[child] == Some(node),
            _ => false,
        };
        let near = links.clone().filter(is_at).reduce(wider).filter(|gap| gap.size > BESIDE);
        // Of equal ones the first: an effector's counts before the link's that is no wider.
        let all = effectors.into_iter().chain(links).chain(ties);
        near.or_else(|| all.reduce(wider)).unwrap_or(Gap { place: GapPlace::Base(0), size: 0.0 })
    }

    /// How far a link is from its length, or a base from its place; none where neither is asked for.
    fn link_gap(&self, node: usize, points: &[DVec3]) -> Option<Gap> {
        let figure = self.figure();
        let (place, size) = match figure.parents[node] {
            _ if figure.floating.contains(&node) || figure.sliding.contains(&node) => return None,
            Some(parent) if !figure.is_base(node) => {
                (GapPlace::Link(node), (points[node].distance(points[parent]) - figure.lengths[node]).abs())
            }
            _ => (GapPlace::Base(node), points[node].distance(self.recording.acts[0].points[node])),
        };
        Some(Gap { place, size: size / figure.reach })
    }

    /// The children of a sub-base, each with the place where it would have it, while a backward pass comes to it; empty
    /// for other joints.
    pub fn wishes(&self) -> Vec<(usize, DVec3)> {
        let (figure, before, after) = (self.figure(), self.before(), &self.act().points);
        let Some(node) = self.node().filter(|_| self.is_backward()) else { return Vec::new() };
        let pulls = |child: usize| {
            before[child] != after[child] && self.act().stops.iter().any(|stop| stop.node == Some(child))
        };
        let wish = |child: usize| {
            let along = before[node] - before[child];
            (child, passes::place(after[child], before[node], figure.lengths[child], along))
        };
        let wishes: Vec<_> = figure.children(node).filter(|&child| pulls(child)).map(wish).collect();
        if wishes.len() > 1 { wishes } else { Vec::new() }
    }

    /// The error to speak of: after the last forward pass that is complete.
    pub fn error(&self) -> f64 {
        let is_between = self.is_backward() || !self.is_complete();
        if is_between { self.recording.error_before_iteration(self.act) } else { self.act().error }
    }

    /// Whether it is a part of a backward pass.
    pub fn is_backward(&self) -> bool {
        matches!(self.act().kind, ActKind::Move(Move::Backward { .. }))
    }

    /// The letter of the stage in the paper's figure; none for moves that it does not know.
    pub fn letter(&self) -> Option<char> {
        Some(match (self.act().kind, self.stop().node) {
            (ActKind::Start, _) => 'a',
            (ActKind::Move(Move::Backward { .. }), Some(node)) => match self.anchor(node) {
                None => 'b',
                Some(end) if self.anchor(end).is_none() && self.wishes().is_empty() => 'c',
                Some(_) => 'd',
            },
            (ActKind::Move(Move::Forward), Some(node)) if self.figure().is_base(node) => 'e',
            (ActKind::Move(Move::Forward), Some(_)) => 'f',
            _ => return None,
        })
    }

    /// Name of a node as the figure writes it: P1 is the base; one prime after a backward pass, two after a forward one.
    /// Names of joints have no primes.
    pub fn label(&self, node: usize) -> String {
        let primes = match (self.act().kind, self.has_moved(node)) {
            _ if self.figure().pinned[node] || self.figure().has_own_names() => "",
            (ActKind::Move(Move::Backward { .. }), true) | (ActKind::Move(Move::Forward), false) => "'",
            (ActKind::Move(Move::Forward), true) => "''",
            _ => "",
        };
        format!("{}{primes}", self.figure().names[node])
    }

    /// Name of a node in the pose before the act.
    pub fn label_before(&self, node: usize) -> String {
        let is_forward = self.act().kind == ActKind::Move(Move::Forward);
        let has_prime = is_forward && !self.figure().pinned[node] && !self.figure().has_own_names();
        let prime = if has_prime { "'" } else { "" };
        format!("{}{prime}", self.figure().names[node])
    }
}
