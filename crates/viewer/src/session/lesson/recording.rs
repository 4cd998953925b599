//! A recorded solve: the figure, and what every move of the solver did to it.

use super::figure::LessonFigure;
use super::subject::LessonStart;
use crate::session::numbers::Effort;
use crate::session::numbers::VISIBLE;
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Isometry, Report, Stop};
use glam::DVec3;
use std::sync::Arc;

/// One whole reaching pass, or another move of the solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// What the solver did; none at the start. A refinement may include other start poses, if limits block the way.
    pub event: Option<SolveEvent>,
    /// The iteration that it belongs to, from 1; 0 before the first.
    pub iteration: u32,
    /// Positions of all nodes after it.
    pub points: Vec<DVec3>,
    /// All nodes in the order in which they moved; empty if they moved together.
    pub order: Arc<[usize]>,
    /// The stops at which it is shown.
    pub stops: Arc<[LessonStop]>,
    /// Joints that are at a limit after it.
    pub limited: Vec<usize>,
    /// Nodes that obstacles have pushed out; empty for forward passes, which follow the backward ones.
    pub pushed: Vec<usize>,
    /// Frames of the figure's joints after it; empty for a chain. After a backward pass they need not be connected.
    pub frames: Vec<Isometry>,
    /// Error after it, as a fraction of the reach.
    pub error: f64,
}

impl Phase {
    /// Whether it is the backward pass of an iteration, after which the base is off its place.
    pub(in crate::session) fn is_backward(&self) -> bool {
        matches!(self.event, Some(SolveEvent::Backward { .. }))
    }

    /// Whether it is a reaching pass.
    pub(in crate::session) fn is_reaching(&self) -> bool {
        matches!(self.event, Some(SolveEvent::Backward { .. } | SolveEvent::Forward))
    }

    /// Whether it is a reaching pass, or an iteration of another method.
    fn is_pass(&self) -> bool {
        use SolveEvent::{Backward, Forward, Iteration};
        matches!(self.event, Some(Backward { .. } | Forward | Iteration))
    }
}

/// How far a solve is after a round: an iteration, a closed-form move, or the whole refinement. The first round is the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// What the solve has done up to here.
    pub effort: Effort,
    /// Whether this round is an iteration.
    pub is_iteration: bool,
    /// Error after it, as a fraction of the reach.
    pub error: f64,
}

/// A point within a phase at which the lesson stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonStop {
    /// Number of nodes in the order of the phase that have moved.
    pub done: usize,
    /// The node that moved last; none if all moved together.
    pub node: Option<usize>,
}

/// What a solve has not met although all effectors are on their targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// For a table: `overlaps`.
    pub word: &'static str,
    /// For a sentence: `links still overlap something`.
    pub clause: &'static str,
}

/// Fewer iterations are shown, although nothing can be seen in them.
const MIN_SKIPPED: usize = 3;
/// A lesson shows the iterations after this number in one step: they go on as before.
const MOST_SHOWN: usize = 20;

/// A recorded solve.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonRecording {
    /// What is solved.
    pub figure: LessonFigure,
    /// Its phases. The first is the start pose.
    pub phases: Vec<Phase>,
    /// The report of the solver.
    pub report: Report,
    /// The method that solved it.
    pub method: Method,
    /// Tolerance of the solve, as a fraction of the reach.
    pub tolerance: f64,
    /// Where the start pose comes from.
    pub start: LessonStart,
}

impl LessonRecording {
    /// Whether a phase ends a round: any but a backward pass that the forward pass of its iteration follows. That of a free base,
    /// which nothing pulls back, ends its iteration itself.
    fn ends_round(&self, phase: usize) -> bool {
        let own = &self.phases[phase];
        let next = self.phases.get(phase + 1).filter(|next| next.is_pass() && next.iteration == own.iteration);
        !own.is_backward() || next.is_none()
    }

    /// The phases that end rounds.
    pub(in crate::session) fn round_ends(&self) -> impl Iterator<Item = &Phase> {
        (0..self.phases.len()).filter(|at| self.ends_round(*at)).map(|at| &self.phases[at])
    }

    /// Whether the solve makes reaching passes.
    pub(in crate::session) fn has_reaching(&self) -> bool {
        self.phases.iter().any(Phase::is_reaching)
    }

    /// The backward pass of the first iteration and the forward pass, which is the same phase if the base is free. None if
    /// nothing can be seen in them, or they come no closer to the targets.
    pub(in crate::session) fn visible_iteration(&self) -> Option<[usize; 2]> {
        let backward = self.phases.iter().position(Phase::is_backward)?;
        let has_forward = self.phases.get(backward + 1).is_some_and(Phase::is_reaching);
        let (before, end) = (backward - 1, backward + usize::from(has_forward));
        let is_closer = self.phases[end].error < self.phases[before].error;
        (is_closer && self.moves_visibly(before, end)).then_some([backward, end])
    }

    /// The rounds of the solve, one for each phase that ends one. Their efforts end with that of the report.
    pub fn rounds(&self) -> Vec<Round> {
        let phases: Vec<&Phase> = self.round_ends().collect();
        let last = phases.last().map_or(0, |phase| phase.iteration);
        // The refinement steps belong to the rounds after the last iteration, in equal shares.
        let first = phases.partition_point(|phase| phase.iteration < last);
        let shares = (phases.len() - first).saturating_sub(1) as u64;
        let refined =
            |at: usize| (at as u64 * u64::from(self.report.refine_steps)).checked_div(shares).unwrap_or(0) as u32;
        let (mut rounds, mut iterations) = (Vec::with_capacity(phases.len()), 0);
        for (at, phase) in phases.iter().enumerate() {
            let effort = match at + 1 == phases.len() {
                true => Effort::from(self.report),
                false => Effort { iterations: phase.iteration, refine_steps: refined(at.saturating_sub(first)) },
            };
            rounds.push(Round { effort, is_iteration: phase.iteration > iterations, error: phase.error });
            iterations = phase.iteration;
        }
        rounds
    }

    /// What the solve has not met within its iterations although all effectors are on their targets.
    pub(in crate::session) fn unmet(&self) -> Option<Unmet> {
        let is_there = self.phases.last().is_some_and(|phase| phase.error <= self.tolerance);
        let unmet = match self.report.error <= self.tolerance {
            false => Unmet { word: "loop open", clause: "a loop is still open" },
            true if self.figure.oriented.is_empty() => {
                Unmet { word: "overlaps", clause: "links still overlap something" }
            }
            true => Unmet {
                word: "not all met",
                clause: "an orientation or the distance of links from obstacles is not met",
            },
        };
        (self.report.stop == Stop::IterationLimit && is_there).then_some(unmet)
    }

    /// The iteration after which the effectors were visibly nearer to their targets than at the end, 0 for the start, and the
    /// error then.
    pub(super) fn nearer(&self) -> Option<(u32, f64)> {
        let nearest = self.round_ends().min_by(|a, b| a.error.total_cmp(&b.error))?;
        let last = self.phases.last()?;
        (last.error - nearest.error > VISIBLE).then_some((nearest.iteration, nearest.error))
    }

    /// The last iterations, which a lesson shows in one step: those in which no node moves visibly, and those after the first
    /// [`MOST_SHOWN`]. Returns the phase before them, and the last one of them. All are passes or iterations of a method.
    pub(super) fn rest(&self) -> Option<(usize, usize)> {
        let ends = self.iteration_ends();
        let from = self.visible_iterations().clamp(1, MOST_SHOWN) - 1;
        let passes = self.phases[*ends.get(from)? + 1..].iter().take_while(|phase| phase.is_pass()).count();
        let to = ends.partition_point(|end| *end <= ends[from] + passes) - 1;
        (to >= from + MIN_SKIPPED).then(|| (ends[from], ends[to]))
    }

    /// The last phases of all iterations.
    fn iteration_ends(&self) -> Vec<usize> {
        let ends = |at: &usize| self.phases[*at].is_pass() && self.ends_round(*at);
        (0..self.phases.len()).filter(ends).collect()
    }

    /// Number of iterations up to the last one in which something can be seen to move.
    pub fn visible_iterations(&self) -> usize {
        let ends = self.iteration_ends();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        // Joints may go and come back within an iteration.
        let visible = starts.zip(&ends).enumerate().filter(|(_, (start, end))| self.moves_visibly(*start, **end));
        visible.last().map_or(0, |(at, _)| at + 1)
    }

    /// Whether a node moves visibly in a phase after `from`, up to `to`.
    pub(super) fn moves_visibly(&self, from: usize, to: usize) -> bool {
        self.phases[from..=to].windows(2).any(|pair| {
            let mut ways = pair[0].points.iter().zip(&pair[1].points).map(|(before, after)| before.distance(*after));
            ways.any(|way| way > VISIBLE * self.figure.reach)
        })
    }

    /// Error before a phase, as a fraction of the reach; for a pass, that before its iteration.
    pub fn error_before(&self, phase: usize) -> f64 {
        let own = &self.phases[phase];
        let mut before = self.phases[..phase].iter().rev();
        let earlier = before.find(|other| !own.is_pass() || other.iteration != own.iteration);
        earlier.unwrap_or(&self.phases[0]).error
    }
}
