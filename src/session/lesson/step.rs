//! One step of a lesson: a picture between two poses of a recording.

use super::recording::{Act, ActKind, Figure, Recording};
use crate::ik::Move;
use glam::DVec3;

/// The state after one step: the nodes that the act has moved so far are in their new places, the others still in
/// their old ones.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    recording: &'a Recording,
    act: usize,
    count: usize,
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
    /// Where it is now, at `length` from the anchor.
    pub to: DVec3,
    /// Length of the link between them, which it keeps.
    pub length: f64,
}

impl<'a> Step<'a> {
    pub(super) fn new(recording: &'a Recording, act: usize, count: usize) -> Self {
        Step { recording, act, count }
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
            order => order[..self.count].iter().for_each(|&node| points[node] = after[node]),
        }
        points
    }

    /// Whether the act is complete with this step.
    pub fn is_complete(&self) -> bool {
        self.count == self.act().steps()
    }

    /// Whether the solve is over with this step.
    pub fn is_last(&self) -> bool {
        self.is_complete() && self.act + 1 == self.recording.acts.len()
    }

    /// Whether the act has moved this node so far.
    pub fn has_moved(&self, node: usize) -> bool {
        let order = &self.act().order;
        self.act > 0 && (order.is_empty() || order[..self.count].contains(&node))
    }

    /// The node that this step moved; none when it moved all at once.
    pub fn node(&self) -> Option<usize> {
        self.act().order.get(self.count.wrapping_sub(1)).copied()
    }

    /// The line along which the step moved its node; none when it was put somewhere or all moved at once.
    pub fn slide(&self) -> Option<Slide> {
        let node = self.node()?;
        let moved = &self.act().order[..self.count - 1];
        let is_neighbour = |other: usize| {
            let parents = &self.figure().parents;
            parents[node] == Some(other) || parents[other] == Some(node)
        };
        let anchor = moved.iter().rev().copied().find(|&other| is_neighbour(other))?;
        let after = &self.act().points;
        Some(Slide {
            node,
            anchor,
            anchor_place: after[anchor],
            from: self.before()[node],
            to: after[node],
            length: self.figure().lengths[node.max(anchor)],
        })
    }

    /// The letter of the stage in the paper's figure; none for moves that it does not know.
    pub fn letter(&self) -> Option<char> {
        let is_effector = |node: usize| self.figure().goals.iter().any(|&(goal, _)| goal == node);
        Some(match (self.act().kind, self.node()) {
            (ActKind::Start, _) => 'a',
            (ActKind::Move(Move::Backward { .. }), Some(node)) => {
                let joints = self.act().order[..self.count].iter().filter(|&&node| !is_effector(node)).count();
                match joints {
                    _ if is_effector(node) => 'b',
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
        format!("P{}{primes}", node + 1)
    }

    /// Name of a node in the pose before the act.
    pub fn label_before(&self, node: usize) -> String {
        let prime = if self.act().kind == ActKind::Move(Move::Forward) { "'" } else { "" };
        format!("P{}{prime}", node + 1)
    }
}
