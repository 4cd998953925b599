//! The solver of one island, with all its buffers: made once, used for frame after frame.

use super::chain_island::{ChainIsland, ChainIslandSolver, PlainChain};
use super::coordinate_descent;
use super::layout::{GoalLayout, Layout};
use super::layout_key::LayoutKey;
use super::objective::{CLOSED, Score, Task};
use super::passes::Passes;
use super::poles::PoleRefiner;
use super::refine::{RefineLimits, Refiner};
use super::scratch::{Effort, Poses, Start};
use crate::fabrik::observer::Move;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::{Method, Settings};
use crate::model::skeleton::{Island, Skeleton};
use crate::model::transform::Isometry;
use std::sync::Arc;

/// Solves one island of a skeleton: for programs that schedule islands themselves, as a viewer does that gives each a
/// number of passes per frame. Everything else uses [`Solver`](crate::Solver).
///
/// Targets, weights, obstacles and the base may change from solve to solve without allocating. If goals, loops or poles
/// come or go, the solver lays itself out anew.
#[derive(Clone, Debug)]
pub struct IslandSolver {
    island: Island,
    /// What the layouts were made for; shared by the islands of a problem.
    key: Arc<LayoutKey>,
    layouts: Vec<Layout>,
    /// The layout for closing loops alone.
    closure: Option<Layout>,
    /// For an island that is a plain chain.
    chain: Option<ChainIslandSolver>,
    pub(crate) passes: Passes,
    pub(crate) refiner: Refiner,
    pub(crate) poses: Poses,
    poles: PoleRefiner,
    /// What the present solve has done, while somebody observes it.
    trace: Option<Vec<Observed>>,
}

/// What one step of an observed solve left.
#[derive(Clone, Debug)]
struct Observed {
    step: Move,
    frames: Vec<Isometry>,
    pose: Pose,
}

impl IslandSolver {
    /// A solver for an island of `skeleton`. Every later call must be given the same skeleton.
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Self {
        let mut solver = IslandSolver::empty(island.clone());
        if problem.fits(skeleton) {
            solver.prepare(skeleton, problem);
        }
        solver
    }

    /// One solver per island, created as the iterator advances; the problem must fit the skeleton.
    pub(crate) fn each(skeleton: &Skeleton, problem: &Problem) -> impl Iterator<Item = Self> {
        let key = Arc::new(LayoutKey::of(skeleton, problem));
        let ties = problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
        skeleton.islands(ties).into_iter().map(move |island| {
            let mut solver = IslandSolver::empty(island);
            solver.lay_out(skeleton, problem, Arc::clone(&key));
            solver
        })
    }

    fn empty(island: Island) -> Self {
        IslandSolver {
            island,
            key: Arc::default(),
            layouts: Vec::new(),
            closure: None,
            chain: None,
            passes: Passes::default(),
            refiner: Refiner::default(),
            poses: Poses::default(),
            poles: PoleRefiner::default(),
            trace: None,
        }
    }

    /// The joints that it solves.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// As [`Solver::solve`](crate::Solver::solve), for the joints of the island: the others stay.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.solve_from(Start::Free, skeleton, problem, settings, pose)
    }

    /// As [`Solver::track`](crate::Solver::track), for the joints of the island. Where the goals cannot be met it tries
    /// other poses too, different ones for each position of the targets, so that a few attempts per frame are enough.
    pub fn track(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.solve_from(Start::Warm, skeleton, problem, settings, pose)
    }

    /// As [`IslandSolver::solve`]; `observer` is told of every step up to the first refinement, and of the answer. It is
    /// given the step, the frames after it (one per joint of the skeleton) and the pose. After a backward pass the frames
    /// are the desired ones: they may break joints apart and leave limits.
    pub fn solve_observed(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
        mut observer: impl FnMut(Move, &[Isometry], &[Coordinates]),
    ) -> Report {
        self.trace = Some(Vec::new());
        let report = self.solve(skeleton, problem, settings, pose);
        let steps = self.trace.take().unwrap_or_default();
        let passes_only = settings.method.iterates_skeletons();
        for Observed { step, frames, pose } in &steps {
            observer(*step, frames, pose);
        }
        if !passes_only && report.stop != Stop::Refused {
            observer(Move::Refine, &skeleton.frames_at(problem.base, pose), pose);
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

    /// Solves input that is known to be sound, with layouts that fit it.
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
            let stage = self.solve_stage(&Task::new(skeleton, problem, layout, settings), start, pose);
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

    /// [`Solver::reach_backward`](crate::Solver::reach_backward) for sound input.
    pub(crate) fn backward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) {
        self.prepare_passes(skeleton, problem);
        skeleton.forward_kinematics(problem.base, pose, &mut self.refiner.evaluation.frames);
        if let Some(layout) = self.layouts.last() {
            self.passes.backward(skeleton, problem, layout, pose, &self.refiner.evaluation.frames);
        }
    }

    /// The desired frames of the last backward pass, one per joint of the skeleton; empty before the first.
    pub(crate) fn desired(&self) -> &[Isometry] {
        &self.passes.desired
    }

    /// [`Solver::reach_forward`](crate::Solver::reach_forward) for sound input. Without a backward pass before nothing moves.
    pub(crate) fn forward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) {
        if self.passes.desired.len() != skeleton.len() {
            return;
        }
        self.prepare_passes(skeleton, problem);
        skeleton.forward_kinematics(problem.base, pose, &mut self.refiner.evaluation.frames);
        if let Some(layout) = self.layouts.last() {
            self.passes.forward(skeleton, problem, layout, pose, &mut self.refiner.evaluation.frames);
        }
    }

    /// Closes the loops of `pose` with as little motion as possible, whatever the goals: for poses that were mixed from
    /// closed ones. Returns the widest gap that is left, as a fraction of the reach; infinity if the input is refused.
    pub fn close_loops(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        if !problem.fits_pose(skeleton, pose) {
            return f64::INFINITY;
        }
        self.prepare(skeleton, problem);
        self.close(skeleton, problem, pose)
    }

    /// [`IslandSolver::close_loops`] for input that fits.
    pub(crate) fn close(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        let Some(layout) = self.closure.take() else { return 0.0 };
        let settings = Settings::default();
        let task = Task::new(skeleton, problem, &layout, &settings);
        self.refiner.begin(&task, pose);
        let gap = self.refiner.run(&task, RefineLimits::ATTEMPT, pose).score.gap;
        self.closure = Some(layout);
        gap
    }

    /// Whether the island is a plain chain: unlimited joints with one position to reach, solved by the passes alone.
    pub fn is_chain(&self) -> bool {
        self.chain.is_some()
    }

    /// The island as a plain chain in `pose`, if it is one: what the solver takes its fast path for.
    pub fn plain_chain(&self, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> Option<PlainChain> {
        let chain = self.chain()?;
        let (mut points, mut rotations) = (Vec::new(), Vec::new());
        chain.unfold(skeleton, problem.base, pose, &mut points, &mut rotations);
        let (target, pole) = (chain.target(problem)?, chain.pole(problem));
        Some(PlainChain { points, target, pole, free_base: chain.free_base() })
    }

    /// The chain that the island is, if it is a plain one.
    pub(crate) fn chain(&self) -> Option<&ChainIsland> {
        self.chain.as_ref().map(ChainIslandSolver::chain)
    }

    /// Lays the island out anew if goals, loops, poles or obstacles have come or gone.
    fn prepare(&mut self, skeleton: &Skeleton, problem: &Problem) {
        if self.key.fits(skeleton, problem) && (self.chain.is_some() || !self.layouts.is_empty()) {
            return;
        }
        self.lay_out(skeleton, problem, Arc::new(LayoutKey::of(skeleton, problem)));
    }

    fn lay_out(&mut self, skeleton: &Skeleton, problem: &Problem, key: Arc<LayoutKey>) {
        self.key = key;
        self.layouts.clear();
        self.chain = ChainIsland::of(skeleton, problem, &self.island).map(ChainIslandSolver::new);
        self.closure = (!problem.loops.is_empty()).then(|| Layout::new(skeleton, problem, &self.island, &[]));
        // Layouts are as long as the skeleton. A plain chain needs them only for single passes.
        if self.chain.is_none() {
            self.layouts = Layout::stages(skeleton, problem, &self.island);
        }
    }

    /// As [`IslandSolver::prepare`], with layouts for the passes of a plain chain too.
    fn prepare_passes(&mut self, skeleton: &Skeleton, problem: &Problem) {
        self.prepare(skeleton, problem);
        if self.layouts.is_empty() {
            self.layouts = Layout::stages(skeleton, problem, &self.island);
        }
    }

    fn solve_stage(&mut self, task: &Task, start: Start, pose: &mut [Coordinates]) -> Report {
        let mut effort = Effort::default();
        self.refiner.begin(task, pose);
        let iterates = task.settings.method.iterates_skeletons();
        let mut score = match start {
            _ if iterates => self.iterate_only(task, pose, &mut effort),
            Start::Free => self.search(task, pose, &mut effort),
            Start::Warm => self.track_near(task, pose, &mut effort),
        };
        if !iterates && !task.layout.poles.is_empty() {
            let slowly = start == Start::Warm && effort.attempts == 1;
            score = self.pull_to_poles(task, slowly, pose, score, &mut effort);
        }
        if !iterates && score.gap > CLOSED {
            self.close(task.skeleton, task.problem, pose);
            score = self.refiner.evaluation.read(task, pose);
        }
        let stop = if score.reached(task.settings) { Stop::Reached } else { self.why(task, pose, &effort) };
        Report {
            stop,
            error: score.position.max(score.gap),
            iterations: effort.iterations,
            refine_steps: effort.refine_steps,
            attempts: effort.attempts,
        }
    }

    /// Moves joints toward their poles as far as that costs no goal; `slowly`: no farther than one frame may show.
    fn pull_to_poles(
        &mut self,
        task: &Task,
        slowly: bool,
        pose: &mut [Coordinates],
        before: Score,
        effort: &mut Effort,
    ) -> Score {
        self.poses.here.clear();
        self.poses.here.extend_from_slice(pose);
        let firm = task.firm();
        let (task, before) = match before.reached(task.settings) {
            true => (task, before),
            false => (&firm, self.refiner.evaluation.read(&firm, pose)),
        };
        let pulled = if slowly {
            self.poles.creep(task, &mut self.refiner, pose)
        } else {
            self.poles.run(task, &mut self.refiner, pose)
        };
        effort.refine_steps += pulled.steps;
        if pulled.score.reached(task.settings) || pulled.score.cost <= before.cost * (1.0 + 1e-9) {
            return pulled.score;
        }
        pose.copy_from_slice(&self.poses.here);
        self.refiner.evaluation.read(task, pose)
    }

    /// The method as published: its iterations and nothing else.
    fn iterate_only(&mut self, task: &Task, pose: &mut [Coordinates], effort: &mut Effort) -> Score {
        effort.attempts = 1;
        let mut best = self.refiner.evaluation.read(task, pose);
        self.poses.best.clear();
        self.poses.best.extend_from_slice(pose);
        while !best.reached(task.settings) && effort.iterations < task.settings.max_iterations.get() {
            let score = self.iterate(task, pose);
            effort.iterations += 1;
            if score.cost < best.cost {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
        }
        effort.cut_short = true;
        pose.copy_from_slice(&self.poses.best);
        self.refiner.evaluation.read(task, pose)
    }

    /// One iteration of the method, else of FABRIK. The evaluation must hold the frames and residuals of `pose`.
    fn iterate(&mut self, task: &Task, pose: &mut [Coordinates]) -> Score {
        let score = match task.settings.method {
            Method::Ccd => {
                coordinate_descent::sweep(task, pose, &mut self.refiner.evaluation.frames);
                self.refiner.evaluation.score(task)
            }
            method @ (Method::JacobianTranspose | Method::Dls | Method::SvdDls) => {
                self.refiner.iterate(task, method, pose)
            }
            _ => return self.cycle(task, pose),
        };
        self.observe(task, Move::Iteration, pose);
        score
    }

    /// One backward and one forward pass. The evaluation must hold the frames of `pose`.
    pub(crate) fn cycle(&mut self, task: &Task, pose: &mut [Coordinates]) -> Score {
        let Task { skeleton, problem, layout, .. } = *task;
        self.passes.backward(skeleton, problem, layout, pose, &self.refiner.evaluation.frames);
        let aim = layout.goals.first().and_then(|goal| problem.goals[goal.index].target.position);
        self.observe(task, Move::Backward { aim: aim.unwrap_or_default() }, pose);
        self.passes.forward(skeleton, problem, layout, pose, &mut self.refiner.evaluation.frames);
        self.observe(task, Move::Forward, pose);
        self.refiner.evaluation.score(task)
    }

    /// Keeps a step for the observer, if there is one.
    fn observe(&mut self, task: &Task, step: Move, pose: &[Coordinates]) {
        let Some(trace) = &mut self.trace else { return };
        // The frames of the evaluation are not those of joints that the solve does not need.
        let mut frames = task.skeleton.frames_at(task.problem.base, pose);
        if matches!(step, Move::Backward { .. }) {
            task.layout.order.iter().for_each(|&joint| frames[joint] = self.passes.desired[joint]);
        }
        trace.push(Observed { step, frames, pose: pose.to_vec() });
    }

    /// Whether some target lies where no pose brings its effector, whatever the limits.
    pub(crate) fn out_of_reach(&self, task: &Task) -> Option<Stop> {
        let frames = &self.refiner.evaluation.frames;
        let check = |goal: &GoalLayout| {
            let requested = &task.problem.goals[goal.index];
            let shell = goal.shell?;
            let target = requested.asked_position()?;
            let own = &task.skeleton.joints()[shell.center];
            let parent = own.parent.map_or(task.problem.base, |parent| frames[parent]);
            let distance = parent.point(own.offset).distance(target);
            let slack = task.settings.tolerance * goal.reach;
            if distance > shell.outer + slack {
                Some(Stop::TooFar)
            } else if distance < shell.inner - slack {
                Some(Stop::TooClose)
            } else {
                None
            }
        };
        let stops = task.layout.goals.iter().filter_map(check);
        stops.min_by_key(|stop| *stop != Stop::TooFar)
    }

    /// Why the goals are not met.
    fn why(&mut self, task: &Task, pose: &[Coordinates], effort: &Effort) -> Stop {
        if let Some(stop) = self.out_of_reach(task) {
            return stop;
        }
        // Only a search that ends at a local minimum can blame limits. Other methods get stuck at limits that leave a way.
        let searches = task.settings.method == Method::Accelerated;
        match effort.cut_short {
            _ if searches && self.refiner.is_blocked(task, pose) => Stop::Limited,
            true => Stop::IterationLimit,
            false => Stop::Stalled,
        }
    }
}
