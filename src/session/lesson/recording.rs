//! A solve as it happened: the figure, and what every move left of it.

use crate::ik::{Chain, Move, Report, Settings, Stop, reach};
use glam::DVec3;
use std::sync::Arc;

/// Numbers kept at most: points of all acts together. What is beyond that nobody steps through.
const MOST_POINTS: usize = 500_000;

/// What stands still during a lesson: the nodes of a figure (joints, and the tips of effectors), parents first.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Parent of each node; none: a base.
    pub parents: Vec<Option<usize>>,
    /// Length of the link to the parent; zero for a base.
    pub lengths: Vec<f64>,
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
            parents: (0..count).map(|node| node.checked_sub(1)).collect(),
            lengths: std::iter::once(0.0).chain(chain.lengths().iter().copied()).collect(),
            goals: vec![(count - 1, target)],
            reach: chain.reach(),
        }
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
    /// Nodes in the order in which it moved them; empty: all at once.
    pub order: Arc<[usize]>,
    /// Error after it, of the reach.
    pub error: f64,
}

impl Act {
    /// Number of steps that it can be shown in.
    pub fn steps(&self) -> usize {
        self.order.len().max(1)
    }
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
    /// Solves a chain from `start` and keeps what happened; none when the points make no chain. A `free_base` is a
    /// rope's: it follows the tip, in one backward pass.
    pub fn of_chain(start: &[DVec3], target: DVec3, settings: &Settings, free_base: bool) -> Option<Recording> {
        let mut chain = Chain::new(start).ok()?;
        let lengths = chain.lengths().to_vec();
        let mut tape = Tape::new(Figure::chain(&chain, target), start);
        let affordable =
            u32::try_from(MOST_POINTS / (2 * start.len())).ok().and_then(|most| most.max(1).try_into().ok());
        let bounded = Settings {
            max_iterations: affordable.map_or(settings.max_iterations, |most| settings.max_iterations.min(most)),
            ..*settings
        };
        let report = if free_base {
            chain.reach_backward(target);
            tape.add(Move::Backward { aim: target }, chain.points().to_vec());
            Report { stop: Stop::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
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
struct Tape {
    figure: Figure,
    acts: Vec<Act>,
    tip_to_base: Arc<[usize]>,
    base_to_tip: Arc<[usize]>,
    at_once: Arc<[usize]>,
    iteration: u32,
}

impl Tape {
    fn new(figure: Figure, start: &[DVec3]) -> Self {
        let at_once: Arc<[usize]> = Arc::new([]);
        let act = Act {
            kind: ActKind::Start,
            iteration: 0,
            points: start.to_vec(),
            order: at_once.clone(),
            error: figure.error(start),
        };
        Tape {
            acts: vec![act],
            tip_to_base: (0..start.len()).rev().collect(),
            base_to_tip: (0..start.len()).collect(),
            at_once,
            iteration: 0,
            figure,
        }
    }

    fn last(&self) -> &[DVec3] {
        self.acts.last().map_or(&[], |act| &act.points)
    }

    fn add(&mut self, step: Move, points: Vec<DVec3>) {
        let order = match step {
            Move::Backward { .. } => &self.tip_to_base,
            Move::Forward => &self.base_to_tip,
            _ => &self.at_once,
        };
        if !matches!(step, Move::Forward) {
            self.iteration += u32::from(matches!(step, Move::Backward { .. } | Move::Iteration));
        }
        self.acts.push(Act {
            kind: ActKind::Move(step),
            iteration: self.iteration,
            error: self.figure.error(&points),
            points,
            order: order.clone(),
        });
    }
}
