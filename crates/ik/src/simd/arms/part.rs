//! The problems of one thread of a batch of arms: start poses, answers, and the scalar search for what the lanes leave.

use super::demand::Demand;
use super::lanes::{ArmLanes, Limits};
use super::run::{ArmCounts, Problems, Solved, Task, Unsolved};
use crate::model::pose::Pose;
use crate::model::problem::{Effector, Goal, Problem};
use crate::model::report::Report;
use crate::model::settings::{Method, Settings};
use crate::model::skeleton::Skeleton;
use crate::model::target::Target;
use crate::model::transform::Isometry;
use crate::model::unsupported_arm::UnsupportedArm;
use crate::random::Random;
use crate::tree::island::IslandSolver;
use std::sync::Arc;

/// The poses from which the problems of a batch start, as coordinates of
/// [`ArmBatch::variables`](crate::simd::ArmBatch::variables).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Starts<'a> {
    /// Each problem starts from its own coordinates, where its answer will be.
    Own,
    /// All problems start from this pose.
    Shared(&'a [f64]),
    /// The targets are paths of equal length, one after the other. The first row of a path starts from this pose, every
    /// other row from the answer to the row before, and lies next to it if possible.
    Paths {
        /// Pose before the first row.
        start: &'a [f64],
        /// Rows per path.
        rows: usize,
    },
}

/// An arm on its skeleton.
#[derive(Clone, Debug)]
pub(super) struct PlacedArm {
    pub skeleton: Arc<Skeleton>,
    pub effector: Effector,
    pub lanes: ArmLanes,
    /// The rest pose, for the joints that do not move the effector.
    pub pose: Pose,
    /// The parent frame of the roots.
    pub base: Isometry,
}

impl PlacedArm {
    /// The arm of an effector, with the roots in the world.
    ///
    /// # Errors
    /// [`UnsupportedArm`] if it does not fit the lanes.
    pub fn new(skeleton: Arc<Skeleton>, effector: Effector) -> Result<Self, UnsupportedArm> {
        let (lanes, pose) = (ArmLanes::new(&skeleton, &effector)?, skeleton.rest_pose());
        Ok(PlacedArm { skeleton, effector, lanes, pose, base: Isometry::IDENTITY })
    }
}

/// What a thread reads.
#[derive(Clone, Copy)]
pub(super) struct PartInput<'a> {
    pub targets: &'a [Target],
    pub starts: Starts<'a>,
    /// Rows per path.
    pub rows: usize,
    pub settings: &'a Settings,
}

/// The problems of one thread.
pub(super) struct Part<'a> {
    arm: &'a PlacedArm,
    input: PartInput<'a>,
    coordinates: &'a mut [f64],
    reports: &'a mut [Report],
    /// What the lanes solve in this round. A path belongs to the round of its first target.
    demand: Demand,
    /// The first row of the next path.
    next: usize,
    /// The frame that the arm is attached to.
    parent: Isometry,
    /// The length that errors are divided by.
    scale: f64,
    /// The scalar solver and its problem, created when first needed.
    scalar: Option<(IslandSolver, Problem)>,
    pose: Pose,
}

impl<'a> Part<'a> {
    pub fn new(
        arm: &'a PlacedArm,
        input: PartInput<'a>,
        coordinates: &'a mut [f64],
        reports: &'a mut [Report],
    ) -> Self {
        let PlacedArm { skeleton, effector, lanes, base, pose } = arm;
        Part {
            arm,
            input,
            coordinates,
            reports,
            demand: Demand::Both,
            next: 0,
            parent: lanes.mount.parent.map_or(*base, |joint| skeleton.frame_of(*base, pose, joint)),
            scale: effector.error_scale(skeleton, []),
            scalar: None,
            pose: pose.clone(),
        }
    }

    /// Solves them on the current thread.
    pub fn solve(mut self) -> ArmCounts {
        let mut limits = Limits::of(self.input.settings, self.scale);
        if let Starts::Paths { .. } = self.input.starts {
            // A restart would leave the path; the scalar search looks for a pose nearby.
            limits.attempts = 1;
        }
        let lanes = &self.arm.lanes;
        let rounds = Demand::ALL.map(|demand| {
            (self.demand, self.next) = (demand, 0);
            lanes.run(demand, limits, &mut self)
        });
        rounds.into_iter().fold(ArmCounts::default(), ArmCounts::plus)
    }

    fn count(&self) -> usize {
        self.arm.lanes.mount.variables.len()
    }

    fn goal(&self, row: usize) -> Goal {
        let PlacedArm { effector, lanes, .. } = self.arm;
        Goal { freedom: lanes.mount.freedom, ..Goal::new(*effector, self.input.targets[row]) }
    }

    /// The first task from `row` to the end of its path. What is not for the lanes is answered on the way. `variables`
    /// holds the start pose.
    fn first_task(&mut self, row: usize, variables: &mut [f64]) -> Option<Task> {
        let end = (row / self.input.rows + 1) * self.input.rows;
        (row..end).find_map(|row| {
            let goal = self.goal(row);
            let start_is_finite = variables.iter().all(|variable| variable.is_finite());
            if !(start_is_finite && self.parent.is_finite() && is_valid(&goal)) {
                self.reports[row] = Report::REFUSED;
                return None;
            }
            let task = self.arm.lanes.task(row, &goal, self.demand, self.parent, self.input.settings.seed);
            let task = task.filter(|_| self.input.settings.method == Method::Accelerated);
            if task.is_some() {
                return task;
            }
            self.solve_scalar(Unsolved { row, steps: 0, hopeless: None }, variables);
            None
        })
    }

    /// Writes an answer.
    fn write(&mut self, row: usize, variables: &[f64], report: Report) {
        let count = self.count();
        let mount = &self.arm.lanes.mount;
        let (before, own) = self.coordinates.split_at_mut(row * count);
        let own = &mut own[..count];
        match self.input.starts {
            Starts::Own => {}
            Starts::Paths { rows, .. } if !row.is_multiple_of(rows) => {
                own.copy_from_slice(&before[(row - 1) * count..])
            }
            Starts::Shared(start) | Starts::Paths { start, .. } => own.copy_from_slice(start),
        }
        for (at, (own, &variable)) in own.iter_mut().zip(variables).enumerate() {
            *own = mount.to_coordinate(at, variable, *own);
        }
        self.reports[row] = report;
    }

    /// Solves a problem by the scalar search, from the start pose in `variables`, which receive the answer.
    fn solve_scalar(&mut self, Unsolved { row, steps, hopeless }: Unsolved<'_>, variables: &mut [f64]) {
        let PlacedArm { skeleton, effector, base, lanes, .. } = self.arm;
        let goal = self.goal(row);
        let problem = Problem { goals: vec![goal], base: *base, ..Problem::default() };
        let fresh = || {
            let islands = skeleton.islands([]);
            let island = islands.iter().find(|island| island.joints.contains(&effector.joint));
            island.map(|island| (IslandSolver::new(skeleton, &problem, island), problem.clone()))
        };
        if self.scalar.is_none() {
            self.scalar = fresh();
        }
        lanes.mount.write(skeleton, variables, &mut self.pose);
        let Some((solver, problem)) = &mut self.scalar else { return };
        problem.goals[0] = goal;
        let report = match (hopeless, self.input.starts) {
            (Some(best), _) => {
                let mut pose = self.pose.clone();
                lanes.mount.write(skeleton, best, &mut pose);
                solver.settle_from(&pose, skeleton, problem, self.input.settings, &mut self.pose)
            }
            (None, Starts::Paths { .. }) => solver.track(skeleton, problem, self.input.settings, &mut self.pose),
            (None, _) => solver.solve(skeleton, problem, self.input.settings, &mut self.pose),
        };
        for (at, &joint) in lanes.mount.variables.iter().enumerate() {
            variables[at] = lanes.mount.to_lane(at, self.pose[joint].value());
        }
        let report = Report { iterations: report.iterations + steps, ..report };
        self.write(row, variables, report);
    }

    /// The problem after `row` on its path.
    fn following(&mut self, row: usize, variables: &mut [f64]) -> Option<Task> {
        if (row + 1).is_multiple_of(self.input.rows) { None } else { self.first_task(row + 1, variables) }
    }

    /// Writes the start pose of a problem that follows no other.
    fn start(&self, row: usize, variables: &mut [f64]) {
        let count = self.count();
        let own = match self.input.starts {
            Starts::Own => &self.coordinates[row * count..][..count],
            Starts::Shared(start) | Starts::Paths { start, .. } => start,
        };
        for (at, (variable, &coordinate)) in variables.iter_mut().zip(own).enumerate() {
            *variable = self.arm.lanes.mount.to_lane(at, coordinate);
        }
    }
}

impl Problems for Part<'_> {
    fn begin(&mut self, variables: &mut [f64]) -> Option<Task> {
        while self.next < self.input.targets.len() {
            let row = self.next;
            self.next += self.input.rows;
            if Demand::of(&self.goal(row)).unwrap_or(Demand::Both) != self.demand {
                continue;
            }
            self.start(row, variables);
            if let Some(task) = self.first_task(row, variables) {
                return Some(task);
            }
        }
        None
    }

    fn solved(&mut self, row: usize, variables: &mut [f64], solved: Solved) -> Option<Task> {
        let report = self.arm.lanes.report(solved, self.scale);
        self.write(row, variables, report);
        self.following(row, variables)
    }

    fn unsolved(&mut self, unsolved: Unsolved<'_>, variables: &mut [f64]) -> Option<Task> {
        let row = unsolved.row;
        self.solve_scalar(unsolved, variables);
        self.following(row, variables)
    }

    fn restart(&self, random: &mut Random, variables: &mut [f64]) {
        self.arm.lanes.random_pose(random, variables);
    }
}

/// Whether the target and what is left open make sense.
fn is_valid(Goal { target, freedom, .. }: &Goal) -> bool {
    freedom.is_valid() && target.is_valid()
}
