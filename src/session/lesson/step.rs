//! One step of a lesson: a picture between two poses of a recording.

use super::recording::{Act, ActKind, Figure, Recording, Stop};
use crate::ik::{Move, reach};
use glam::DVec3;

/// The state after one step: the nodes that the act has moved so far are in their new places, the others still in
/// their old ones.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    recording: &'a Recording,
    act: usize,
    /// Index of the act's stops.
    stop: usize,
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

impl<'a> Step<'a> {
    pub(super) fn new(recording: &'a Recording, act: usize, stop: usize) -> Self {
        Step { recording, act, stop }
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

    /// Whether the act has moved this node so far.
    pub fn has_moved(&self, node: usize) -> bool {
        let order = &self.act().order;
        self.act > 0 && (order.is_empty() || order[..self.stop().done].contains(&node))
    }

    /// The node that this step moved; none when it moved all at once.
    pub fn node(&self) -> Option<usize> {
        self.stop().node
    }

    /// The line along which the step moved its node; none when it was put somewhere or all moved at once.
    pub fn slide(&self) -> Option<Slide> {
        let node = self.node()?;
        let moved = &self.act().order[..self.stop().done - 1];
        let is_neighbour = |other: usize| {
            let parents = &self.figure().parents;
            parents[node] == Some(other) || parents[other] == Some(node)
        };
        let anchor = moved.iter().rev().copied().find(|&other| is_neighbour(other))?;
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
            ideal: reach::place(after[anchor], before[node], length, before[node] - before[anchor]),
            length,
        })
    }

    /// Where each child of a sub-base would have it, while a backward pass comes to it; empty for other joints.
    pub fn wishes(&self) -> Vec<DVec3> {
        let (figure, before, after) = (self.figure(), self.before(), &self.act().points);
        let Some(node) = self.node().filter(|_| self.is_backward()) else { return Vec::new() };
        let wishes: Vec<DVec3> = figure
            .children(node)
            .filter(|&child| before[child] != after[child])
            .map(|child| reach::place(after[child], before[node], figure.lengths[child], before[node] - before[child]))
            .collect();
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
        Some(match (self.act().kind, self.node()) {
            (ActKind::Start, _) => 'a',
            (ActKind::Move(Move::Backward { .. }), Some(node)) => {
                let so_far = self.act().stops[..=self.stop].iter().filter_map(|stop| stop.node);
                let joints = so_far.filter(|&node| !self.figure().is_effector(node)).count();
                match joints {
                    _ if self.figure().is_effector(node) => 'b',
                    1 => 'c',
                    _ => 'd',
                }
            }
            (ActKind::Move(Move::Forward), Some(node)) => {
                if self.figure().parents[node].is_none() {
                    'e'
                } else {
                    'f'
                }
            }
            _ => return None,
        })
    }

    /// Name of a node as the figure writes it: P1 is the base; one prime after a backward pass, two after a forward one.
    pub fn label(&self, node: usize) -> String {
        let primes = match (self.act().kind, self.has_moved(node)) {
            (ActKind::Move(Move::Backward { .. }), true) | (ActKind::Move(Move::Forward), false) => "'",
            (ActKind::Move(Move::Forward), true) => "''",
            _ => "",
        };
        format!("{}{primes}", self.figure().names[node])
    }

    /// Name of a node in the pose before the act.
    pub fn label_before(&self, node: usize) -> String {
        let prime = if self.act().kind == ActKind::Move(Move::Forward) { "'" } else { "" };
        format!("{}{prime}", self.figure().names[node])
    }
}
