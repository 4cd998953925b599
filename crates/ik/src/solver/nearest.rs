//! The pose next to the start that meets the goals.

use super::Solver;
use crate::branches::SixAxisArm;
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::{Report, Stop};
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::serial::{Corrector, NearestSearch, Request, SerialArm};
use crate::tree::island::IslandSolver;
use crate::tree::scratch::Start;

/// Branches among which the nearest is chosen if the figure is not a serial arm with one goal.
const MOST_BRANCHES: usize = 8;

impl Solver {
    /// Moves `pose` to the nearest pose that meets all goals: of all that are found, the one whose largest joint move from
    /// `pose` is least (radians; slides as fractions of the effector's size). [`Solver::solve`] does this with
    /// [`Prefer::Nearest`](crate::Prefer::Nearest).
    ///
    /// For one effector on an arm with a closed form ([`SixAxisArm`]), these are all its branches. For other serial arms,
    /// attempts start next to `pose` and farther away, and redundant arms then move within the goal. For all other figures,
    /// the choice is among some of [`Solver::branches`]. If the goals cannot be met, this is [`Solver::solve`].
    pub fn solve_nearest(&mut self, pose: &mut [Coordinates]) -> Report {
        if !self.problem.fits_pose(&self.skeleton, pose) {
            return Report::REFUSED;
        }
        let mut start = pose.to_vec();
        self.skeleton.project(&mut start);
        let found = match nearest_of_arm(&self.skeleton, &self.problem, &self.settings, &start) {
            OfArm::Found(found, report) => Some((found, report)),
            OfArm::Unreached => None,
            OfArm::Unsuitable => {
                let branches = self.branches(&start, MOST_BRANCHES);
                branches.into_iter().next().map(|branch| (branch, reached(1, 0.0)))
            }
        };
        let Some((found, report)) = found else { return self.solve_from(Start::Free, pose) };
        pose.copy_from_slice(&found);
        self.skeleton.forward_kinematics(self.problem.base, pose, &mut self.frames);
        report
    }
}

impl IslandSolver {
    /// As [`Solver::solve_nearest`], for the joints of an island that is a serial arm with one goal. All others are solved
    /// as by [`IslandSolver::solve`].
    pub fn solve_nearest(
        &mut self,
        skeleton: &Skeleton,
        problem: &Problem,
        settings: &Settings,
        pose: &mut [Coordinates],
    ) -> Report {
        if problem.fits_pose(skeleton, pose) {
            let mut start = pose.to_vec();
            skeleton.project(&mut start);
            if let OfArm::Found(found, report) = nearest_of_arm(skeleton, problem, settings, &start) {
                self.island().joints.iter().for_each(|&joint| pose[joint] = found[joint]);
                return report;
            }
        }
        self.solve(skeleton, problem, settings, pose)
    }
}

/// The result for a serial arm.
enum OfArm {
    Found(Pose, Report),
    Unreached,
    /// The problem asks for something else than one effector on a serial arm.
    Unsuitable,
}

fn nearest_of_arm(skeleton: &Skeleton, problem: &Problem, settings: &Settings, start: &[Coordinates]) -> OfArm {
    let Some(goal) = problem.only_goal() else { return OfArm::Unsuitable };
    let target = goal.requested_frame();
    if let (Some(position), Some(rotation)) = (target.position, target.rotation)
        && let Ok(arm) = SixAxisArm::at(skeleton, &goal.effector, problem.base, start)
        && let Some(nearest) = arm.poses(skeleton, start, position, rotation).into_iter().next()
    {
        return OfArm::Found(nearest, reached(1, 0.0));
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
