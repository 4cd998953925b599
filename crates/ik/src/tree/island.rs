//! The solver of one island, with all its buffers. Created once and used frame after frame.

use super::bend::Bend;
use super::chain_island::{ChainIsland, ChainIslandSolver, PlainChain};
use super::layout::Layout;
use super::layout_key::LayoutKey;
use super::objective::Objective;
use super::passes::Passes;
use super::poles::PoleRefiner;
use super::refine::{RefineLimits, Refiner};
use super::scratch::{Poses, Start};
use super::walk::Walk;
use crate::fabrik::observer::SolveEvent;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::{Island, Skeleton};
use crate::model::transform::Isometry;
use std::sync::Arc;

/// Solves one island of a skeleton, for programs that schedule islands themselves, such as a viewer that gives each
/// island a number of passes per frame. All others use [`Solver`](crate::Solver).
///
/// Targets, weights, obstacles and the base may change from solve to solve without allocation. If goals, loops or poles
/// are added or removed, the solver rebuilds its layouts.
#[derive(Clone, Debug)]
pub struct IslandSolver {
    island: Island,
    /// The key that the layouts were built for; shared by the islands of a problem.
    key: Arc<LayoutKey>,
    layouts: Vec<Layout>,
    /// A layout without goals, for closing loops alone.
    loop_layout: Option<Layout>,
    /// The fast path, if the island is a plain chain.
    chain: Option<ChainIslandSolver>,
    pub(crate) passes: Passes,
    pub(crate) refiner: Refiner,
    pub(crate) poses: Poses,
    pub(crate) poles: PoleRefiner,
    pub(crate) walk: Walk,
    pub(crate) bend: Bend,
    /// The steps of the present solve, if it is observed.
    pub(crate) trace: Option<Vec<Observed>>,
}

/// The result of one step of an observed solve.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub step: SolveEvent,
    pub frames: Vec<Isometry>,
    pub pose: Pose,
}

impl IslandSolver {
    /// A solver for an island of `skeleton`. Every later call must use the same skeleton.
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Self {
        let mut solver = IslandSolver::empty(island.clone());
        if problem.fits(skeleton) {
            solver.prepare(skeleton, problem);
        }
        solver
    }

    /// One solver per island, created as the iterator advances. The problem must fit the skeleton.
    pub(crate) fn each(skeleton: &Skeleton, problem: &Problem) -> impl Iterator<Item = Self> {
        let key = Arc::new(LayoutKey::of(skeleton, problem));
        let ties = problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
        skeleton.islands(ties).into_iter().map(move |island| {
            let mut solver = IslandSolver::empty(island);
            solver.build_layouts(skeleton, problem, Arc::clone(&key));
            solver
        })
    }

    fn empty(island: Island) -> Self {
        IslandSolver {
            island,
            key: Arc::default(),
            layouts: Vec::new(),
            loop_layout: None,
            chain: None,
            passes: Passes::default(),
            refiner: Refiner::default(),
            poses: Poses::default(),
            poles: PoleRefiner::default(),
            walk: Walk::default(),
            bend: Bend::default(),
            trace: None,
        }
    }

    /// The joints of the island.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// As [`Solver::solve`](crate::Solver::solve), for the joints of the island; the others stay.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.solve_from(Start::Free, skeleton, problem, settings, pose)
    }

    /// As [`Solver::track`](crate::Solver::track), for the joints of the island. If the goals cannot be met, it tries
    /// other poses too. These differ for each position of the targets, so that a few attempts per frame are enough.
    pub fn track(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.solve_from(Start::Warm, skeleton, problem, settings, pose)
    }

    /// As [`IslandSolver::solve`], and calls `observer` for each step up to the first refinement and for the final
    /// pose. Its arguments are the step, the frames after it (one per joint of the skeleton) and the pose. After a
    /// backward pass, the frames are the desired ones: they may break joints apart and violate limits.
    pub fn solve_observed(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
        mut observer: impl FnMut(SolveEvent, &[Isometry], &[Coordinates]),
    ) -> Report {
        self.trace = Some(Vec::new());
        let report = self.solve(skeleton, problem, settings, pose);
        let steps = self.trace.take().unwrap_or_default();
        let iterations_only = settings.method.iterates_skeletons();
        for Observed { step, frames, pose } in &steps {
            observer(*step, frames, pose);
        }
        if !iterations_only && report.stop != Stop::Refused {
            observer(SolveEvent::Refine, &skeleton.frames_at(problem.base, pose), pose);
        }
        report
    }

    fn solve_from(
        &mut self,
        start: Start,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        if !problem.fits_pose(skeleton, pose) {
            return Report::REFUSED;
        }
        self.prepare(skeleton, problem);
        self.solve_prepared(start, skeleton, problem, settings, pose)
    }

    /// Solves a problem and a pose that fit, with layouts that fit the problem.
    pub(crate) fn solve_prepared(
        &mut self,
        start: Start,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        for &joint in &self.island.joints {
            pose[joint] = skeleton.kind(joint).project(pose[joint]);
        }
        skeleton.follow(pose);
        if let Some(chain) = &mut self.chain {
            return chain.solve(skeleton, problem, settings, pose);
        }
        let mut report = Report { stop: Stop::Reached, error: 0.0, iterations: 0, refine_steps: 0, attempts: 0 };
        let layouts = std::mem::take(&mut self.layouts);
        for layout in &layouts {
            let stage = self.solve_stage(&Objective::new(skeleton, problem, layout, settings), start, pose);
            report = Report {
                iterations: report.iterations + stage.iterations,
                refine_steps: report.refine_steps + stage.refine_steps,
                attempts: report.attempts.max(stage.attempts),
                ..stage
            };
        }
        self.layouts = layouts;
        report
    }

    /// [`Solver::reach_backward`](crate::Solver::reach_backward), for a problem and a pose that fit.
    pub(crate) fn backward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) {
        self.prepare_passes(skeleton, problem);
        skeleton.forward_kinematics(problem.base, pose, &mut self.refiner.evaluation.frames);
        if let Some(layout) = self.layouts.last() {
            let settings = Settings::default();
            let objective = Objective::new(skeleton, problem, layout, &settings);
            self.passes.backward(&objective, pose, &self.refiner.evaluation.frames);
        }
    }

    /// The desired frames of the last backward pass, one per joint of the skeleton; empty before the first pass.
    pub(crate) fn desired(&self) -> &[Isometry] {
        &self.passes.desired
    }

    /// [`Solver::reach_forward`](crate::Solver::reach_forward), for a problem and a pose that fit. Without a backward
    /// pass before, nothing moves.
    pub(crate) fn forward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) {
        if self.passes.desired.len() != skeleton.len() {
            return;
        }
        self.prepare_passes(skeleton, problem);
        skeleton.forward_kinematics(problem.base, pose, &mut self.refiner.evaluation.frames);
        if let Some(layout) = self.layouts.last() {
            let settings = Settings::default();
            let objective = Objective::new(skeleton, problem, layout, &settings);
            self.passes.forward(&objective, pose, &mut self.refiner.evaluation.frames);
        }
    }

    /// Closes the loops of `pose` with as little motion as possible, regardless of the goals; use it for poses that
    /// were mixed from closed ones. Returns the largest remaining gap as a fraction of the reach, or infinity if the
    /// input is refused.
    pub fn close_loops(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        if !problem.fits_pose(skeleton, pose) {
            return f64::INFINITY;
        }
        self.prepare(skeleton, problem);
        self.close(skeleton, problem, pose)
    }

    /// [`IslandSolver::close_loops`] for a problem and a pose that fit.
    pub(crate) fn close(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        let Some(layout) = self.loop_layout.take() else { return 0.0 };
        let settings = Settings::default();
        let objective = Objective::new(skeleton, problem, &layout, &settings);
        self.refiner.begin(&objective, pose);
        let gap = self.refiner.run(&objective, RefineLimits::ATTEMPT, pose).score.gap;
        self.loop_layout = Some(layout);
        gap
    }

    /// Whether the island is a plain chain: a line of unlimited joints with one position goal, solved on the fast path.
    pub fn is_chain(&self) -> bool {
        self.chain.is_some()
    }

    /// The island as a plain chain in `pose`, if it is one.
    pub fn plain_chain(&self, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Option<PlainChain> {
        let chain = self.chain()?;
        let (mut points, mut rotations) = (Vec::new(), Vec::new());
        chain.append_points(skeleton, problem.base, pose, &mut points, &mut rotations);
        let (target, pole) = (chain.target(problem)?, chain.pole(problem));
        Some(PlainChain { points, target, pole, free_base: chain.free_base() })
    }

    /// The chain of the fast path, if the island is one.
    pub(crate) fn chain(&self) -> Option<&ChainIsland> {
        self.chain.as_ref().map(ChainIslandSolver::chain)
    }

    /// Rebuilds the layouts if goals, loops, poles or obstacles have been added or removed.
    fn prepare(&mut self, skeleton: &Skeleton, problem: &Problem) {
        if self.key.fits(skeleton, problem) && (self.chain.is_some() || !self.layouts.is_empty()) {
            return;
        }
        self.build_layouts(skeleton, problem, Arc::new(LayoutKey::of(skeleton, problem)));
    }

    fn build_layouts(&mut self, skeleton: &Skeleton, problem: &Problem, key: Arc<LayoutKey>) {
        self.key = key;
        self.layouts.clear();
        self.chain = ChainIsland::of(skeleton, problem, &self.island).map(ChainIslandSolver::new);
        self.loop_layout = (!problem.loops.is_empty()).then(|| Layout::new(skeleton, problem, &self.island, &[]));
        // A layout has entries for every joint of the skeleton. A plain chain needs one for single passes only.
        if self.chain.is_none() {
            self.layouts = Layout::stages(skeleton, problem, &self.island);
        }
    }

    /// As [`IslandSolver::prepare`], with layouts for the passes also if the island is a plain chain.
    fn prepare_passes(&mut self, skeleton: &Skeleton, problem: &Problem) {
        self.prepare(skeleton, problem);
        if self.layouts.is_empty() {
            self.layouts = Layout::stages(skeleton, problem, &self.island);
        }
    }
}
