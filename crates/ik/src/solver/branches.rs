//! All branches of an arm: the different poses that meet the same goals.

use super::Solver;
use crate::blend::pose_distance;
use crate::branches::SixAxisArm;
use crate::model::pose::{Coordinates, Pose};
use crate::model::report::Report;
use crate::model::settings::Settings;
use crate::random::Random;
use crate::tree::scratch::{Given, Start};
use std::num::NonZeroU32;

/// Smallest [`pose_distance`] of two different branches: radians, or a fraction of the reach for slides.
const MIN_BRANCH_DISTANCE: f64 = 0.2;

impl Solver {
    /// Up to `most` different poses that meet all goals, inside the limits, ordered by their [`pose_distance`] from
    /// `start`: the branches of an arm. An arm of six joints usually has up to eight.
    ///
    /// If one effector with position and orientation is the only goal, and its arm has a closed form ([`SixAxisArm`]), these
    /// are the nearest of all branches, exact to rounding; among obstacles and links that keep clear, of those that are clear.
    /// Otherwise they are clearly different poses that a search finds:
    /// some joint differs by more than 0.2 radians (a slide by 0.2 of the reach). A redundant arm has infinitely many poses;
    /// the first ones found are returned. Poses that differ by whole turns of a hinge count as one; the turn nearest to
    /// `start` is returned.
    ///
    /// The search starts from `start` and from random poses, `most` times [`Settings::max_attempts`] in total. The same
    /// input gives the same poses. The list is empty if none is found or the input is refused.
    ///
    /// ```
    /// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver};
    /// # use glam::DVec3;
    /// // Two hinges in a plane: elbow up or elbow down.
    /// let hinge = Kind::Hinge { axis: DVec3::Z, range: None };
    /// let arm = Skeleton::new(vec![
    ///     Joint::new("shoulder", None, DVec3::ZERO, hinge),
    ///     Joint::new("elbow", Some(0), DVec3::X, hinge),
    /// ])?;
    /// let rest = arm.rest_pose();
    /// let mut solver = Solver::new(arm).goal(Effector::new(1, DVec3::X), DVec3::new(1.0, 1.0, 0.0));
    /// assert_eq!(solver.branches(&rest, 8).len(), 2);
    /// # Ok::<(), fabrik3d_ik::SkeletonError>(())
    /// ```
    pub fn branches(&mut self, start: &[Coordinates], most: usize) -> Vec<Pose> {
        if most == 0 || !self.problem.fits_pose(&self.skeleton, start) {
            return Vec::new();
        }
        let mut start = start.to_vec();
        self.skeleton.project(&mut start);
        self.prepare();
        if let Some(mut found) = self.exact_branches(&start) {
            found.truncate(most);
            return found;
        }
        let Solver { skeleton, problem, settings, figures, buffers, .. } = self;
        let given = Given { skeleton, problem, settings };
        let lengths = figures.iter_mut().map(|figure| figure.length(&given, buffers, &mut start));
        let length = lengths.fold(0.0, f64::max);
        let joints: Vec<usize> = (0..skeleton.len()).collect();
        let distance = |a: &[Coordinates], b: &[Coordinates]| pose_distance(skeleton, &joints, a, b, length);
        let single_attempt = Settings { max_attempts: NonZeroU32::MIN, ..*settings };
        let attempts = settings.max_attempts.get().saturating_mul(u32::try_from(most).unwrap_or(u32::MAX));
        let mut random = Random::new(settings.seed);
        let mut found: Vec<Pose> = Vec::new();
        for attempt in 0..attempts {
            if single_attempt.interrupt.is_requested() {
                break;
            }
            let mut pose = start.clone();
            for figure in figures.iter_mut().filter(|_| attempt > 0) {
                figure.random_start(&given, attempt, &mut random, buffers, &mut pose);
            }
            let given = Given { settings: &single_attempt, ..given };
            let reports = figures.iter_mut().map(|figure| figure.solve(&given, Start::Free, buffers, &mut pose));
            let report = reports.reduce(Report::or_worse);
            if report.is_some_and(|report| report.stop.is_reached()) {
                skeleton.turn_near(&start, &mut pose);
                if found.iter().all(|other| distance(other, &pose) > MIN_BRANCH_DISTANCE) {
                    found.push(pose);
                }
                if found.len() == most {
                    break;
                }
            }
        }
        found.sort_by(|a, b| distance(&start, a).total_cmp(&distance(&start, b)));
        found
    }

    /// All branches by a closed form that are clear of what the links keep clear of, ordered by their [`pose_distance`] from
    /// `start`, which is inside the limits. `None` if the problem has no closed form, or if no branch is exact: the search may
    /// then find poses within the tolerances.
    fn exact_branches(&mut self, start: &[Coordinates]) -> Option<Vec<Pose>> {
        let goal = *self.problem.one_exact_goal()?;
        let (position, rotation) = (goal.requested_position()?, goal.requested_rotation()?);
        let arm = SixAxisArm::at(&self.skeleton, &goal.effector, self.problem.base, start).ok()?;
        let mut found = arm.poses(&self.skeleton, start, position, rotation);
        if found.is_empty() {
            return None;
        }
        let Solver { skeleton, problem, settings, figures, buffers, .. } = self;
        if !problem.has_only_goals() {
            let figure = figures.iter_mut().find(|figure| figure.figure().has(goal.effector.joint))?;
            found.retain_mut(|pose| figure.meets(&Given { skeleton, problem, settings }, buffers, pose));
        }
        let distance = |pose: &Pose| pose_distance(skeleton, arm.joints(), start, pose, 1.0);
        found.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        Some(found)
    }
}
