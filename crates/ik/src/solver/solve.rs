//! Solving a skeleton: island by island.

use crate::model::pose::Coordinates;
use crate::model::problem::{Effector, Goal, Problem, Target};
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::model::skeleton::Skeleton;
use crate::tree::island::Workspace;
use crate::tree::search::Manner;

/// Solves a problem on a skeleton, once. To drive one frame after frame there is [`Rig`](super::rig::Rig), for many problems
/// [`ManySolver`](super::many::ManySolver).
///
/// ```
/// # use glam::DVec3;
/// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver, Stop};
/// let skeleton = Skeleton::new(vec![
///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
///     Joint::new("elbow", Some(0), DVec3::Y, Kind::UNLIMITED_BALL),
/// ])?;
/// let hand = Effector::new(1, DVec3::Y);
/// let mut pose = skeleton.rest_pose();
/// let report = Solver::new(&skeleton).goal(hand, DVec3::new(1.0, 1.0, 0.0)).solve(&mut pose);
/// assert_eq!(report.stop, Stop::Reached);
/// # Ok::<(), crate::model::skeleton::SkeletonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solver<'a> {
    skeleton: &'a Skeleton,
    problem: Problem,
    settings: Settings,
}

impl<'a> Solver<'a> {
    /// A solver for `skeleton`, with no goals yet and the default settings.
    pub fn new(skeleton: &'a Skeleton) -> Self {
        Solver { skeleton, problem: Problem::default(), settings: Settings::default() }
    }

    /// Adds a goal of ordinary weight.
    #[must_use]
    pub fn goal(mut self, effector: Effector, target: impl Into<Target>) -> Self {
        self.problem.goals.push(Goal::new(effector, target));
        self
    }

    /// Replaces everything that is asked for.
    #[must_use]
    pub fn problem(mut self, problem: Problem) -> Self {
        self.problem = problem;
        self
    }

    /// Replaces tolerances and bounds.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Carries `pose` (one entry a joint) as near to the goals as it gets; the worst island's report.
    ///
    pub fn solve(&self, pose: &mut [Coordinates]) -> Report {
        if !self.problem.fits_pose(self.skeleton, pose) {
            return Report::REFUSED;
        }
        let islands = Workspace::each(self.skeleton, &self.problem);
        let solve = |mut island: Workspace| {
            island.solve_sound(Manner::Anew, self.skeleton, &self.problem, &self.settings, pose)
        };
        islands.map(solve).reduce(Report::or_worse).unwrap_or(Report::REFUSED)
    }
}
