//! The pose next to the start that meets the goals.

use super::Solver;
use crate::branches::SixAxisArm;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::serial::{Corrector, NearestSearch, Request, SerialArm};
use crate::tree::figure_solver::{Buffers, FigureSolver};
use crate::tree::scratch::{Given, Start};
use std::sync::Arc;

/// Branches among which the nearest is chosen if the figure is not a serial arm with one goal.
const MOST_BRANCHES: usize = 8;

impl Solver {
    /// Moves `pose` to the nearest pose that meets all goals: of all that are found, the one whose largest joint move from
    /// `pose` is least (radians; slides as fractions of the effector's size). [`Solver::solve`] does this with
    /// [`Prefer::Nearest`](crate::Prefer::Nearest).
    ///
    /// For one effector on an arm with a closed form ([`SixAxisArm`]), these are all its branches, or those that are clear of
    /// everything that the links keep clear of. For other serial arms,
    /// attempts start next to `pose` and farther away, and redundant arms then move within the goal. For all other figures,
    /// the choice is among some of [`Solver::branches`]. If the goals cannot be met, this is [`Solver::solve`].
    pub fn solve_nearest(&mut self, pose: &mut [Coordinates]) -> Report {
        if !self.problem.fits_pose(&self.skeleton, pose) {
            return Report::REFUSED;
        }
        let mut start = pose.to_vec();
        self.skeleton.project(&mut start);
        self.prepare();
        let Solver { skeleton, problem, settings, figures, buffers, .. } = &mut *self;
        let given = Given { skeleton, problem, settings };
        let meets = |joint: usize, pose: &mut Pose| {
            let mut own = figures.iter_mut().filter(|figure| figure.figure().has(joint));
            own.all(|figure| figure.meets(&given, buffers, pose))
        };
        let found = match nearest_of_arm(skeleton, problem, settings, &start, meets) {
            OfArm::Found(found, report) => Some((found, report)),
            OfArm::Unreached => None,
            OfArm::Unsuitable => {
                let branches = self.branches(&start, MOST_BRANCHES);
                branches.into_iter().next().map(|branch| (branch, reached(1, 0.0)))
            }
        };
        let Some((mut found, report)) = found else { return self.solve_from(Start::Free, pose) };
        self.skeleton.turn_near(&start, &mut found);
        pose.copy_from_slice(&found);
        self.skeleton.forward_kinematics(self.problem.base, pose, &mut self.frames);
        report
    }
}

impl FigureSolver {
    /// As [`Solver::solve_nearest`], if the figure is a serial arm with one goal. All others are solved as by
    /// [`FigureSolver::solve`].
    pub(super) fn solve_nearest(&mut self, given: &Given, buffers: &mut Buffers, pose: &mut [Coordinates]) -> Report {
        let Given { skeleton, problem, settings } = *given;
        self.figure().project(skeleton, pose);
        skeleton.follow(pose);
        let (own, start) = (self.figure().problem(problem), self.figure().pose(pose));
        let (skeleton, mut tried) = (Arc::clone(self.figure().skeleton()), pose.to_vec());
        let meets = |_: usize, pose: &mut Pose| {
            self.figure().write(pose, &mut tried);
            self.meets(given, buffers, &mut tried)
        };
        match nearest_of_arm(&skeleton, &own, settings, &start, meets) {
            OfArm::Found(mut found, report) => {
                skeleton.turn_near(&start, &mut found);
                self.figure().write(&found, pose);
                report
            }
            OfArm::Unreached | OfArm::Unsuitable => self.solve(given, Start::Free, buffers, pose),
        }
    }
}

/// The result for a serial arm.
enum OfArm {
    Found(Pose, Report),
    Unreached,
    /// The problem asks for something else than one effector on a serial arm.
    Unsuitable,
}

/// `meets` tells whether a pose meets everything that the problem asks of the figure of a joint.
fn nearest_of_arm(
    skeleton: &Skeleton,
    problem: &Problem,
    settings: &Settings,
    start: &[Coordinates],
    mut meets: impl FnMut(usize, &mut Pose) -> bool,
) -> OfArm {
    let Some(goal) = problem.one_exact_goal() else { return OfArm::Unsuitable };
    let target = goal.requested_frame();
    let keeps_clear = !problem.has_only_goals();
    if let (Some(position), Some(rotation)) = (target.position, target.rotation())
        && let Ok(arm) = SixAxisArm::at(skeleton, &goal.effector, problem.base, start)
    {
        let mut poses = arm.poses(skeleton, start, position, rotation).into_iter();
        let nearest = poses.find_map(|mut pose| {
            let is_clear = !keeps_clear || meets(goal.effector.joint, &mut pose);
            is_clear.then_some(pose)
        });
        match nearest {
            Some(nearest) => return OfArm::Found(nearest, reached(1, 0.0)),
            None if keeps_clear => return OfArm::Unreached,
            None => {}
        }
    }
    if keeps_clear {
        return OfArm::Unsuitable;
    }
    let Ok(arm) = SerialArm::new(skeleton, &goal.effector, problem.base, start) else { return OfArm::Unsuitable };
    let request = Request { target, distance: settings.tolerance, angle: settings.rotation_tolerance };
    let (attempts, seed) = (settings.max_attempts.get(), settings.seed);
    let own_start = arm.coordinates(start);
    let mut corrector = Corrector::default();
    let search = NearestSearch { arm: &arm, request: &request, start: &own_start, attempts, seed };
    match search.run(&mut corrector) {
        Some(nearest) => {
            let error = corrector.evaluate(&arm, &request.target, &nearest.coordinates).distance;
            OfArm::Found(arm.pose(skeleton, start, &nearest.coordinates), reached(nearest.attempts, error))
        }
        None => OfArm::Unreached,
    }
}

fn reached(attempts: u32, error: f64) -> Report {
    Report { stop: Stop::Reached, error, iterations: 0, refine_steps: 0, attempts }
}
