//! Serial arms in the SIMD lanes of [`simd::arms`](crate::simd::arms): for `many`.

use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::{Effector, Problem, Target};
use crate::model::report::Report;
use crate::model::settings::{Method, Settings};
use crate::model::skeleton::{Island, Skeleton};
use crate::random::Random;
use crate::simd::arms::{ArmLanes, Demand, Limits, Problems, Solved, Task};
use crate::tree::layout_key::LayoutKey;

/// An island with one effector, which hinges and slides move, and the problems that wait for the lanes.
#[derive(Debug)]
pub(crate) struct ArmGroup {
    lanes: ArmLanes,
    /// Index of the goal.
    goal: usize,
    demand: Demand,
    /// The length that errors are divided by.
    scale: f64,
    /// Indices of the problems that wait.
    waiting: Vec<usize>,
}

impl ArmGroup {
    /// The arm of an island; `None` if the lanes cannot solve the island.
    fn of(skeleton: &Skeleton, problem: &Problem, island: &Island) -> Option<Self> {
        if !(problem.loops.is_empty() && problem.poles.is_empty() && problem.obstacles.is_empty()) {
            return None;
        }
        let on_island = |joint: usize| island.joints.binary_search(&joint).is_ok();
        let mut goals = problem.goals.iter().enumerate();
        let mut active = goals.by_ref().filter(|(_, goal)| goal.is_active() && on_island(goal.effector.joint));
        let (goal, own) = active.next()?;
        if active.next().is_some() {
            return None;
        }
        let effector: &Effector = &own.effector;
        if skeleton.ancestors(effector.joint).any(|joint| skeleton.joints()[joint].stiffness > 0.0) {
            return None;
        }
        Some(ArmGroup {
            lanes: ArmLanes::new(skeleton, effector).ok()?,
            goal,
            demand: Demand::of(&requested(problem, goal))?,
            scale: effector.error_scale(skeleton, []),
            waiting: Vec::new(),
        })
    }

    /// Whether the lanes support these settings.
    pub fn supports(settings: &Settings) -> bool {
        settings.method == Method::Accelerated
    }

    /// Adds problem number `at`.
    pub fn push(&mut self, at: usize) {
        self.waiting.push(at);
    }

    /// Solves all problems that wait. Returns the reports of those that the lanes solved, and the indices of the others,
    /// whose poses are as before.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        settings: &Settings,
        problems: &[Problem],
        poses: &mut [Pose],
    ) -> Answers {
        let answers = Answers { solved: Vec::with_capacity(self.waiting.len()), unsolved: Vec::new() };
        let mut work = Work { group: self, skeleton, settings, problems, poses, next: 0, answers };
        if !work.group.waiting.is_empty() {
            let limits = Limits::of(settings, work.group.scale);
            let ArmGroup { lanes, demand, .. } = work.group;
            let _ = lanes.run(*demand, limits, &mut work);
        }
        let answers = work.answers;
        self.waiting.clear();
        answers
    }
}

/// Problems by index.
pub(crate) struct Answers {
    pub solved: Vec<(usize, Report)>,
    pub unsolved: Vec<usize>,
}

/// The requested parts of a goal's target.
fn requested(problem: &Problem, goal: usize) -> Target {
    let goal = &problem.goals[goal];
    Target { position: goal.requested_position(), rotation: goal.requested_rotation() }
}

/// The problems of a group on their way through the lanes.
struct Work<'a> {
    group: &'a ArmGroup,
    skeleton: &'a Skeleton,
    settings: &'a Settings,
    problems: &'a [Problem],
    poses: &'a mut [Pose],
    next: usize,
    answers: Answers,
}

impl Problems for Work<'_> {
    fn begin(&mut self, variables: &mut [f64]) -> Option<Task> {
        let ArmGroup { lanes, goal, demand, waiting, .. } = self.group;
        while let Some(&at) = waiting.get(self.next) {
            self.next += 1;
            let (problem, pose) = (&self.problems[at], &self.poses[at]);
            let parent = lanes.mount.parent;
            let parent = parent.map_or(problem.base, |joint| self.skeleton.frame_of(problem.base, pose, joint));
            let task = lanes.task(at, &requested(problem, *goal), *demand, parent, self.settings.seed);
            if task.is_some() {
                for (number, (variable, &joint)) in variables.iter_mut().zip(&lanes.mount.variables).enumerate() {
                    *variable = lanes.mount.to_lane(number, pose[joint].value());
                }
                return task;
            }
            self.answers.unsolved.push(at);
        }
        None
    }

    fn solved(&mut self, at: usize, variables: &mut [f64], solved: Solved) -> Option<Task> {
        let ArmGroup { lanes, scale, .. } = self.group;
        let pose = &mut self.poses[at];
        for (number, (&variable, &joint)) in variables.iter().zip(&lanes.mount.variables).enumerate() {
            pose[joint] = Coordinates::scalar(lanes.mount.to_coordinate(number, variable));
        }
        self.skeleton.follow(pose);
        self.answers.solved.push((at, lanes.report(solved, *scale)));
        None
    }

    fn unsolved(&mut self, at: usize, _: u32, _: &mut [f64]) -> Option<Task> {
        self.answers.unsolved.push(at);
        None
    }

    fn restart(&self, random: &mut Random, variables: &mut [f64]) {
        self.group.lanes.random_pose(random, variables);
    }
}

/// The arms of the islands of a solver.
#[derive(Debug, Default)]
pub(crate) struct ArmGroups {
    key: Option<LayoutKey>,
    /// One per island.
    pub groups: Vec<Option<ArmGroup>>,
}

impl ArmGroups {
    /// Finds the arms of these islands, unless the last problem had the same key.
    pub fn prepare<'a>(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        key: &LayoutKey,
        islands: impl Iterator<Item = &'a Island>,
    ) {
        if self.key.as_ref() != Some(key) {
            self.key = Some(key.clone());
            self.groups = islands.map(|island| ArmGroup::of(skeleton, problem, island)).collect();
        }
    }
}
