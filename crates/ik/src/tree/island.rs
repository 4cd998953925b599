//! The solve of one island, and the buffers that it needs: made once, used for frame after frame.

use super::chain_island::{Strand, StrandSolver};
use super::coordinate_descent;
use super::layout::{GoalPlan, Plan};
use super::layout_key::Shape;
use super::objective::{CLOSED, CLOSURE, Score, Task};
use super::passes::Reach;
use super::poles::Leaning;
use super::refine::{Effort, Polish};
use super::search::{Manner, Poses, Tally};
use crate::methods::SkeletonStep;
use crate::model::pose::Coordinates;
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::{Island, Skeleton};
use crate::model::transform::Isometry;
use std::sync::Arc;

/// Solves one island of a skeleton again and again without allocating: targets, weights, obstacles and the base may
/// change freely from solve to solve. When goals, loops, poles or effectors come or go it adapts by itself.
#[derive(Clone, Debug)]
pub struct Workspace {
    island: Island,
    /// That of the problem; shared by its islands.
    shape: Arc<Shape>,
    plans: Vec<Plan>,
    /// For closing loops alone.
    closure: Option<Plan>,
    /// For an island that is nothing but a chain.
    strand: Option<StrandSolver>,
    pub(crate) reach: Reach,
    pub(crate) polish: Polish,
    pub(crate) poses: Poses,
    lean: Leaning,
}

impl Workspace {
    /// Buffers for an island of `skeleton`. Every later call must be given the same skeleton.
    pub fn new(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Self {
        let mut workspace = Workspace::empty(island.clone());
        if problem.fits(skeleton) {
            workspace.adapt(skeleton, problem);
        }
        workspace
    }

    /// One an island, made one after the other, for a problem that fits the skeleton.
    pub(crate) fn each(skeleton: &Skeleton, problem: &Problem) -> impl Iterator<Item = Self> {
        let shape = Arc::new(Shape::of(skeleton, problem));
        let ties = problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
        skeleton.islands(ties).into_iter().map(move |island| {
            let mut workspace = Workspace::empty(island);
            workspace.take_shape(skeleton, problem, Arc::clone(&shape));
            workspace
        })
    }

    fn empty(island: Island) -> Self {
        Workspace {
            island,
            shape: Arc::default(),
            plans: Vec::new(),
            closure: None,
            strand: None,
            reach: Reach::default(),
            polish: Polish::default(),
            poses: Poses::default(),
            lean: Leaning::default(),
        }
    }

    /// The joints that it solves.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// Carries the island's joints in `pose` (one entry a joint of the skeleton) as near to the goals as they get.
    ///
    /// Whatever the outcome, the pose is inside all limits and the best one found. Input that is not finite, or names
    /// joints that do not exist, is refused: [`Stop::Refused`], nothing moves.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.solve_in(Manner::Anew, skeleton, problem, settings, pose)
    }

    /// As [`Workspace::solve`], for targets that glide: `pose` is the answer of the last frame, and the new one lies next
    /// to it unless only another one meets the goals, or is far better. Where the goals cannot be met other poses are
    /// sought as well, elsewhere with every place of the targets, so that a few attempts a frame will do.
    pub fn track(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.solve_in(Manner::Tracking, skeleton, problem, settings, pose)
    }

    fn solve_in(
        &mut self,
        manner: Manner,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        if !problem.fits_pose(skeleton, pose) {
            return Report::REFUSED;
        }
        self.adapt(skeleton, problem);
        self.solve_sound(manner, skeleton, problem, settings, pose)
    }

    /// [`Workspace::solve`] for what is known to be sound and of the shape that it is made for.
    pub(crate) fn solve_sound(
        &mut self,
        manner: Manner,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        self.project(skeleton, pose);
        if let Some(strand) = &mut self.strand {
            return strand.solve(skeleton, problem, settings, pose);
        }
        let mut report = Report { stop: Stop::Reached, error: 0.0, iterations: 0, polish_steps: 0, attempts: 0 };
        let plans = std::mem::take(&mut self.plans);
        for plan in &plans {
            let stage = self.solve_stage(&task(skeleton, problem, plan, settings), manner, pose);
            report = Report {
                iterations: report.iterations + stage.iterations,
                polish_steps: report.polish_steps + stage.polish_steps,
                attempts: report.attempts.max(stage.attempts),
                ..stage
            };
        }
        self.plans = plans;
        report
    }

    /// Backward reaching, leaves to root: the frames (one a joint of the skeleton) that the goals want of `pose`. They
    /// may come off the base, break joints apart and leave limits; [`Workspace::forward`] puts that right.
    ///
    /// The pose and the problem must be such as [`Workspace::solve`] does not refuse.
    pub fn backward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &[Coordinates]) -> &[Isometry] {
        self.adapt(skeleton, problem);
        self.plan(skeleton, problem);
        skeleton.forward_kinematics(problem.base, pose, &mut self.polish.reading.frames);
        if let Some(plan) = self.plans.last() {
            self.reach.backward(skeleton, problem, plan, pose, &self.polish.reading.frames);
        }
        &self.reach.wanted
    }

    /// The frames that the last backward pass wanted, one a joint of the skeleton; empty before the first.
    pub fn wanted(&self) -> &[Isometry] {
        &self.reach.wanted
    }

    /// Forward reaching, root to leaves: carries `pose` inside all limits toward the frames that the last backward pass
    /// wanted. Without one nothing moves.
    pub fn forward(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) {
        if self.reach.wanted.len() != skeleton.len() {
            return;
        }
        self.adapt(skeleton, problem);
        self.plan(skeleton, problem);
        skeleton.forward_kinematics(problem.base, pose, &mut self.polish.reading.frames);
        if let Some(plan) = self.plans.last() {
            self.reach.forward(skeleton, problem, plan, pose, &mut self.polish.reading.frames);
        }
    }

    /// One iteration of the settings' method alone; of FABRIK where the method has none for skeletons, see
    /// [`Method::iterates_skeletons`](crate::model::settings::Method::iterates_skeletons). The pose and the problem must be such as [`Workspace::solve`] does not refuse.
    pub fn iterate_once(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) {
        self.adapt(skeleton, problem);
        self.plan(skeleton, problem);
        let plans = std::mem::take(&mut self.plans);
        if let Some(plan) = plans.last() {
            let task = task(skeleton, problem, plan, settings);
            self.polish.begin(&task, pose);
            self.polish.reading.read(&task, pose);
            self.iterate(&task, pose);
        }
        self.plans = plans;
    }

    /// Closes the loops of `pose` with as little motion as it takes, whatever the goals: for poses that were mixed from
    /// closed ones. Returns the widest gap that is left, as a fraction of the reach.
    pub fn close_loops(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        if !problem.fits_pose(skeleton, pose) {
            return f64::INFINITY;
        }
        self.adapt(skeleton, problem);
        self.close(skeleton, problem, pose)
    }

    /// As [`Workspace::close_loops`], for input that fits.
    fn close(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        let Some(plan) = self.closure.take() else { return 0.0 };
        let settings = Settings::default();
        let task = task(skeleton, problem, &plan, &settings);
        self.polish.begin(&task, pose);
        let gap = self.polish.run(&task, Effort::ATTEMPT, pose).score.gap;
        self.closure = Some(plan);
        gap
    }

    /// Whether the island is nothing but a chain of unlimited joints with one place to go to, solved by the passes alone.
    pub fn is_chain(&self) -> bool {
        self.strand.is_some()
    }

    /// The chain that the island is, if it is nothing but that.
    pub(crate) fn strand(&self) -> Option<&Strand> {
        self.strand.as_ref().map(StrandSolver::strand)
    }

    /// Makes the plans anew where the problem has changed its shape.
    pub(crate) fn adapt(&mut self, skeleton: &Skeleton, problem: &Problem) {
        if self.shape.fits(skeleton, problem) && (self.strand.is_some() || !self.plans.is_empty()) {
            return;
        }
        self.take_shape(skeleton, problem, Arc::new(Shape::of(skeleton, problem)));
    }

    fn take_shape(&mut self, skeleton: &Skeleton, problem: &Problem, shape: Arc<Shape>) {
        self.shape = shape;
        self.plans.clear();
        self.strand = Strand::of(skeleton, problem, &self.island).map(StrandSolver::new);
        self.closure = (!problem.loops.is_empty()).then(|| Plan::new(skeleton, problem, &self.island, &[]));
        // A strand is solved as a chain: plans, which are as long as the skeleton, are made for its passes only.
        if self.strand.is_none() {
            self.plan(skeleton, problem);
        }
    }

    fn plan(&mut self, skeleton: &Skeleton, problem: &Problem) {
        if self.plans.is_empty() {
            self.plans = Plan::stages(skeleton, problem, &self.island);
        }
    }

    fn project(&self, skeleton: &Skeleton, pose: &mut [Coordinates]) {
        for &i in &self.island.joints {
            pose[i] = skeleton.kind(i).project(pose[i]);
        }
        skeleton.follow(pose);
    }

    fn solve_stage(&mut self, task: &Task, manner: Manner, pose: &mut [Coordinates]) -> Report {
        let mut tally = Tally::default();
        self.polish.begin(task, pose);
        let iterated = task.settings.method.iterates_skeletons();
        let mut score = match manner {
            _ if iterated => self.iterate_only(task, pose, &mut tally),
            Manner::Anew => self.attempts(task, pose, &mut tally),
            Manner::Tracking => self.stay(task, pose, &mut tally),
        };
        if !iterated && !task.plan.hints.is_empty() {
            let creeps = manner == Manner::Tracking && tally.attempts == 1;
            score = self.lean(task, creeps, pose, score, &mut tally);
        }
        if !iterated && score.gap > CLOSED {
            self.close(task.skeleton, task.problem, pose);
            score = self.polish.reading.read(task, pose);
        }
        let stop = if score.reached(task.settings) { Stop::Reached } else { self.why(task, pose, &tally) };
        Report {
            stop,
            error: score.position.max(score.gap),
            iterations: tally.iterations,
            polish_steps: tally.polish_steps,
            attempts: tally.attempts,
        }
    }

    /// Leans toward the poles, as far as that costs no goal; where it `creeps`, not farther than a frame may show.
    fn lean(&mut self, task: &Task, creeps: bool, pose: &mut [Coordinates], before: Score, tally: &mut Tally) -> Score {
        self.poses.here.clear();
        self.poses.here.extend_from_slice(pose);
        let firm = task.firm();
        let (task, before) = match before.reached(task.settings) {
            true => (task, before),
            false => (&firm, self.polish.reading.read(&firm, pose)),
        };
        let leaned = if creeps {
            self.lean.creep(task, &mut self.polish, pose)
        } else {
            self.lean.run(task, &mut self.polish, pose)
        };
        tally.polish_steps += leaned.steps;
        if leaned.score.reached(task.settings) || leaned.score.cost <= before.cost * (1.0 + 1e-9) {
            return leaned.score;
        }
        pose.copy_from_slice(&self.poses.here);
        self.polish.reading.read(task, pose)
    }

    /// The method alone, as published: as many iterations as are allowed.
    fn iterate_only(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        tally.attempts = 1;
        let mut best = self.polish.reading.read(task, pose);
        self.poses.best.clear();
        self.poses.best.extend_from_slice(pose);
        while !best.reached(task.settings) && tally.iterations < task.settings.max_iterations.get() {
            let score = self.iterate(task, pose);
            tally.iterations += 1;
            if score.cost < best.cost {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
        }
        tally.cut_short = true;
        pose.copy_from_slice(&self.poses.best);
        self.polish.reading.read(task, pose)
    }

    /// One iteration of the settings' method, or else of FABRIK; the frames and the residuals of `pose` must be in the
    /// reading.
    fn iterate(&mut self, task: &Task, pose: &mut [Coordinates]) -> Score {
        match task.settings.method.skeleton_step() {
            SkeletonStep::CoordinateDescent => {
                coordinate_descent::sweep(task, pose, &mut self.polish.reading.frames);
                self.polish.reading.score(task)
            }
            SkeletonStep::Gradient(force) => self.polish.iterate(task, force, pose),
            SkeletonStep::Search | SkeletonStep::Passes | SkeletonStep::None => self.cycle(task, pose),
        }
    }

    /// One backward and one forward pass; the frames of `pose` must be in the reading.
    pub(crate) fn cycle(&mut self, task: &Task, pose: &mut [Coordinates]) -> Score {
        let frames = &mut self.polish.reading.frames;
        self.reach.backward(task.skeleton, task.problem, task.plan, pose, frames);
        self.reach.forward(task.skeleton, task.problem, task.plan, pose, frames);
        self.polish.reading.score(task)
    }

    /// Whether some target lies where no pose takes its effector, whatever the limits.
    pub(crate) fn out_of_reach(&self, task: &Task) -> Option<Stop> {
        let frames = &self.polish.reading.frames;
        let check = |goal: &GoalPlan| {
            let asked = &task.problem.goals[goal.index];
            let shell = goal.shell?;
            let target = asked.asked_position()?;
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
        let stops = task.plan.goals.iter().filter_map(check);
        stops.min_by_key(|stop| *stop != Stop::TooFar)
    }

    /// Why the goals are not met.
    fn why(&mut self, task: &Task, pose: &[Coordinates], tally: &Tally) -> Stop {
        if let Some(stop) = self.out_of_reach(task) {
            return stop;
        }
        // Only a search that ends where nothing nearer lies around it can blame limits: other methods get stuck at limits
        // that leave a way.
        let is_search = matches!(task.settings.method.skeleton_step(), SkeletonStep::Search);
        match tally.cut_short {
            _ if is_search && self.polish.is_blocked(task, pose) => Stop::Limited,
            true => Stop::IterationLimit,
            false => Stop::Stalled,
        }
    }
}

/// What a solve works on, without poles.
fn task<'a>(skeleton: &'a Skeleton, problem: &'a Problem, plan: &'a Plan, settings: &'a Settings) -> Task<'a> {
    Task { skeleton, problem, plan, settings, leans: &[], closure: CLOSURE }
}

/// Closes the loops of a pose that was mixed from closed ones; see [`Workspace::close_loops`].
pub fn close_loops(skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
    let ties = problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
    let gaps = skeleton
        .islands(ties)
        .into_iter()
        .map(|island| Workspace::new(skeleton, problem, &island).close_loops(skeleton, problem, pose));
    gaps.fold(0.0, f64::max)
}
