//! A solve as it happened: the figure, and what every move left of it.

use crate::ik::Stop as Ending;
use crate::ik::{Chain, Move, Report, Settings, reach};
use crate::session::PlainChain;
use glam::DVec3;
use std::sync::Arc;

/// Numbers kept at most: points of all acts together. What is beyond that nobody steps through.
const MOST_POINTS: usize = 500_000;

/// What stands still during a lesson: the nodes of a figure (joints, and the tips of effectors), parents first.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Names of the nodes, without primes.
    pub names: Vec<String>,
    /// Parent of each node; none: a base.
    pub parents: Vec<Option<usize>>,
    /// Length of the link to the parent; zero for a base.
    pub lengths: Vec<f64>,
    /// Nodes whose link changes its length: sliding joints.
    pub sliding: Vec<usize>,
    /// The effectors: nodes with the targets that they should meet.
    pub goals: Vec<(usize, DVec3)>,
    /// Sum of the link lengths, to measure errors by.
    pub reach: f64,
}

impl Figure {
    /// A chain with its end effector at the last node.
    fn chain(chain: &Chain, target: DVec3) -> Self {
        let count = chain.points().len();
        Figure {
            names: (1..=count).map(|number| format!("P{number}")).collect(),
            parents: (0..count).map(|node| node.checked_sub(1)).collect(),
            lengths: std::iter::once(0.0).chain(chain.lengths().iter().copied()).collect(),
            sliding: Vec::new(),
            goals: vec![(count - 1, target)],
            reach: chain.reach(),
        }
    }

    /// Adds a node.
    pub(super) fn push(&mut self, name: String, parent: Option<usize>, length: f64) {
        self.names.push(name);
        self.parents.push(parent);
        self.lengths.push(length);
    }

    /// Nodes whose parent is `node`.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents.iter().enumerate().filter(move |(_, parent)| **parent == Some(node)).map(|(child, _)| child)
    }

    /// Whether an effector with a target sits on the node.
    pub fn is_effector(&self, node: usize) -> bool {
        self.goals.iter().any(|&(goal, _)| goal == node)
    }

    /// Largest distance of an effector from its target, of the reach.
    pub fn error(&self, points: &[DVec3]) -> f64 {
        let gaps = self.goals.iter().map(|&(node, target)| points[node].distance(target));
        gaps.fold(0.0, f64::max) / self.reach
    }
}

/// What an act of a solve was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActKind {
    /// Nothing yet: the pose in which the solve began.
    Start,
    /// A move of the solver.
    Move(Move),
    /// What finishes the passes on a skeleton: polish steps, and other starting poses where limits block the way.
    Polish,
}

/// One whole pass, or another move of the solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// What it was.
    pub kind: ActKind,
    /// The iteration that it belongs to, from 1; 0 before the first.
    pub iteration: u32,
    /// All nodes after it.
    pub points: Vec<DVec3>,
    /// All nodes in the order in which it moved them; empty: all at once.
    pub order: Arc<[usize]>,
    /// The steps in which it is shown: how many nodes of the order are done after each, and the one it is about.
    pub stops: Arc<[Stop]>,
    /// Nodes with a joint that rests at its limit after it.
    pub limited: Vec<usize>,
    /// Error after it, of the reach.
    pub error: f64,
}

/// Where the picture of an act stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Nodes of the act's order that have moved.
    pub done: usize,
    /// The node that moved last; none when all moved at once.
    pub node: Option<usize>,
}

/// A whole solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What was solved.
    pub figure: Figure,
    /// Its acts; the first is [`ActKind::Start`].
    pub acts: Vec<Act>,
    /// What the solver told its user.
    pub report: Report,
    /// Tolerance of the solve, of the reach.
    pub tolerance: f64,
}

impl Recording {
    /// Solves a chain and keeps what happened; none when its points make no chain. A rope's base follows the tip, in
    /// one backward pass.
    pub fn of_chain(plain: &PlainChain, settings: &Settings) -> Option<Recording> {
        let (start, target) = (&plain.points[..], plain.target);
        let mut chain = Chain::new(start).ok()?;
        chain.set_pole(plain.pole);
        let lengths = chain.lengths().to_vec();
        let mut tape = Tape::new(Figure::chain(&chain, target), start);
        let affordable =
            u32::try_from(MOST_POINTS / (2 * start.len())).ok().and_then(|most| most.max(1).try_into().ok());
        let bounded = Settings {
            max_iterations: affordable.map_or(settings.max_iterations, |most| settings.max_iterations.min(most)),
            ..*settings
        };
        let report = if plain.free_base {
            chain.reach_backward(target);
            tape.add(Move::Backward { aim: target }, chain.points().to_vec());
            Report { stop: Ending::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
        } else {
            chain.solve_watched(target, &bounded, |step, snapshot| {
                let mut points: Vec<DVec3> = snapshot.points().collect();
                if matches!(step, Move::Backward { .. }) {
                    // The accelerated solve spares itself the base; the figure of the pass shows it.
                    let before = tape.last();
                    points[0] = reach::place(points[1], before[0], lengths[0], before[0] - before[1]);
                }
                tape.add(step, points);
            })
        };
        Some(Recording { figure: tape.figure, acts: tape.acts, report, tolerance: settings.tolerance })
    }

    /// The act that begins with this pose.
    pub fn before(&self, act: usize) -> &[DVec3] {
        &self.acts[act.saturating_sub(1)].points
    }

    /// The pose in which an iteration of the act began: the error of its end is measured against this one's.
    pub fn error_before_iteration(&self, act: usize) -> f64 {
        let iteration = self.acts[act].iteration;
        let earlier = self.acts[..act].iter().rev().find(|other| other.iteration != iteration);
        earlier.unwrap_or(&self.acts[0]).error
    }
}

/// Takes acts down.
pub(super) struct Tape {
    pub figure: Figure,
    pub acts: Vec<Act>,
    tip_to_base: Arc<[usize]>,
    base_to_tip: Arc<[usize]>,
    iteration: u32,
}

impl Tape {
    pub fn new(figure: Figure, start: &[DVec3]) -> Self {
        let mut tape = Tape {
            acts: Vec::new(),
            tip_to_base: (0..start.len()).rev().collect(),
            base_to_tip: (0..start.len()).collect(),
            iteration: 0,
            figure,
        };
        tape.push(ActKind::Start, start.to_vec());
        tape
    }

    /// The pose after the last act.
    pub fn last(&self) -> &[DVec3] {
        self.acts.last().map_or(&[], |act| &act.points)
    }

    /// The error after the last act.
    pub fn error(&self) -> f64 {
        self.acts.last().map_or(0.0, |act| act.error)
    }

    /// A move of the solver.
    pub fn add(&mut self, step: Move, points: Vec<DVec3>) {
        self.iteration += u32::from(matches!(step, Move::Backward { .. } | Move::Iteration));
        self.push(ActKind::Move(step), points);
    }

    /// The pose in which the solve ends.
    pub fn finish(&mut self, points: Vec<DVec3>) {
        self.push(ActKind::Polish, points);
    }

    /// Notes which nodes are at a limit after the last act.
    pub fn limits(&mut self, limited: Vec<usize>) {
        self.acts.iter_mut().last().into_iter().for_each(|act| act.limited.clone_from(&limited));
    }

    fn push(&mut self, kind: ActKind, points: Vec<DVec3>) {
        let order = match kind {
            ActKind::Move(Move::Backward { .. }) => self.tip_to_base.clone(),
            ActKind::Move(Move::Forward) => self.base_to_tip.clone(),
            _ => Arc::new([]),
        };
        let stops = self.stops(&order, &points);
        let (iteration, error) = (self.iteration, self.figure.error(&points));
        self.acts.push(Act { kind, iteration, points, order, stops, limited: Vec::new(), error });
    }

    /// A step for each node that moves, and one for each end of the pass.
    fn stops(&self, order: &[usize], after: &[DVec3]) -> Arc<[Stop]> {
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
            return Arc::new([Stop { done: 0, node: None }]);
        };
        let least = 1e-12 * self.figure.reach;
        let before = self.last();
        let moves = |node: usize| before[node].distance(after[node]) > least || [first, last].contains(&node);
        let moved = order.iter().enumerate().filter(|(_, node)| moves(**node));
        moved.map(|(at, &node)| Stop { done: at + 1, node: Some(node) }).collect()
    }
}
