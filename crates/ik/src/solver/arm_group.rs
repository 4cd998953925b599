//! Serial arms in the SIMD lanes of [`simd::arms`](crate::simd::arms): for `many`.

use super::rows::Rows;
use crate::figure::Figure;
use crate::figure::solver::{Buffers, FigureSolver};
use crate::model::{
    Coordinates, Effector, Freedom, Isometry, Kind, Method, Problem, Report, Settings, Skeleton, merge,
};
use crate::search::Verb;
use crate::search::workspace::Given;
use crate::simd::Engine;
use crate::simd::arms::{ArmLanes, Bounds, Demand, Problems, Task, Unsolved, demand};
use std::ops::Range;

/// A figure with one effector, which hinges and slides move, and the problems that wait for the lanes.
#[derive(Debug)]
pub(crate) struct ArmGroup {
    lanes: ArmLanes,
    /// Index of the goal.
    goal: usize,
    /// The length that errors are divided by.
    scale: f64,
    /// The joints of the figure that move beside the variables of the arm. They keep their start, inside the limits.
    pub others: Vec<usize>,
    /// Whether there are obstacles or links to keep clear of. The lanes know nothing of them; the scalar solver judges
    /// their answers.
    keeps_clear: bool,
    /// The paths of problems that wait. The first problem of a path starts from its pose, each other one from the answer to the
    /// one before.
    pub waiting: Vec<Range<usize>>,
}

impl ArmGroup {
    /// The arm of a figure; `None` if the lanes cannot solve the figure.
    fn of(skeleton: &Skeleton, problem: &Problem, figure: &Figure, engine: Engine) -> Option<Self> {
        let share = &figure.share;
        if share.needs_search() || !share.poles.is_empty() || share.has_preferences(problem, figure.joints()) {
            return None;
        }
        if !problem.max_steps.is_empty() {
            return None;
        }
        let goals = share.goals.iter().map(|&at| (at, &problem.goals[at]));
        let mut active = goals.filter(|(_, goal)| goal.is_active());
        let (goal, own) = active.next()?;
        if active.next().is_some() {
            return None;
        }
        let effector: &Effector = &own.effector;
        if skeleton.ancestors(effector.joint).any(|joint| skeleton.joints()[joint].stiffness > 0.0) {
            return None;
        }
        let lanes = ArmLanes::new(skeleton, own, engine)?;
        let variables = &lanes.mount.variables;
        let moves = |joint: &usize| *skeleton.kind(*joint) != Kind::Fixed;
        let leads = |joint: &usize| moves(joint) && skeleton.joints()[*joint].mimic.is_none();
        let others = figure.joints().iter().copied().filter(|joint| leads(joint) && !variables.contains(joint));
        Some(ArmGroup {
            goal,
            scale: effector.error_scale(skeleton, []),
            others: others.collect(),
            keeps_clear: !(problem.obstacles.is_empty() && share.capsules.is_empty()),
            waiting: Vec::new(),
            lanes,
        })
    }

    /// Whether the lanes support these settings for this verb. Moves without a bound only.
    pub fn supports(settings: &Settings, verb: Verb) -> bool {
        settings.method == Method::Accelerated && !(verb == Verb::Track && settings.max_step.is_some())
    }

    /// Solves all problems that wait. Those that the lanes do not solve go to the scalar solver.
    pub fn solve(&mut self, work: ArmWork<'_>) {
        let mut bounds = self.lanes.bounds(work.settings, self.scale);
        if work.start == Verb::Track {
            // A restart would leave the path; the scalar search looks for a pose nearby.
            bounds.attempts = 1;
        }
        if !self.waiting.is_empty() {
            let values = vec![0.0; self.lanes.mount.variables.len()];
            let mut lanes = GroupProblems { group: self, next: 0, kept: Vec::new(), values, bounds, work };
            self.lanes.run(bounds, &mut lanes);
        }
        self.waiting.clear();
    }
}

/// What the problems of a group belong to.
pub(crate) struct ArmWork<'a> {
    /// How the scalar solver treats a start pose.
    pub start: Verb,
    /// The scalar solver of the figure.
    pub solver: &'a mut FigureSolver,
    pub buffers: &'a mut Buffers,
    pub skeleton: &'a Skeleton,
    pub settings: &'a Settings,
    /// The problems and their poses.
    pub rows: &'a mut dyn Rows,
    /// The reports by index.
    pub reports: &'a mut [Option<Report>],
}

/// The problems of a group on their way through the lanes.
struct GroupProblems<'a, 'w> {
    group: &'a ArmGroup,
    /// Index of the next path that waits.
    next: usize,
    /// The coordinates of the figure while others are judged in their place: a copy of the whole pose would make the time
    /// grow with the square of the number of figures.
    kept: Vec<Coordinates>,
    /// The coordinates of the variables.
    values: Vec<f64>,
    bounds: Bounds,
    work: ArmWork<'w>,
}

impl GroupProblems<'_, '_> {
    /// The first task from `at` to the end of its path. What is not for the lanes is solved on the way. `variables` holds
    /// the variables of the pose of `at`.
    fn first_task(&mut self, at: usize, end: usize, variables: &mut [f64]) -> Option<Task> {
        let settings = self.work.settings;
        (at..end).find_map(|at| {
            let parent = self.parent(at);
            let ArmGroup { lanes, goal, .. } = self.group;
            let goal = &self.work.rows.problem(at).goals[*goal];
            let task = lanes.task(at, goal, parent, settings.seed, &self.bounds);
            let task = task.filter(|_| !settings.interrupt.forbids_start() && !self.is_blocked(at));
            if task.is_none() {
                self.solve_scalar(at, None, variables);
            }
            task
        })
    }

    /// The frame that the arm is attached to.
    fn parent(&mut self, at: usize) -> Isometry {
        let Some(joint) = self.group.lanes.mount.parent else { return self.work.rows.problem(at).base };
        self.open(at, |_, _, given, pose| given.skeleton.frame_of(given.problem.base, pose, joint))
    }

    /// Whether the effector would be in an obstacle at its target.
    fn is_blocked(&mut self, at: usize) -> bool {
        self.group.keeps_clear
            && self.open(at, |solver, buffers, given, pose| solver.is_blocked_at_target(given, buffers, pose))
    }

    /// Solves a problem by the scalar search, from its pose. `lane` is what a lane did for it before. `variables` receive the
    /// answer.
    fn solve_scalar(&mut self, at: usize, lane: Option<Unsolved<'_>>, variables: &mut [f64]) {
        let mut start = self.work.start;
        if let Some(best) = lane.as_ref().and_then(|lane| lane.hopeless) {
            self.with_variables(at, best, |solver, buffers, _, pose| {
                solver.figure.read(pose, &mut buffers.workspace.poses.best);
            });
            start = Verb::Settle;
        }
        let report = self.solve_from(start, at);
        let report = lane.map_or(report, |lane| report.after(lane.effort));
        merge(&mut self.work.reports[at], report);
        self.read(at, variables);
        self.hand_on(at);
    }

    /// Moves links apart that are nearer to each other than the margin. The pose of `at` meets everything and goes on to.
    fn widen(&mut self, at: usize, found: Report) -> Report {
        let widened = self.solve_from(self.work.start, at);
        let (iterations, refine_steps) = (found.iterations, found.refine_steps + widened.refine_steps);
        Report { iterations, refine_steps, attempts: found.attempts, ..widened }
    }

    /// Solves a problem by the scalar solver.
    fn solve_from(&mut self, start: Verb, at: usize) -> Report {
        let report = self.open(at, |solver, buffers, given, pose| solver.solve(given, start, buffers, pose));
        self.work.rows.close(at, self.work.solver.figure.joints());
        report
    }

    /// Does `work` with a problem and its pose.
    fn open<R>(
        &mut self,
        at: usize,
        work: impl FnOnce(&mut FigureSolver, &mut Buffers, &Given, &mut [Coordinates]) -> R,
    ) -> R {
        let ArmWork { solver, buffers, skeleton, settings, rows, .. } = &mut self.work;
        let (problem, pose) = rows.open(at, solver.figure.joints());
        work(solver, buffers, &Given { skeleton, problem, settings }, pose)
    }

    /// Gives the answer to `at` to the problem after it on its path.
    fn hand_on(&mut self, at: usize) {
        if self.work.start == Verb::Track && at + 1 < self.path(at).end {
            let variables = &self.group.lanes.mount.variables;
            self.work.rows.read(at, variables, &mut self.values);
            self.work.rows.write(at + 1, variables, &self.values);
        }
    }

    /// The path that problem `at` is on.
    fn path(&self, at: usize) -> Range<usize> {
        let waiting = &self.group.waiting;
        waiting.get(waiting.partition_point(|path| path.end <= at)).cloned().unwrap_or_default()
    }

    /// The task after `at` on its path, or else that of the next path.
    fn following(&mut self, at: usize, variables: &mut [f64]) -> Option<Task> {
        let end = if self.work.start == Verb::Track { self.path(at).end } else { 0 };
        self.first_task(at + 1, end, variables).or_else(|| self.begin(variables))
    }

    /// Reads the variables of a pose.
    fn read(&mut self, at: usize, variables: &mut [f64]) {
        let mount = &self.group.lanes.mount;
        self.work.rows.read(at, &mount.variables, &mut self.values);
        for (number, (variable, value)) in variables.iter_mut().zip(&self.values).enumerate() {
            *variable = mount.to_lane(number, mount.inside(number, *value));
        }
    }

    /// Writes the variables of a pose, next to where they are.
    fn write(&mut self, at: usize, variables: &[f64]) {
        let mount = &self.group.lanes.mount;
        self.work.rows.read(at, &mount.variables, &mut self.values);
        for (number, variable) in variables.iter().enumerate() {
            self.values[number] = mount.to_coordinate(number, *variable, mount.inside(number, self.values[number]));
        }
        self.work.rows.write(at, &mount.variables, &self.values);
    }

    /// Does `work` with these variables in the pose of `at`, which then is as before.
    fn with_variables<R>(
        &mut self,
        at: usize,
        variables: &[f64],
        work: impl FnOnce(&mut FigureSolver, &mut Buffers, &Given, &mut [Coordinates]) -> R,
    ) -> R {
        let ArmWork { solver, buffers, skeleton, settings, rows, .. } = &mut self.work;
        let (problem, pose) = rows.open(at, solver.figure.joints());
        self.kept.clear();
        self.kept.extend(solver.figure.joints().iter().map(|&joint| pose[joint]));
        self.group.lanes.mount.write(skeleton, variables, pose);
        let result = work(solver, buffers, &Given { skeleton, problem, settings }, pose);
        solver.figure.joints().iter().zip(&self.kept).for_each(|(&joint, before)| pose[joint] = *before);
        result
    }
}

impl Problems for GroupProblems<'_, '_> {
    fn begin(&mut self, variables: &mut [f64]) -> Option<Task> {
        while let Some(path) = self.group.waiting.get(self.next).cloned() {
            self.next += 1;
            self.read(path.start, variables);
            if let Some(task) = self.first_task(path.start, path.end, variables) {
                return Some(task);
            }
        }
        None
    }

    fn accepts(&mut self, at: usize, variables: &[f64]) -> bool {
        !self.group.keeps_clear
            || self.with_variables(at, variables, |solver, buffers, given, pose| solver.meets(given, buffers, pose))
    }

    fn solved(&mut self, at: usize, variables: &mut [f64], found: Report) -> Option<Task> {
        self.write(at, variables);
        let mut report = Report { error: found.error * self.group.lanes.mount.unit / self.group.scale, ..found };
        if self.group.keeps_clear && self.work.rows.problem(at).keep_clear.margin > 0.0 {
            report = self.widen(at, report);
            self.read(at, variables);
        }
        self.hand_on(at);
        merge(&mut self.work.reports[at], report);
        self.following(at, variables)
    }

    fn unsolved(&mut self, unsolved: Unsolved<'_>, variables: &mut [f64]) -> Option<Task> {
        // Its pose is as it was.
        let at = unsolved.row;
        self.solve_scalar(at, Some(unsolved), variables);
        self.following(at, variables)
    }
}

/// The arms of the figures of a solver.
#[derive(Debug, Default)]
pub(crate) struct ArmGroups {
    /// One per figure; none before they are prepared. Boxed, because most figures of some scenes are no arms.
    pub groups: Vec<Option<Box<ArmGroup>>>,
    /// The joints of the figures that rest, as far as they move on their own.
    pub resting: Vec<usize>,
    /// What the goals ask for that the groups are made for, and what they leave open.
    key: Vec<(Option<Demand>, Freedom)>,
}

/// What the lanes have to know of the goals of a problem before they see the targets.
fn key(problem: &Problem) -> impl Iterator<Item = (Option<Demand>, Freedom)> {
    problem.goals.iter().map(|goal| (demand(goal), goal.freedom))
}

impl ArmGroups {
    /// Whether the arms are made for problems like this one.
    pub fn fit(&self, problem: &Problem) -> bool {
        !self.groups.is_empty() && self.key.iter().copied().eq(key(problem))
    }

    /// Finds the arms of these figures, unless they are known.
    pub fn prepare(&mut self, skeleton: &Skeleton, problem: &Problem, figures: &[FigureSolver], engine: Engine) {
        if !self.fit(problem) {
            self.key = key(problem).collect();
            let resting = figures.iter().filter(|solver| solver.rests);
            let joints = resting.flat_map(|solver| solver.figure.joints().iter().copied());
            let moves =
                |joint: &usize| *skeleton.kind(*joint) != Kind::Fixed && skeleton.joints()[*joint].mimic.is_none();
            self.resting = joints.filter(moves).collect();
            let arm = |of: &FigureSolver| ArmGroup::of(skeleton, problem, &of.figure, engine).map(Box::new);
            self.groups = figures.iter().map(arm).collect();
        }
    }
}
