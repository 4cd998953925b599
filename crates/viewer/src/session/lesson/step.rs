//! One step of a lesson: a state between two poses of a recording.

use super::figure::{Freedom, LessonFigure};
use super::recording::{LessonRecording, LessonStop, Phase};
use crate::session::command::StepUnit;
use crate::session::numbers::NEGLIGIBLE;
use fabrik3d_ik::Isometry;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::fabrik::passes;
use glam::DVec3;
use std::mem::{Discriminant, discriminant};

/// The state after one step: nodes that the phase has moved so far are at their new positions, all others at the old ones.
#[derive(Clone, Copy, Debug)]
pub struct LessonStep<'a> {
    pub(super) recording: &'a LessonRecording,
    /// Index of the phase.
    pub(super) phase: usize,
    /// If the step skips the rest of the iterations: the phase before them. Its own phase is their last one.
    pub(super) since: Option<usize>,
    /// Index of the stop in the phase.
    pub(super) stop: usize,
    pub(super) unit: StepUnit,
}

/// The motion of a node along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSlide {
    /// The node that moved.
    pub node: usize,
    /// Its neighbour that moved before it. The line starts there.
    pub anchor: usize,
    /// Position of the neighbour.
    pub anchor_place: DVec3,
    /// Former position of the node. The line passes through it.
    pub from: DVec3,
    /// New position of the node.
    pub to: DVec3,
    /// Position on the line at `length` from the neighbour. Without limits and obstacles, the node is there now.
    pub ideal: DVec3,
    /// Length of the link between the two.
    pub length: f64,
}

/// Where a pose has a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapPlace {
    /// Between this effector and its target.
    Effector(usize),
    /// In the link from this node to its parent, which has the wrong length.
    Link(usize),
    /// Between this base and its fixed position.
    Base(usize),
    /// Between these two nodes, which a loop joins.
    Tie(usize, usize),
}

/// The largest gap of a pose. A reaching pass moves it along the chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Where it is.
    pub place: GapPlace,
    /// Its size as a fraction of the reach.
    pub size: f64,
}

/// The joints that keep a node off its line.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockingJoints {
    /// Joints of the skeleton.
    pub joints: Vec<usize>,
    /// All joints of the figure with their frames.
    pub frames: Vec<(usize, Isometry)>,
}

/// Position of a step in a solve, comparable between methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LessonPosition {
    /// The iteration, from 1; 0 before the first.
    pub iteration: u32,
    /// What the solver does.
    pub event: Option<Discriminant<SolveEvent>>,
    /// The node that moved last.
    pub node: Option<usize>,
}

impl<'a> LessonStep<'a> {
    /// The phase before the iterations that the step skips; none if it skips none.
    pub fn since(&self) -> Option<&'a Phase> {
        self.since.map(|phase| &self.recording.phases[phase])
    }

    /// Whether something can be seen in the iterations that the step skips.
    pub(super) fn skips_visible_moves(&self) -> bool {
        self.since.is_some_and(|from| self.recording.moves_visibly(from, self.phase))
    }

    fn stop(&self) -> LessonStop {
        self.phase().stops[self.stop]
    }

    /// Its phase.
    pub fn phase(&self) -> &'a Phase {
        &self.recording.phases[self.phase]
    }

    /// Number of its phase, 0 for the start.
    pub fn phase_number(&self) -> usize {
        self.phase
    }

    /// Its position, which may also exist in the solve of another method.
    pub fn position(&self) -> LessonPosition {
        let phase = self.phase();
        // The target of a backward pass depends on the method.
        let event = phase.event.as_ref().map(discriminant);
        LessonPosition { iteration: phase.iteration, event, node: self.stop().node.filter(|_| self.since.is_none()) }
    }

    /// What is solved.
    pub fn figure(&self) -> &'a LessonFigure {
        &self.recording.figure
    }

    /// The whole solve.
    pub fn recording(&self) -> &'a LessonRecording {
        self.recording
    }

    /// Positions of the nodes before the phase.
    pub fn before(&self) -> &'a [DVec3] {
        self.since()
            .map_or_else(|| &self.recording.phases[self.phase.saturating_sub(1)].points[..], |phase| &phase.points)
    }

    /// Positions of the nodes after the step.
    pub fn points(&self) -> Vec<DVec3> {
        let mut points = self.before().to_vec();
        let after = &self.phase().points;
        match &self.phase().order[..] {
            [] => points.clone_from(after),
            order => order[..self.stop().done].iter().for_each(|&node| points[node] = after[node]),
        }
        points
    }

    /// Whether the step completes the phase.
    pub fn is_complete(&self) -> bool {
        self.stop + 1 == self.phase().stops.len()
    }

    /// Whether the step completes the solve.
    pub fn is_last(&self) -> bool {
        self.is_complete() && self.phase + 1 == self.recording.phases.len()
    }

    /// Whether the step shows a whole reaching pass, or several.
    pub fn is_pass(&self) -> bool {
        self.since.is_some() || self.unit == StepUnit::Pass && self.is_complete() && !self.phase().order.is_empty()
    }

    /// Whether the phase has moved this node so far.
    pub fn has_moved(&self, node: usize) -> bool {
        let order = &self.phase().order;
        self.phase > 0 && (order.is_empty() || order[..self.stop().done].contains(&node))
    }

    /// The node that the step moved; none if it moved several.
    pub fn node(&self) -> Option<usize> {
        self.stop().node.filter(|_| !self.is_pass())
    }

    /// The motion of the node along its line; none if the node did not move along a line.
    pub fn slide(&self) -> Option<NodeSlide> {
        let node = self.node()?;
        let anchor = self.anchor(node)?;
        let (before, after) = (self.before(), &self.phase().points);
        let link = node.max(anchor);
        let is_sliding = self.figure().sliding.contains(&link);
        let length = if is_sliding { after[node].distance(after[anchor]) } else { self.figure().lengths[link] };
        Some(NodeSlide {
            node,
            anchor,
            anchor_place: after[anchor],
            from: before[node],
            to: after[node],
            ideal: passes::place(after[anchor], before[node], length, before[node] - before[anchor]),
            length,
        })
    }

    /// The neighbour that moved before this node.
    fn anchor(&self, node: usize) -> Option<usize> {
        let figure = self.figure();
        let is_neighbour = |other: usize| figure.parents[node] == Some(other) || figure.parents[other] == Some(node);
        let before = self.phase().order.iter().take_while(|&&other| other != node);
        before.copied().filter(|&other| !figure.immovable[other] && is_neighbour(other)).last()
    }

    /// The joints that keep the node of this step off its line; none if it is on the line or no joint is the cause.
    pub fn blocking_joints(&self) -> Option<BlockingJoints> {
        let is_blocked = |slide: &NodeSlide| self.is_off_line(slide) && !self.is_only_pushed(slide);
        let slide = self.slide().filter(|slide| is_blocked(slide) && self.branch_positions().is_empty())?;
        let (figure, phase) = (self.figure(), self.phase());
        let at_anchor = |limited: bool| {
            let joints = figure.joints.iter().filter(move |(_, node)| *node == slide.anchor);
            joints.map(|&(joint, _)| joint).filter(move |joint| !limited || phase.limited.contains(joint))
        };
        // Of several joints at one position, those at their limits are the cause.
        let mut joints: Vec<usize> = at_anchor(true).collect();
        if joints.is_empty() {
            joints = at_anchor(false).collect();
        }
        let frames = figure.joints.iter().map(|&(joint, _)| joint).zip(phase.frames.iter().copied()).collect();
        (!joints.is_empty()).then_some(BlockingJoints { joints, frames })
    }

    /// Whether a node is off its line.
    pub fn is_off_line(&self, slide: &NodeSlide) -> bool {
        slide.to.distance(slide.ideal) > NEGLIGIBLE * self.figure().reach
    }

    /// Whether an obstacle has pushed this node out in the phase.
    pub fn is_pushed(&self, node: usize) -> bool {
        self.phase().pushed.contains(&node)
    }

    /// Whether nothing but an obstacle can keep a node off its line: its neighbour can turn freely about it.
    pub fn is_only_pushed(&self, slide: &NodeSlide) -> bool {
        let (figure, piece) = (self.figure(), self.piece(slide));
        let is_free = figure.freedoms[slide.anchor] == Freedom::Ball && figure.freedoms[slide.node] != Freedom::Rigid;
        self.is_pushed(slide.node)
            && is_free
            && !figure.oriented.contains(&piece)
            && figure.children(piece).count() == 1
    }

    /// The node that carries the rigid piece to which the link of a slide belongs.
    pub(super) fn piece(&self, slide: &NodeSlide) -> usize {
        let figure = self.figure();
        let lower = if figure.parents[slide.node] == Some(slide.anchor) { slide.anchor } else { slide.node };
        figure.piece_of(lower)
    }

    /// Whether a joint at this node is at a limit after the phase.
    pub fn is_limited(&self, node: usize) -> bool {
        self.figure().joints.iter().any(|(joint, at)| *at == node && self.phase().limited.contains(joint))
    }

    /// The gap that the step left at its node, or else the largest gap of the pose.
    pub fn gap(&self) -> Gap {
        let (figure, points) = (self.figure(), self.points());
        let links = (0..figure.len()).filter_map(|node| self.link_gap(node, &points));
        let effectors = figure.worst_goal(&points).map(|(node, size)| Gap { place: GapPlace::Effector(node), size });
        let ties = figure.ties.iter().map(|&(a, b)| {
            let size = points[a].distance(points[b]) / figure.reach;
            Gap { place: GapPlace::Tie(a, b), size }
        });
        let larger = |largest: Gap, gap: Gap| if gap.size > largest.size { gap } else { largest };
        let is_at = |gap: &Gap| match (gap.place, self.node()) {
            (GapPlace::Link(child), Some(node)) => child == node || figure.parents[child] == Some(node),
            _ => false,
        };
        let near = links.clone().filter(is_at).reduce(larger).filter(|gap| gap.size > NEGLIGIBLE);
        // Of equal gaps the first wins: that of an effector before that of a link.
        let all = effectors.into_iter().chain(links).chain(ties);
        near.or_else(|| all.reduce(larger)).unwrap_or(Gap { place: GapPlace::Base(0), size: 0.0 })
    }

    /// The gap of a link in its length, or of a base in its position; none for floating bases and slides.
    fn link_gap(&self, node: usize, points: &[DVec3]) -> Option<Gap> {
        let figure = self.figure();
        let (place, size) = match figure.parents[node] {
            _ if figure.floating.contains(&node) || figure.sliding.contains(&node) => return None,
            Some(parent) if !figure.is_base(node) => {
                (GapPlace::Link(node), (points[node].distance(points[parent]) - figure.lengths[node]).abs())
            }
            _ => (GapPlace::Base(node), points[node].distance(self.recording.phases[0].points[node])),
        };
        Some(Gap { place, size: size / figure.reach })
    }

    /// The children of a sub-base, each with the sub-base position that its branch requests, if a backward pass moves the
    /// sub-base in this step. Empty for other nodes.
    pub fn branch_positions(&self) -> Vec<(usize, DVec3)> {
        let (figure, before, after) = (self.figure(), self.before(), &self.phase().points);
        let Some(node) = self.node().filter(|_| self.is_backward()) else { return Vec::new() };
        let pulls = |child: usize| {
            before[child] != after[child] && self.phase().stops.iter().any(|stop| stop.node == Some(child))
        };
        let position = |child: usize| {
            let along = before[node] - before[child];
            (child, passes::place(after[child], before[node], figure.lengths[child], along))
        };
        let positions: Vec<_> = figure.children(node).filter(|&child| pulls(child)).map(position).collect();
        if positions.len() > 1 { positions } else { Vec::new() }
    }

    /// The error after the last complete forward pass, as a fraction of the reach.
    pub fn error(&self) -> f64 {
        let is_between = self.is_backward() || !self.is_complete();
        if is_between { self.recording.error_before(self.phase) } else { self.phase().error }
    }

    /// Whether the step belongs to a backward pass.
    pub fn is_backward(&self) -> bool {
        self.phase().is_backward()
    }

    /// The letter of the stage in the figure of the 2011 paper; none for other moves.
    pub fn letter(&self) -> Option<char> {
        Some(match (self.phase().event, self.stop().node) {
            _ if self.since.is_some() => return None,
            (None, _) => 'a',
            (Some(SolveEvent::Backward { .. }), Some(node)) => match self.anchor(node) {
                None => 'b',
                Some(end) if self.anchor(end).is_none() && self.branch_positions().is_empty() => 'c',
                Some(_) => 'd',
            },
            (Some(SolveEvent::Forward), Some(node)) if self.figure().is_base(node) => 'e',
            (Some(SolveEvent::Forward), Some(_)) => 'f',
            _ => return None,
        })
    }

    /// Name of a node as in the figure of the paper: P1 is the base, with one prime after a backward pass and two after a
    /// forward pass. Names of joints have no primes.
    pub fn label(&self, node: usize) -> String {
        let primes = match (self.phase().event, self.has_moved(node)) {
            _ if self.figure().immovable[node] || !self.figure().is_chain => "",
            (Some(SolveEvent::Backward { .. }), true) | (Some(SolveEvent::Forward), false) => "'",
            (Some(SolveEvent::Forward), true) => "''",
            _ => "",
        };
        format!("{}{primes}", self.figure().names[node])
    }

    /// Name of a node before the phase.
    pub fn label_before(&self, node: usize) -> String {
        let is_forward = self.phase().event == Some(SolveEvent::Forward);
        let has_prime = is_forward && !self.figure().immovable[node] && self.figure().is_chain;
        let prime = if has_prime { "'" } else { "" };
        format!("{}{prime}", self.figure().names[node])
    }
}
