//! The solver of one figure: what stays the same from solve to solve. The buffers belong to the thread that solves.

use super::layout::Layouts;
use super::objective::Objective;
use super::passes::Passes;
use super::plain_chain::{ChainBuffers, PlacedChain, PlainChain};
use super::restart::{self, Restart};
use super::scratch::{Given, Observed, Start};
use super::workspace::Workspace;
use crate::fabrik::observer::SolveEvent;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::transform::Isometry;
use crate::random::Random;
use crate::tree::figure::{Case, Figure};

/// The buffers of a thread that solves. They hold nothing from one solve to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    pub case: Case,
    pub chain: ChainBuffers,
    pub workspace: Workspace,
}

/// Solves one figure. Poses are those of the whole skeleton; only the joints of the figure change.
#[derive(Clone, Debug)]
pub(crate) struct FigureSolver {
    figure: Figure,
    /// The figure as a chain, if it is one: it is solved on the fast path.
    chain: Option<PlainChain>,
    /// Whether nothing is asked of the figure.
    is_idle: bool,
    /// Created on first use: chains, arms in SIMD lanes and idle figures need none.
    layouts: Option<Box<Layouts>>,
    /// The last backward pass that was made alone.
    passes: Option<Box<Passes>>,
}

impl FigureSolver {
    /// A solver for a figure of this problem.
    pub fn new(figure: Figure, problem: &Problem) -> Self {
        let share = figure.share();
        let is_idle = share.loops.is_empty() && !share.goals.iter().any(|&at| problem.goals[at].is_active());
        FigureSolver { chain: PlainChain::of(&figure, problem), figure, is_idle, layouts: None, passes: None }
    }

    /// The figure.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// The figure as a chain, if it is one.
    pub fn chain(&self) -> Option<&PlainChain> {
        self.chain.as_ref()
    }

    /// The same with the frame of its base.
    pub fn placed_chain(&self, base: Isometry) -> Option<PlacedChain<'_>> {
        self.chain.as_ref().map(|chain| PlacedChain { chain, figure: &self.figure, base })
    }

    /// Whether nothing is asked of the figure.
    pub fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Moves the figure in `pose` as near to its goals as possible.
    pub fn solve(&mut self, given: &Given, start: Start, buffers: &mut Buffers, pose: &mut [Coordinates]) -> Report {
        let Given { skeleton, problem, settings } = *given;
        self.figure.project(skeleton, pose);
        if settings.interrupt.is_requested() {
            return Report::NOT_BEGUN;
        }
        if let Some(chain) = self.placed_chain(problem.base) {
            return chain.solve(given, &mut buffers.case, &mut buffers.chain, pose);
        }
        if self.is_idle && problem.obstacles.is_empty() && self.figure.share().capsules.is_empty() {
            skeleton.follow(pose);
            return Report { stop: Stop::Reached, error: 0.0, iterations: 0, refine_steps: 0, attempts: 1 };
        }
        self.with_layouts(given, buffers, pose, |own, layouts, workspace, pose| {
            own.skeleton.follow(pose);
            workspace.solve(own, layouts, start, pose)
        })
    }

    /// Calls `work` with the skeleton and the problem of the figure, its layouts and its pose, and takes over the pose that it
    /// leaves.
    fn with_layouts<R>(
        &mut self,
        given: &Given,
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
        work: impl FnOnce(&Given, &Layouts, &mut Workspace, &mut [Coordinates]) -> R,
    ) -> R {
        let FigureSolver { figure, layouts, .. } = self;
        let Buffers { case, workspace, .. } = buffers;
        figure.with_case(given.problem, pose, case, |problem, pose| {
            let skeleton = figure.skeleton();
            let layouts = layouts.get_or_insert_with(|| Box::new(Layouts::new(skeleton, problem)));
            work(&Given { skeleton, problem, settings: given.settings }, layouts, workspace, pose)
        })
    }

    /// Keeps the best pose of another search, for a solve that [starts](Start::Hopeless) from it.
    pub fn keep_best(&self, best: &[Coordinates], buffers: &mut Buffers) {
        self.figure.read(best, &mut buffers.workspace.poses.best);
    }

    /// As [`FigureSolver::solve`], and calls `observer` for each step up to the first refinement and for the final pose.
    pub fn solve_observed(
        &mut self,
        given: &Given,
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
        observer: &mut impl FnMut(SolveEvent, &[Isometry], &[Coordinates]),
    ) -> Report {
        let Given { skeleton, problem, settings } = *given;
        buffers.workspace.trace = Some(Vec::new());
        let report = self.solve(given, Start::Free, buffers, pose);
        let mut shown = pose.to_vec();
        for Observed { step, frames, pose } in buffers.workspace.trace.take().unwrap_or_default() {
            self.figure.write(&pose, &mut shown);
            let mut all = skeleton.frames_at(problem.base, &shown);
            self.figure.write(&frames, &mut all);
            observer(step, &all, &shown);
        }
        if !settings.method.iterates_skeletons() {
            observer(SolveEvent::Refine, &skeleton.frames_at(problem.base, pose), pose);
        }
        report
    }

    /// Closes the loops of `pose` with as little motion as possible, regardless of the goals. Returns the largest remaining
    /// gap as a fraction of the reach.
    pub fn close_loops(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> f64 {
        if self.figure.share().loops.is_empty() {
            return 0.0;
        }
        self.with_layouts(given, buffers, pose, |own, layouts, workspace, pose| {
            let objective = |layout| Objective::new(own.skeleton, own.problem, layout, own.settings);
            layouts.loops.as_ref().map_or(0.0, |layout| workspace.close_loops(&objective(layout), pose))
        })
    }

    /// Whether `pose` meets everything that a problem asks of the figure: goals, and what has to keep clear.
    pub fn meets(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> bool {
        self.with_layouts(given, buffers, pose, |own, layouts, workspace, pose| {
            layouts.stages.iter().all(|layout| {
                let objective = Objective::new(own.skeleton, own.problem, layout, own.settings);
                workspace.refiner.begin(&objective, pose);
                workspace.refiner.evaluation.score(&objective).reached(own.settings)
            })
        })
    }

    /// Whether the effector of a goal would be in an obstacle at its target, so that nothing can meet the goal. `pose` is any
    /// pose.
    pub fn is_blocked_at_target(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> bool {
        self.with_layouts(given, buffers, pose, |own, layouts, _, pose| {
            let frames = own.skeleton.frames_at(own.problem.base, pose);
            let objective = |layout| Objective::new(own.skeleton, own.problem, layout, own.settings);
            layouts.stages.iter().any(|layout| objective(layout).is_blocked_at_target(&frames))
        })
    }

    /// The length that its errors are divided by.
    pub fn length(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> f64 {
        match &self.chain {
            Some(chain) => chain.lengths().sum(),
            None => self.with_layouts(given, buffers, pose, |_, layouts, _, _| layouts.last().length),
        }
    }

    /// Does `work` with the last layout and a pose of the figure, by the default settings.
    fn with_last_layout<R>(
        &mut self,
        given: &Given,
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
        work: impl FnOnce(&Objective, &mut [Coordinates]) -> R,
    ) -> R {
        let given = Given { settings: &Settings::default(), ..*given };
        self.with_layouts(&given, buffers, pose, |own, layouts, _, pose| {
            work(&Objective::new(own.skeleton, own.problem, layouts.last(), own.settings), pose)
        })
    }

    /// Writes a random pose of the figure to `pose`, for attempt number `attempt` from that pose.
    pub fn random_start(
        &mut self,
        given: &Given,
        attempt: u32,
        random: &mut Random,
        buffers: &mut Buffers,
        pose: &mut [Coordinates],
    ) {
        self.with_last_layout(given, buffers, pose, |objective, pose| {
            let start = pose.to_vec();
            restart::random_start(objective, random, &Restart { start: &start, best: &start, attempt }, pose);
        });
    }

    /// One backward reaching pass alone. Writes the desired frames of the figure to `frames`, which are those of `pose`.
    pub fn backward(&mut self, given: &Given, buffers: &mut Buffers, pose: &[Coordinates], frames: &mut [Isometry]) {
        let mut passes = self.passes.take().unwrap_or_default();
        self.with_last_layout(given, buffers, &mut pose.to_vec(), |objective, pose| {
            let own = objective.skeleton.frames_at(objective.problem.base, pose);
            passes.backward(objective, pose, &own);
        });
        self.figure.write(&passes.desired, frames);
        self.passes = Some(passes);
    }

    /// One forward reaching pass toward the frames of the last backward pass. Without one, nothing moves.
    pub fn forward(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) {
        let Some(mut passes) = self.passes.take() else { return };
        self.with_last_layout(given, buffers, pose, |objective, pose| {
            let mut own = objective.skeleton.frames_at(objective.problem.base, pose);
            passes.forward(objective, pose, &mut own);
        });
        self.passes = Some(passes);
    }
}
