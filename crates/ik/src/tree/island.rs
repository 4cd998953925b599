//! The solver of one island, with all its buffers. Created once and used frame after frame.

use super::bend::Bend;
use super::chain_island::{ChainBuffers, ChainIsland, PlainChain};
use super::layout::Layout;
use super::layout_key::LayoutKey;
use super::lazy::Lazy;
use super::objective::Objective;
use super::part::{Part, PartCase};
use super::passes::Passes;
use super::poles::PoleRefiner;
use super::refine::{RefineLimits, Refiner};
use super::scratch::{Observed, Poses, Start};
use super::share::Share;
use super::walk::Walk;
use crate::fabrik::observer::SolveEvent;
use crate::model::islands::Island;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::{Interrupt, Settings};
use crate::model::skeleton::Skeleton;
use crate::model::transform::Isometry;

/// Solves one island of a skeleton, for programs that schedule islands themselves, such as a viewer that gives each
/// island a number of passes per frame. All others use [`Solver`](crate::Solver).
///
/// Targets, weights, obstacles and the base may change from solve to solve without allocation. If goals, loops or poles
/// are added or removed, the solver rebuilds its layouts.
#[derive(Clone, Debug)]
pub struct IslandSolver {
    pub(super) island: Island,
    /// What belongs to the island of the problem that the layouts were built for.
    pub(super) share: Share,
    /// What the layouts are built for, unless that is the whole skeleton or there are none.
    pub(super) part: Option<Box<Part>>,
    /// The problem and the pose of the part.
    pub(super) case: Lazy<PartCase>,
    /// The key that the layouts were built for; none if the solver of the whole skeleton compares keys.
    pub(super) key: Option<Box<LayoutKey>>,
    pub(super) layouts: Vec<Layout>,
    /// A layout without goals, for closing loops alone.
    pub(super) loop_layout: Option<Box<Layout>>,
    /// The fast path, if the island is a plain chain.
    pub(super) chain: Option<Box<ChainIsland>>,
    pub(super) chain_buffers: Lazy<ChainBuffers>,
    pub(crate) passes: Lazy<Passes>,
    pub(crate) refiner: Lazy<Refiner>,
    pub(crate) poses: Lazy<Poses>,
    pub(crate) poles: Lazy<PoleRefiner>,
    pub(crate) walk: Lazy<Walk>,
    pub(crate) bend: Lazy<Bend>,
    /// The steps of the present solve, if it is observed.
    pub(crate) trace: Option<Vec<Observed>>,
}

impl IslandSolver {
    /// A solver for an island of `skeleton`. Every later call must use the same skeleton.
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Self {
        let mut solver = IslandSolver::unprepared(island.clone());
        if problem.fits(skeleton) {
            solver.prepare(skeleton, problem);
        }
        solver
    }

    /// A solver for an island, which its first solve prepares.
    pub fn unprepared(island: Island) -> Self {
        IslandSolver {
            island,
            share: Share::default(),
            part: None,
            case: Lazy::default(),
            key: None,
            layouts: Vec::new(),
            loop_layout: None,
            chain: None,
            chain_buffers: Lazy::default(),
            passes: Lazy::default(),
            refiner: Lazy::default(),
            poses: Lazy::default(),
            poles: Lazy::default(),
            walk: Lazy::default(),
            bend: Lazy::default(),
            trace: None,
        }
    }

    /// The joints of the island.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// Whether a problem asks nothing of the island.
    pub(crate) fn is_idle(&self, problem: &Problem) -> bool {
        self.share.loops.is_empty() && !self.share.goals.iter().any(|&at| problem.goals[at].is_active())
    }

    /// What belongs to the island of the problem that it was prepared for.
    pub(crate) fn share(&self) -> &Share {
        &self.share
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

    /// Keeps the best pose of another search, for a solve that [starts](Start::Hopeless) from it.
    pub(crate) fn keep_best(&mut self, best: &[Coordinates]) {
        self.poses.best.clear();
        match &self.part {
            Some(part) => self.poses.best.extend(part.joints().iter().map(|&joint| best[joint])),
            None => self.poses.best.extend_from_slice(best),
        }
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
        let mut shown = pose.to_vec();
        for Observed { step, frames, pose } in &steps {
            match &self.part {
                None => observer(*step, frames, pose),
                Some(part) => {
                    part.write(&self.island, pose, &mut shown);
                    let mut whole = skeleton.frames_at(problem.base, &shown);
                    part.write(&self.island, frames, &mut whole);
                    observer(*step, &whole, &shown);
                }
            }
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
        if !self.accepts(skeleton, problem, pose) {
            return Report::REFUSED;
        }
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
        if settings.interrupt.is_requested() {
            return Report::NOT_BEGUN;
        }
        if let Some(chain) = &self.chain {
            return self.chain_buffers.solve(chain, skeleton, problem, settings, pose);
        }
        self.on_part(skeleton, problem, pose, |solver, skeleton, problem, pose| {
            skeleton.follow(pose);
            let mut origin = std::mem::take(&mut solver.poses.origin);
            origin.clear();
            origin.extend_from_slice(pose);
            let report = solver.solve_stages(start, skeleton, problem, settings, pose);
            skeleton.turn_near(&origin, pose);
            solver.poses.origin = origin;
            report
        })
    }

    /// Calls `work` with the skeleton, the problem and the pose that the layouts are for; takes over the pose that it leaves.
    pub(super) fn on_part<R>(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        pose: &mut [Coordinates],
        work: impl FnOnce(&mut Self, &Skeleton, &Problem, &mut [Coordinates]) -> R,
    ) -> R {
        let Some(part) = self.part.take() else { return work(self, skeleton, problem, pose) };
        let mut case = std::mem::take(&mut self.case);
        part.load_problem(problem, &self.share, &mut case);
        part.load_pose(pose, &mut case.pose);
        let own = &mut *case;
        let result = work(self, &part.skeleton, &own.problem, &mut own.pose);
        part.write(&self.island, &own.pose, pose);
        (self.part, self.case) = (Some(part), case);
        result
    }

    fn solve_stages(
        &mut self,
        start: Start,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
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
        if let [layout] = &layouts[..] {
            report = self.try_branches(&Objective::new(skeleton, problem, layout, settings), start, report, pose);
        }
        self.layouts = layouts;
        report
    }

    /// Closes the loops of `pose` with as little motion as possible, regardless of the goals; use it for poses that
    /// were mixed from closed ones. Returns the largest remaining gap as a fraction of the reach, or infinity if the
    /// input is refused. An interrupt leaves the smallest gap found so far.
    pub fn close_loops(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        interrupt: Interrupt,
        pose: &mut [Coordinates],
    ) -> f64 {
        if !self.accepts(skeleton, problem, pose) {
            return f64::INFINITY;
        }
        self.close_prepared(skeleton, problem, interrupt, pose)
    }

    /// [`IslandSolver::close_loops`] for a problem and a pose that fit, with layouts that fit the problem.
    pub(crate) fn close_prepared(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        interrupt: Interrupt,
        pose: &mut [Coordinates],
    ) -> f64 {
        if self.loop_layout.is_none() {
            return 0.0;
        }
        self.on_part(skeleton, problem, pose, |own, skeleton, problem, pose| {
            own.close(skeleton, problem, interrupt, pose)
        })
    }

    /// Closes the loops of the part that the layouts are for.
    pub(crate) fn close(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        interrupt: Interrupt,
        pose: &mut [Coordinates],
    ) -> f64 {
        let Some(layout) = self.loop_layout.take() else { return 0.0 };
        let settings = Settings { interrupt, ..Settings::default() };
        let objective = Objective::new(skeleton, problem, &layout, &settings);
        self.refiner.begin(&objective, pose);
        let gap = self.refiner.run(&objective, RefineLimits::ATTEMPT, pose).score.gap;
        self.loop_layout = Some(layout);
        gap
    }

    /// The length that its errors are divided by.
    pub(crate) fn length(&self) -> f64 {
        let chain = || self.chain().map_or(0.0, |chain| chain.lengths().sum());
        self.layouts.last().map_or_else(chain, |layout| layout.length)
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
        self.chain.as_deref()
    }
}
