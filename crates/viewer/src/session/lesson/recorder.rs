//! Records a solve: the reaching passes, one by one, and the refinement.

use super::figure::LessonFigure;
use super::recording::{LessonRecording, LessonStop, Phase};
use super::subject::{LessonStart, Subject};
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Pose, Report, Settings, Skeleton, Solver};
use glam::DVec3;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Most iterations of a lesson, and most points in all phases of a plain chain, which needs many iterations.
const MAX_ITERATIONS: NonZeroU32 = NonZeroU32::new(100).unwrap();
const MAX_POINTS: usize = 500_000;
/// Smallest motion of a node that gets a step of its own, as a fraction of the reach: of a chain, and of other figures, whose
/// loops are closed only this exactly.
const MIN_MOTION: [f64; 2] = [1e-12, 1e-6];

struct Recorder {
    figure: LessonFigure,
    phases: Vec<Phase>,
    /// Nodes in the order in which the passes move them. Those without a goal move with the node that carries them.
    tip_to_base: Arc<[usize]>,
    base_to_tip: Arc<[usize]>,
    /// For each node, whether it has steps of its own.
    has_steps: Vec<bool>,
    iteration: u32,
}

impl Recorder {
    /// A recording that starts with these positions of the nodes.
    fn new(figure: LessonFigure, start: &[DVec3]) -> Self {
        let pulled = figure.pulled();
        let has_steps: Vec<bool> =
            (0..figure.len()).map(|node| !figure.immovable[node] && (pulled[node] || figure.is_base(node))).collect();
        // For each node with steps, itself and what moves with it.
        let mut groups = vec![Vec::new(); figure.len()];
        let mut heads: Vec<Option<usize>> = Vec::with_capacity(figure.len());
        for (node, parent) in figure.parents.iter().enumerate() {
            let head = match has_steps[node] {
                true => Some(node),
                false => parent.filter(|_| !figure.immovable[node]).and_then(|parent| heads[parent]),
            };
            heads.push(head);
            if let Some(head) = head {
                groups[head].push(node);
            }
        }
        let immovable = (0..figure.len()).filter(|&node| figure.immovable[node]);
        let mut recorder = Recorder {
            phases: Vec::new(),
            tip_to_base: groups.iter().rev().flatten().copied().collect(),
            base_to_tip: immovable.chain(groups.iter().flatten().copied()).collect(),
            has_steps,
            iteration: 0,
            figure,
        };
        recorder.add(None, start.to_vec());
        recorder
    }

    /// The last phase.
    fn last(&mut self) -> &mut Phase {
        let last = self.phases.len() - 1;
        &mut self.phases[last]
    }

    fn finish(self, report: Report, settings: &Settings, start: LessonStart) -> LessonRecording {
        LessonRecording {
            figure: self.figure,
            phases: self.phases,
            report,
            method: settings.method,
            tolerance: settings.tolerance,
            start,
        }
    }

    /// Adds a move of the solver, or the start.
    fn add(&mut self, event: Option<SolveEvent>, points: Vec<DVec3>) {
        self.iteration += u32::from(matches!(event, Some(SolveEvent::Backward { .. } | SolveEvent::Iteration)));
        let order = match event {
            Some(SolveEvent::Backward { .. }) => self.tip_to_base.clone(),
            Some(SolveEvent::Forward) => self.base_to_tip.clone(),
            _ => Arc::new([]),
        };
        let stops = self.stops(&order, &points);
        let (iteration, error) = (self.iteration, self.figure.error(&points));
        self.phases.push(Phase {
            event,
            iteration,
            points,
            order,
            stops,
            limited: Vec::new(),
            pushed: Vec::new(),
            frames: Vec::new(),
            error,
        });
    }

    /// A stop for each node that moves, and for the first and the last node of the pass.
    fn stops(&self, order: &[usize], after: &[DVec3]) -> Arc<[LessonStop]> {
        let has_steps = |node: &usize| self.has_steps[*node];
        let (first, last) = (order.iter().find(|node| has_steps(node)), order.iter().rfind(|node| has_steps(node)));
        let (Some(first), Some(last)) = (first, last) else {
            return Arc::new([LessonStop { done: order.len(), node: None }]);
        };
        let before = &self.phases[self.phases.len() - 1].points;
        let min_motion = MIN_MOTION[usize::from(!self.figure.is_chain)] * self.figure.reach;
        let stops_at = |node: &usize| {
            has_steps(node) && (before[*node].distance(after[*node]) > min_motion || [first, last].contains(&node))
        };
        let steps = order.iter().enumerate().filter(|(_, node)| stops_at(node));
        let end_of_group = |at: usize| at + 1 + order[at + 1..].iter().take_while(|node| !has_steps(node)).count();
        steps.map(|(at, &node)| LessonStop { done: end_of_group(at), node: Some(node) }).collect()
    }
}

impl Subject {
    /// Most iterations that a recording holds.
    fn most_iterations(&self) -> NonZeroU32 {
        let affordable =
            || u32::try_from(MAX_POINTS / (2 * (self.figure.joints().len() + 1))).ok()?.max(1).try_into().ok();
        self.is_chain.then(affordable).flatten().unwrap_or(MAX_ITERATIONS)
    }

    /// The pose after the first iteration of the solve; none if it makes no reaching passes.
    pub(in crate::session) fn after_iteration(&self, settings: &Settings) -> Option<Pose> {
        let mut solver =
            Solver::new(Arc::clone(self.figure.skeleton())).problem(self.problem.clone()).settings(*settings);
        let (mut whole, mut after, mut is_forward) = (self.start.clone(), None, false);
        let _ = solver.solve_observed(&mut self.figure.pose(&self.start), |step, _, pose| {
            let is_reaching = matches!(step, SolveEvent::Backward { .. } | SolveEvent::Forward);
            if is_reaching && !is_forward {
                self.figure.write(pose, &mut whole);
                after = Some(whole.clone());
                is_forward = step == SolveEvent::Forward;
            }
        });
        after
    }

    /// Records the solve; none if there is no target position. The solver itself reports its moves.
    pub fn record(&self, skeleton: &Skeleton, settings: &Settings) -> Option<LessonRecording> {
        let Subject { figure: solved, problem, start, .. } = self;
        let mut all = skeleton.frames_at(problem.base, start);
        let figure = LessonFigure::of(skeleton, self, &all)?;
        // Methods for chains do not apply to skeletons.
        let applies = self.is_chain || !settings.method.is_for_chains_only();
        let method = if applies { settings.method } else { Method::Accelerated };
        let max_iterations = settings.max_iterations.min(self.most_iterations());
        let settings = &Settings { method, max_iterations, ..*settings };
        let mut recorder = Recorder::new(figure.clone(), &figure.places(&all));
        recorder.last().frames = figure.own(&all);
        recorder.last().limited = figure.limited(skeleton, start);
        let mut whole = start.to_vec();
        let mut solver = Solver::new(Arc::clone(solved.skeleton())).problem(problem.clone()).settings(*settings);
        let report = solver.solve_observed(&mut solved.pose(start), |step, frames, pose| {
            solved.write(pose, &mut whole);
            // A chain carries nothing but its own joints. There may be thousands of others.
            if !self.is_chain {
                skeleton.forward_kinematics(problem.base, &whole, &mut all);
            }
            solved.write(frames, &mut all);
            let points = figure.places(&all);
            if step == SolveEvent::Refine && recorder.last().points == points {
                return;
            }
            recorder.add(Some(step), points);
            let phase = recorder.last();
            phase.frames = figure.own(&all);
            // After a backward pass the joints are disconnected and have no valid coordinates. A chain has no limits.
            match phase.is_backward() {
                _ if self.is_chain => {}
                true => phase.pushed = figure.pushed(problem, &phase.points),
                false => phase.limited = figure.limited(skeleton, &whole),
            }
        });
        Some(recorder.finish(report, settings, self.origin))
    }
}
