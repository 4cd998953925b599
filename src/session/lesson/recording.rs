//! A solve as it happened: the figure, and what every move left of it.

use super::Figure;
use crate::session::PlainChain;
use fabrik3d_ik::Stop as Ending;
use fabrik3d_ik::fabrik::passes;
use fabrik3d_ik::{Chain, Isometry, Method, Report, Settings, SolveEvent as Move};
use glam::DVec3;
use std::sync::Arc;

/// Numbers kept at most: points of all acts together. What is beyond that nobody steps through.
const MOST_POINTS: usize = 500_000;

/// Least motion of a node that gets a step, of the reach: of a chain, and of a skeleton, whose loops are closed no
/// better than this.
const SEEN: f64 = 1e-12;
const SEEN_ON_SKELETON: f64 = 1e-6;

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
    /// Joints that rest at a limit after it.
    pub limited: Vec<usize>,
    /// The frames behind it, in the order of the figure's joints; empty for a chain, which has none. After a backward
    /// pass they are those that are wanted and need not hang together.
    pub frames: Vec<Isometry>,
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
    /// The method that solved it.
    pub method: Method,
    /// Tolerance of the solve, of the reach.
    pub tolerance: f64,
    /// Which pose it began in.
    pub beginning: Beginning,
}

/// Which pose a lesson begins in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// The one that was on the screen.
    #[default]
    Shown,
    /// The one that was on the screen before the target jumped.
    BeforeJump,
    /// The scene's own: from the one on the screen there would be nothing to do.
    SceneStart,
}

impl Recording {
    /// Number of its steps, joint by joint.
    pub fn steps(&self) -> usize {
        self.acts.iter().map(|act| act.stops.len()).sum()
    }

    /// Solves a chain and keeps what happened; none when its points make no chain. A rope's base follows the tip, in
    /// one backward pass.
    pub fn of_chain(plain: &PlainChain, settings: &Settings) -> Option<Recording> {
        let (start, target) = (&plain.points[..], plain.target);
        let mut chain = Chain::new(start).ok()?;
        chain.set_pole(plain.pole);
        let lengths = chain.lengths().to_vec();
        let mut figure = Figure::chain(&chain, target);
        figure.floating.extend(plain.free_base.then_some(0));
        let mut tape = Tape::new(figure, start);
        let affordable =
            u32::try_from(MOST_POINTS / (2 * start.len())).ok().and_then(|most| most.max(1).try_into().ok());
        let bounded = Settings {
            max_iterations: affordable.map_or(settings.max_iterations, |most| settings.max_iterations.min(most)),
            ..*settings
        };
        let report = if plain.free_base {
            chain.reach_backward(target);
            tape.add(Move::Backward { target }, chain.points().to_vec());
            Report { stop: Ending::Reached, error: 0.0, iterations: 1, polish_steps: 0, attempts: 1 }
        } else {
            chain.solve_observed(target, &bounded, |step, snapshot| {
                let mut points: Vec<DVec3> = snapshot.points().collect();
                if matches!(step, Move::Backward { .. }) {
                    // The accelerated solve spares itself the base; the figure of the pass shows it.
                    let before = tape.last();
                    points[0] = passes::place(points[1], before[0], lengths[0], before[0] - before[1]);
                }
                tape.add(step, points);
            })
        };
        Some(tape.finished(report, settings))
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
    figure: Figure,
    acts: Vec<Act>,
    /// Nodes in the order in which the passes move them: what nothing pulls at goes along with what carries it.
    tip_to_base: Arc<[usize]>,
    base_to_tip: Arc<[usize]>,
    /// For each node whether it moves for itself, and so has steps of its own.
    moves_itself: Vec<bool>,
    iteration: u32,
}

impl Tape {
    pub fn new(figure: Figure, start: &[DVec3]) -> Self {
        let pulled = figure.pulled();
        let moves_itself: Vec<bool> =
            (0..figure.len()).map(|node| !figure.pinned[node] && (pulled[node] || figure.is_base(node))).collect();
        let carried = |head: usize| {
            let mut group = vec![head];
            for (node, &parent) in figure.parents.iter().enumerate().skip(head + 1) {
                let is_along = parent.is_some_and(|parent| group.contains(&parent));
                if is_along && !moves_itself[node] && !figure.pinned[node] {
                    group.push(node);
                }
            }
            group
        };
        let heads = || (0..figure.len()).filter(|&node| moves_itself[node]);
        let pinned = (0..figure.len()).filter(|&node| figure.pinned[node]);
        let mut tape = Tape {
            acts: Vec::new(),
            tip_to_base: heads().rev().flat_map(carried).collect(),
            base_to_tip: pinned.chain(heads().flat_map(carried)).collect(),
            moves_itself,
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

    /// Notes the frames behind the last act, and which joints are at a limit in it.
    pub fn note(&mut self, frames: Vec<Isometry>, limited: Vec<usize>) {
        if let Some(act) = self.acts.last_mut() {
            (act.frames, act.limited) = (frames, limited);
        }
    }

    /// What was taken down.
    pub fn finished(self, report: Report, settings: &Settings) -> Recording {
        let (figure, acts, tolerance) = (self.figure, self.acts, settings.tolerance);
        Recording { figure, acts, report, method: settings.method, tolerance, beginning: Beginning::default() }
    }

    fn push(&mut self, kind: ActKind, points: Vec<DVec3>) {
        let order = match kind {
            ActKind::Move(Move::Backward { .. }) => self.tip_to_base.clone(),
            ActKind::Move(Move::Forward) => self.base_to_tip.clone(),
            _ => Arc::new([]),
        };
        let stops = self.stops(&order, &points);
        let (iteration, error) = (self.iteration, self.figure.error(&points));
        self.acts.push(Act { kind, iteration, points, order, stops, limited: Vec::new(), frames: Vec::new(), error });
    }

    /// A step for each node that moves, and one for each end of the pass.
    fn stops(&self, order: &[usize], after: &[DVec3]) -> Arc<[Stop]> {
        let itself = |node: &usize| self.moves_itself[*node];
        let (first, last) = (order.iter().find(|node| itself(node)), order.iter().rfind(|node| itself(node)));
        let (Some(first), Some(last)) = (first, last) else {
            return Arc::new([Stop { done: order.len(), node: None }]);
        };
        let before = self.last();
        let seen = if self.figure.points.is_empty() { SEEN } else { SEEN_ON_SKELETON };
        let least = seen * self.figure.reach;
        let has_step = |node: &usize| {
            itself(node) && (before[*node].distance(after[*node]) > least || [first, last].contains(&node))
        };
        let steps = order.iter().enumerate().filter(|(_, node)| has_step(node));
        let after_group = |at: usize| at + 1 + order[at + 1..].iter().take_while(|node| !itself(node)).count();
        steps.map(|(at, &node)| Stop { done: after_group(at), node: Some(node) }).collect()
    }
}
