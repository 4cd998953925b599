//! Builds a recording from the moves of the solver.

use super::figure::LessonFigure;
use super::recording::{LessonRecording, LessonStart, LessonStop, Phase};
use fabrik3d_ik::fabrik::observer::SolveEvent;
use fabrik3d_ik::{Report, Settings};
use glam::DVec3;
use std::sync::Arc;

/// Smallest motion of a node that gets a step of its own, as a fraction of the reach, for chains.
const MIN_MOTION: f64 = 1e-12;
/// The same for skeletons, whose loops are closed only this exactly.
const MIN_MOTION_ON_SKELETON: f64 = 1e-6;

pub(super) struct Recorder {
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
    pub fn new(figure: LessonFigure, start: &[DVec3]) -> Self {
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
    pub fn last(&mut self) -> &mut Phase {
        let last = self.phases.len() - 1;
        &mut self.phases[last]
    }

    pub fn finish(self, report: Report, settings: &Settings) -> LessonRecording {
        LessonRecording {
            figure: self.figure,
            phases: self.phases,
            report,
            method: settings.method,
            tolerance: settings.tolerance,
            start: LessonStart::default(),
        }
    }

    /// Adds a move of the solver, or the start.
    pub fn add(&mut self, event: Option<SolveEvent>, points: Vec<DVec3>) {
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
        let min_motion = if self.figure.points.is_empty() { MIN_MOTION } else { MIN_MOTION_ON_SKELETON };
        let min_motion = min_motion * self.figure.reach;
        let stops_at = |node: &usize| {
            has_steps(node) && (before[*node].distance(after[*node]) > min_motion || [first, last].contains(&node))
        };
        let steps = order.iter().enumerate().filter(|(_, node)| stops_at(node));
        let end_of_group = |at: usize| at + 1 + order[at + 1..].iter().take_while(|node| !has_steps(node)).count();
        steps.map(|(at, &node)| LessonStop { done: end_of_group(at), node: Some(node) }).collect()
    }
}
