//! Serial arms in the SIMD lanes of [`simd::arms`](crate::simd::arms): for `many`.

use crate::model::freedom::Freedom;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::{Effector, Problem};
use crate::model::report::{Report, merge};
use crate::model::settings::{Method, Settings};
use crate::model::skeleton::Skeleton;
use crate::random::Random;
use crate::simd::arms::{ArmLanes, Demand, Limits, Problems, Solved, Task, Unsolved};
use crate::tree::island::IslandSolver;
use crate::tree::scratch::Start;
use crate::tree::share::Share;
use std::ops::Range;

/// An island with one effector, which hinges and slides move, and the problems that wait for the lanes.
#[derive(Debug)]
pub(crate) struct ArmGroup {
    lanes: ArmLanes,
    /// Index of the goal.
    goal: usize,
    demand: Demand,
    /// The length that errors are divided by.
    scale: f64,
    /// Whether there are obstacles or links to keep clear of. The lanes know nothing of them; the scalar solver judges
    /// their answers.
    keeps_clear: bool,
    /// The problems that wait: each range is a path, whose problems follow on each other.
    waiting: Vec<Range<usize>>,
}

impl ArmGroup {
    /// The arm of an island; `None` if the lanes cannot solve the island.
    fn of(skeleton: &Skeleton, problem: &Problem, share: &Share) -> Option<Self> {
        if !(share.loops.is_empty() && share.poles.is_empty()) {
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
        Some(ArmGroup {
            lanes: ArmLanes::new(skeleton, effector).ok()?.with_freedom(own.freedom),
            goal,
            demand: Demand::of(own)?,
            scale: effector.error_scale(skeleton, []),
            keeps_clear: !(problem.obstacles.is_empty() && share.capsules.is_empty()),
            waiting: Vec::new(),
        })
    }

    /// Whether the lanes support these settings.
    pub fn supports(settings: &Settings) -> bool {
        settings.method == Method::Accelerated
    }

    /// Adds a path of problems. The first one starts from its pose, each other one from the answer to the one before. A
    /// single problem is a path of one.
    pub fn push(&mut self, path: Range<usize>) {
        self.waiting.push(path);
    }

    /// Solves all problems that wait. Those that the lanes do not solve go to the scalar solver.
    pub fn solve(&mut self, work: ArmWork<'_>) {
        let mut limits = Limits::of(work.settings, self.scale);
        if work.start == Start::Warm {
            // A restart would leave the path; the scalar search looks for a pose nearby.
            limits.attempts = 1;
        }
        if work.settings.interrupt.is_requested() {
            self.waiting.drain(..).flatten().for_each(|at| merge(&mut work.reports[at], Report::NOT_BEGUN));
        } else if !self.waiting.is_empty() {
            let mut lanes = GroupProblems { group: self, next: 0, kept: Vec::new(), work };
            let _ = self.lanes.run(self.demand, limits, &mut lanes);
        }
        self.waiting.clear();
    }
}

/// What the problems of a group belong to.
pub(crate) struct ArmWork<'a> {
    /// How the scalar solver treats a start pose.
    pub start: Start,
    /// The scalar solver of the island.
    pub solver: &'a mut IslandSolver,
    pub skeleton: &'a Skeleton,
    pub settings: &'a Settings,
    /// The problems by index, with their poses and reports.
    pub problems: &'a [Problem],
    pub poses: &'a mut [Pose],
    pub reports: &'a mut [Option<Report>],
}

/// The problems of a group on their way through the lanes.
struct GroupProblems<'a> {
    group: &'a ArmGroup,
    /// Index of the next path that waits.
    next: usize,
    /// The coordinates of the island while others are judged in their place: a copy of the whole pose would make the time
    /// grow with the square of the number of islands.
    kept: Vec<Coordinates>,
    work: ArmWork<'a>,
}

impl GroupProblems<'_> {
    /// The first task from `at` to the end of its path. What is not for the lanes is solved on the way. `variables` holds
    /// the variables of the pose of `at`.
    fn first_task(&mut self, at: usize, end: usize, variables: &mut [f64]) -> Option<Task> {
        (at..end).find_map(|at| {
            let ArmGroup { lanes, goal, demand, .. } = self.group;
            let ArmWork { skeleton, settings, problems, poses, .. } = &self.work;
            let problem = &problems[at];
            let parent = lanes.mount.parent;
            let parent = parent.map_or(problem.base, |joint| skeleton.frame_of(problem.base, &poses[at], joint));
            let task = lanes.task(at, &problem.goals[*goal], *demand, parent, settings.seed);
            let task = task.filter(|_| !self.is_blocked(at));
            if task.is_none() {
                self.solve_scalar(at, None, variables);
            }
            task
        })
    }

    /// Whether the effector would be in an obstacle at its target.
    fn is_blocked(&mut self, at: usize) -> bool {
        let ArmWork { solver, skeleton, settings, problems, poses, .. } = &mut self.work;
        self.group.keeps_clear && solver.is_blocked_at_target(skeleton, &problems[at], settings, &mut poses[at])
    }

    /// Solves a problem by the scalar search, from its pose. `variables` receive the answer. `hopeless`: as in [`Unsolved`].
    fn solve_scalar(&mut self, at: usize, hopeless: Option<&[f64]>, variables: &mut [f64]) {
        let mut start = self.work.start;
        if let Some(best) = hopeless {
            self.with_variables(at, best, |work| work.solver.keep_best(&work.poses[at]));
            start = Start::Hopeless;
        }
        let ArmWork { solver, skeleton, settings, problems, poses, reports, .. } = &mut self.work;
        let report = solver.solve_prepared(start, skeleton, &problems[at], settings, &mut poses[at]);
        merge(&mut reports[at], report);
        self.read(at, variables);
        self.hand_on(at);
    }

    /// Moves links apart that are nearer to each other than the margin. The pose of `at` meets everything and goes on to.
    fn widen(&mut self, at: usize, found: Report) -> Report {
        let ArmWork { start, solver, skeleton, settings, problems, poses, .. } = &mut self.work;
        let widened = solver.solve_prepared(*start, skeleton, &problems[at], settings, &mut poses[at]);
        let (iterations, refine_steps) = (found.iterations, found.refine_steps + widened.refine_steps);
        Report { iterations, refine_steps, attempts: found.attempts, ..widened }
    }

    /// Gives the answer to `at` to the problem after it on its path.
    fn hand_on(&mut self, at: usize) {
        if self.work.start == Start::Warm && at + 1 < self.path(at).end {
            let (before, after) = self.work.poses.split_at_mut(at + 1);
            for &joint in &self.group.lanes.mount.variables {
                after[0][joint] = before[at][joint];
            }
            self.work.skeleton.follow(&mut after[0]);
        }
    }

    /// The path that problem `at` is on.
    fn path(&self, at: usize) -> Range<usize> {
        let waiting = &self.group.waiting;
        waiting.get(waiting.partition_point(|path| path.end <= at)).cloned().unwrap_or_default()
    }

    /// The task after `at` on its path.
    fn following(&mut self, at: usize, variables: &mut [f64]) -> Option<Task> {
        let end = if self.work.start == Start::Warm { self.path(at).end } else { 0 };
        self.first_task(at + 1, end, variables)
    }

    /// Reads the variables of a pose.
    fn read(&self, at: usize, variables: &mut [f64]) {
        let mount = &self.group.lanes.mount;
        for (number, (variable, &joint)) in variables.iter_mut().zip(&mount.variables).enumerate() {
            *variable = mount.to_lane(number, self.work.poses[at][joint].value());
        }
    }

    /// Does `work` with these variables in the pose of `at`, which then is as before.
    fn with_variables<R>(&mut self, at: usize, variables: &[f64], work: impl FnOnce(&mut ArmWork<'_>) -> R) -> R {
        let ArmWork { solver, poses, .. } = &self.work;
        self.kept.clear();
        self.kept.extend(solver.island().joints.iter().map(|&joint| poses[at][joint]));
        self.write(at, variables);
        let result = work(&mut self.work);
        let ArmWork { solver, poses, .. } = &mut self.work;
        solver.island().joints.iter().zip(&self.kept).for_each(|(&joint, before)| poses[at][joint] = *before);
        result
    }

    /// Writes the variables of a pose.
    fn write(&mut self, at: usize, variables: &[f64]) {
        self.group.lanes.mount.write(self.work.skeleton, variables, &mut self.work.poses[at]);
    }
}

impl Problems for GroupProblems<'_> {
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
        if !self.group.keeps_clear {
            return true;
        }
        self.with_variables(at, variables, |ArmWork { solver, skeleton, settings, problems, poses, .. }| {
            solver.meets(skeleton, &problems[at], settings, &mut poses[at])
        })
    }

    fn solved(&mut self, at: usize, variables: &mut [f64], solved: Solved) -> Option<Task> {
        self.write(at, variables);
        let mut report = self.group.lanes.report(solved, self.group.scale);
        if self.work.problems[at].keep_clear.margin > 0.0 {
            report = self.widen(at, report);
            self.read(at, variables);
        }
        self.hand_on(at);
        merge(&mut self.work.reports[at], report);
        self.following(at, variables)
    }

    fn unsolved(&mut self, Unsolved { row: at, hopeless, .. }: Unsolved<'_>, variables: &mut [f64]) -> Option<Task> {
        // Its pose is as it was.
        self.solve_scalar(at, hopeless, variables);
        self.following(at, variables)
    }

    fn restart(&self, random: &mut Random, variables: &mut [f64]) {
        self.group.lanes.random_pose(random, variables);
    }
}

/// The arms of the islands of a solver.
#[derive(Debug, Default)]
pub(crate) struct ArmGroups {
    /// One per island; none before they are prepared. Boxed, because most islands of some scenes are no arms.
    pub groups: Vec<Option<Box<ArmGroup>>>,
    /// What the goals ask for that the groups are made for, and what they leave open.
    key: Vec<(Option<Demand>, Freedom)>,
}

/// What the lanes have to know of the goals of a problem before they see the targets.
fn key(problem: &Problem) -> impl Iterator<Item = (Option<Demand>, Freedom)> {
    problem.goals.iter().map(|goal| (Demand::of(goal), goal.freedom))
}

impl ArmGroups {
    /// Forgets the arms, because the islands change.
    pub fn clear(&mut self) {
        self.groups.clear();
    }

    /// Whether the arms are made for problems like this one.
    pub fn fit(&self, problem: &Problem) -> bool {
        !self.groups.is_empty() && self.key.iter().copied().eq(key(problem))
    }

    /// Finds the arms of these islands, unless they are known.
    pub fn prepare(&mut self, skeleton: &Skeleton, problem: &Problem, islands: &[IslandSolver]) {
        if !self.fit(problem) {
            self.key = key(problem).collect();
            let arm = |island: &IslandSolver| ArmGroup::of(skeleton, problem, island.share()).map(Box::new);
            self.groups = islands.iter().map(arm).collect();
        }
    }
}
