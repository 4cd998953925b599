//! The solve of one island, and the buffers that it needs: made once, used for frame after frame.

use super::cost::{Score, Task};
use super::lean::Leaning;
use super::passes::{Reach, place};
use super::plan::{GoalPlan, Plan};
use super::polish::{Effort, Polish};
use super::random::Random;
use super::restart::{self, Restart};
use super::shape::Shape;
use super::strand::{Strand, StrandSolver};
use super::{Coordinates, Island, Isometry, Method, Problem, Report, Settings, Skeleton, Stop};
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
    reach: Reach,
    polish: Polish,
    poses: Poses,
    lean: Leaning,
}

/// Poses that a solve keeps aside.
#[derive(Clone, Debug, Default)]
struct Poses {
    /// As it began.
    start: Vec<Coordinates>,
    /// The best of this attempt.
    here: Vec<Coordinates>,
    /// The best since the last pose that was all random.
    epoch: Vec<Coordinates>,
    /// The best of all.
    best: Vec<Coordinates>,
    /// Where polishing the start as it is led.
    near: Vec<Coordinates>,
}

/// What a solve has done so far.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    iterations: u32,
    polish_steps: u32,
    attempts: u32,
    cut_short: bool,
}

/// A cost root below which a pose counts as near: it is polished as it is, so that nothing jumps.
const WARM: f64 = 0.1;
/// Most reaching cycles of one attempt: they go on only while each halves the cost.
const CYCLES: u32 = 20;
/// Attempts where a target is out of reach whatever the limits.
const HOPELESS_ATTEMPTS: u32 = 5;
/// A pose that so many attempts ended at, with errors that differ by no more than this share, and whose error is not
/// small, is the best there is: the goals cannot be met.
const AGAIN: u32 = 10;
const SAME: f64 = 0.01;
const SURE: f64 = 0.05;
/// How much worse, as a share, a pose next to the start may be where the goals cannot be met.
const HARDLY: f64 = 0.04;

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
    pub(super) fn each(skeleton: &Skeleton, problem: &Problem) -> impl Iterator<Item = Self> {
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
        if !problem.fits(skeleton) || pose.len() != skeleton.len() || !pose.iter().all(Coordinates::is_finite) {
            return Report::REFUSED;
        }
        self.adapt(skeleton, problem);
        self.solve_sound(skeleton, problem, settings, pose)
    }

    /// [`Workspace::solve`] for what is known to be sound and of the shape that it is made for.
    pub(super) fn solve_sound(
        &mut self,
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
            let stage = self.solve_stage(&Task { skeleton, problem, plan, settings, leans: &[] }, pose);
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
        skeleton.place(problem.base, pose, &mut self.polish.reading.frames);
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
        skeleton.place(problem.base, pose, &mut self.polish.reading.frames);
        if let Some(plan) = self.plans.last() {
            self.reach.forward(skeleton, problem, plan, pose, &mut self.polish.reading.frames);
        }
    }

    /// Closes the loops of `pose` with as little motion as it takes, whatever the goals: for poses that were mixed from
    /// closed ones. Returns the widest gap that is left, as a fraction of the reach.
    pub fn close_loops(&mut self, skeleton: &Skeleton, problem: &Problem, pose: &mut [Coordinates]) -> f64 {
        let fits = problem.fits(skeleton) && pose.len() == skeleton.len();
        if !fits || !pose.iter().all(Coordinates::is_finite) {
            return f64::INFINITY;
        }
        self.adapt(skeleton, problem);
        let closure = self.closure.take();
        let plan = closure.unwrap_or_else(|| Plan::new(skeleton, problem, &self.island, &[]));
        let mut gap = 0.0;
        if !plan.loops.is_empty() {
            let task = Task { skeleton, problem, plan: &plan, settings: &Settings::default(), leans: &[] };
            self.polish.begin(&task, pose);
            gap = self.polish.run(&task, Effort::ATTEMPT, pose).score.gap;
        }
        self.closure = Some(plan);
        gap
    }

    /// The chain that the island is, if it is nothing but that.
    pub(super) fn strand(&self) -> Option<&Strand> {
        self.strand.as_ref().map(StrandSolver::strand)
    }

    /// Makes the plans anew where the problem has changed its shape.
    fn adapt(&mut self, skeleton: &Skeleton, problem: &Problem) {
        if self.shape.fits(skeleton, problem) && (self.strand.is_some() || !self.plans.is_empty()) {
            return;
        }
        self.take_shape(skeleton, problem, Arc::new(Shape::of(skeleton, problem)));
    }

    fn take_shape(&mut self, skeleton: &Skeleton, problem: &Problem, shape: Arc<Shape>) {
        self.shape = shape;
        self.plans.clear();
        self.strand = Strand::of(skeleton, problem, &self.island).map(StrandSolver::new);
        self.closure = None;
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

    fn solve_stage(&mut self, task: &Task, pose: &mut [Coordinates]) -> Report {
        let mut tally = Tally::default();
        self.polish.begin(task, pose);
        let mut score = match task.settings.method {
            Method::Textbook => self.passes_only(task, pose, &mut tally),
            _ => self.attempts(task, pose, &mut tally),
        };
        if task.settings.method != Method::Textbook && !task.plan.hints.is_empty() {
            self.poses.here.clear();
            self.poses.here.extend_from_slice(pose);
            let leaned = self.lean.run(task, &mut self.polish, pose);
            tally.polish_steps += leaned.steps;
            // A pole never costs a goal.
            if leaned.score.reached(task.settings) || leaned.score.cost <= score.cost * (1.0 + 1e-9) {
                score = leaned.score;
            } else {
                pose.copy_from_slice(&self.poses.here);
                score = self.polish.reading.read(task, pose);
            }
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

    /// FABRIK alone: as many cycles as are allowed.
    fn passes_only(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        tally.attempts = 1;
        let mut best = self.polish.reading.read(task, pose);
        self.poses.best.clear();
        self.poses.best.extend_from_slice(pose);
        while !best.reached(task.settings) && tally.iterations < task.settings.max_iterations.get() {
            let score = self.cycle(task, pose);
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

    /// One backward and one forward pass; the frames of `pose` must be in the reading.
    fn cycle(&mut self, task: &Task, pose: &mut [Coordinates]) -> Score {
        let frames = &mut self.polish.reading.frames;
        self.reach.backward(task.skeleton, task.problem, task.plan, pose, frames);
        self.reach.forward(task.skeleton, task.problem, task.plan, pose, frames);
        self.polish.reading.score(task)
    }

    /// Attempts from the given pose and from others until one meets all goals; leaves the best pose in `pose`.
    fn attempts(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        for kept in [&mut self.poses.start, &mut self.poses.here, &mut self.poses.epoch, &mut self.poses.best] {
            kept.clear();
            kept.extend_from_slice(pose);
        }
        let mut random = Random::new(task.settings.seed);
        self.poses.near.clear();
        let mut best = self.polish.reading.read(task, pose);
        let mut epoch = best;
        let warm = best.error() < WARM;
        let mut most = task.settings.max_attempts.get();
        if let Some(Stop::TooFar | Stop::TooClose) = self.out_of_reach(task) {
            most = most.min(HOPELESS_ATTEMPTS);
        }
        let floats = task.plan.floats(task.skeleton);
        let mut again = 0;
        for attempt in 0..most {
            if attempt > 0 {
                self.next_start(task, attempt, floats && best.error() < SURE, &mut random, pose);
            }
            // The start is tried both as it is and cold; what is likelier to do comes first.
            let as_it_is = attempt == u32::from(!warm);
            let score = self.attempt(task, as_it_is, pose, tally);
            tally.attempts += 1;
            if as_it_is {
                self.poses.near.clear();
                self.poses.near.extend_from_slice(pose);
            }
            let reached = score.reached(task.settings);
            again = match score.error() / best.error() {
                ratio if ratio < 1.0 - SAME && attempt > 0 => 0,
                ratio if ratio < 1.0 + SAME => again + 1,
                _ => again,
            };
            if reached || attempt.is_multiple_of(restart::EPOCH) || score.cost < epoch.cost {
                epoch = score;
                self.poses.epoch.copy_from_slice(pose);
            }
            let better = if attempt == 0 { score.cost <= best.cost } else { restart::clearly_better(&score, &best) };
            if reached || better {
                best = score;
                self.poses.best.copy_from_slice(pose);
            }
            if reached || (again >= AGAIN && best.error() > SURE) {
                break;
            }
        }
        pose.copy_from_slice(&self.poses.best);
        if best.reached(task.settings) { best } else { self.settle(task, pose, tally) }
    }

    /// Where the goals cannot be met: polishes the best pose to the end, and takes the one next to the start instead
    /// where that is hardly worse, so that a target dragged out of reach does not make the pose jump.
    fn settle(&mut self, task: &Task, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        let best = self.polish.run(task, Effort::SETTLE, pose);
        tally.polish_steps += best.steps;
        tally.cut_short = best.cut_short;
        if best.score.reached(task.settings) || self.poses.near.len() != pose.len() {
            return best.score;
        }
        let near = self.polish.run(task, Effort::SETTLE, &mut self.poses.near);
        tally.polish_steps += near.steps;
        if near.score.error() > (1.0 + HARDLY) * best.score.error() {
            return best.score;
        }
        tally.cut_short = near.cut_short;
        pose.copy_from_slice(&self.poses.near);
        near.score
    }

    /// One attempt: reaching cycles while they pay (but not from a pose to be taken as it is), then the polish. Leaves its best pose in `pose`.
    fn attempt(&mut self, task: &Task, as_it_is: bool, pose: &mut [Coordinates], tally: &mut Tally) -> Score {
        let mut best = self.polish.reading.read(task, pose);
        self.poses.here.copy_from_slice(pose);
        if best.reached(task.settings) {
            return best;
        }
        if !as_it_is {
            let mut before = best.error();
            for _ in 0..CYCLES.min(task.settings.max_iterations.get()) {
                let score = self.cycle(task, pose);
                tally.iterations += 1;
                if score.cost < best.cost {
                    best = score;
                    self.poses.here.copy_from_slice(pose);
                }
                if score.reached(task.settings) {
                    self.poses.here.copy_from_slice(pose);
                    return score;
                }
                if score.error() > 0.5 * before {
                    break;
                }
                before = score.error();
            }
            pose.copy_from_slice(&self.poses.here);
            restart::nudge(task, pose);
        }
        let polished = self.polish.run(task, Effort::ATTEMPT, pose);
        tally.polish_steps += polished.steps;
        if polished.score.reached(task.settings) || polished.score.cost < best.cost {
            return polished.score;
        }
        pose.copy_from_slice(&self.poses.here);
        best
    }

    /// The pose that attempt number `attempt` starts from; `close` says that the best one of something free nearly meets
    /// the goals, so that others are also sought next to it.
    fn next_start(&mut self, task: &Task, attempt: u32, close: bool, random: &mut Random, pose: &mut [Coordinates]) {
        if attempt == 1 {
            pose.copy_from_slice(&self.poses.start);
        } else if attempt.is_multiple_of(restart::EPOCH) {
            let from = Restart { start: &self.poses.start, best: &self.poses.best, attempt };
            restart::start_anew(task, random, &from, pose);
        } else if close && attempt % restart::EPOCH == 2 {
            pose.copy_from_slice(&self.poses.best);
            restart::kick(task, random, pose);
        } else {
            pose.copy_from_slice(&self.poses.epoch);
            let frames = &mut self.polish.reading.frames;
            place(task.skeleton, task.problem.base, &task.plan.order, pose, frames);
            restart::renew_limbs(task, random, frames, pose);
        }
    }

    /// Whether some target lies where no pose takes its effector, whatever the limits.
    fn out_of_reach(&self, task: &Task) -> Option<Stop> {
        let frames = &self.polish.reading.frames;
        let check = |goal: &GoalPlan| {
            let asked = &task.problem.goals[goal.index];
            let shell = goal.shell?;
            let target = asked.target.position.filter(|_| asked.weight > 0.0)?;
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
        match tally.cut_short {
            _ if self.polish.is_blocked(task, pose) => Stop::Limited,
            true => Stop::IterationLimit,
            false => Stop::Stalled,
        }
    }
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
