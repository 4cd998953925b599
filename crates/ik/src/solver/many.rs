//! Many problems on one skeleton: unlimited chains are solved side by side in SIMD lanes, everything else one by one.

use super::lane_group::LaneGroup;
use super::{Solver, prepare};
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::Report;
use crate::tree::scratch::Start;

impl Solver {
    /// Whether problems like this one run in SIMD lanes, so that it pays to pass many of them to
    /// [`Solver::solve_many`].
    pub fn runs_in_lanes(&mut self, problem: &Problem) -> bool {
        if !LaneGroup::supports(&self.settings) || !problem.fits(&self.skeleton) {
            return false;
        }
        prepare(&self.skeleton, problem, &mut self.key, &mut self.islands);
        self.islands.iter().all(|island| island.chain().is_some_and(|chain| chain.fits_lanes()))
    }

    /// Solves many problems on the skeleton, each from its own pose (one entry per joint). Returns one report per
    /// problem, that of its worst island, in the same order. The field [`Solver::problem`] is ignored.
    ///
    /// An answer depends on its own problem alone, bit by bit, and not on the other problems. All work is done on the
    /// calling thread; use one solver per thread for more. A problem without a pose, or one that [`Solver::solve`]
    /// would refuse, is refused: [`Stop::Refused`](crate::Stop::Refused).
    ///
    /// ```
    /// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Skeleton, Solver, Stop};
    /// # use glam::DVec3;
    /// let skeleton = Skeleton::new(vec![
    ///     Joint::new("shoulder", None, DVec3::ZERO, Kind::UNLIMITED_BALL),
    ///     Joint::new("elbow", Some(0), DVec3::Y, Kind::UNLIMITED_BALL),
    ///     Joint::new("wrist", Some(1), DVec3::Y, Kind::UNLIMITED_BALL),
    /// ])?;
    /// let hand = Effector::new(2, DVec3::Y * 0.5);
    /// let targets = (0..100).map(|i| DVec3::new(1.0, 0.01 * f64::from(i), 0.5));
    /// let problems: Vec<Problem> =
    ///     targets.map(|target| Problem { goals: vec![Goal::new(hand, target)], ..Problem::default() }).collect();
    /// let mut poses = vec![skeleton.rest_pose(); problems.len()];
    /// let reports = Solver::new(skeleton).solve_many(&problems, &mut poses);
    /// assert!(reports.iter().all(|report| report.stop == Stop::Reached));
    /// # Ok::<(), fabrik3d_ik::SkeletonError>(())
    /// ```
    pub fn solve_many(&mut self, problems: &[Problem], poses: &mut [Pose]) -> Vec<Report> {
        let mut reports = vec![None; problems.len()];
        for at in 0..problems.len().min(poses.len()) {
            let (problem, pose) = (&problems[at], &mut poses[at]);
            if !problem.fits_pose(&self.skeleton, pose) {
                continue;
            }
            if !self.key.fits(&self.skeleton, problem) {
                self.solve_waiting(problems, poses, &mut reports);
            }
            prepare(&self.skeleton, problem, &mut self.key, &mut self.islands);
            for island in 0..self.islands.len() {
                if !self.wait(at, island, problem, &mut poses[at]) {
                    let solver = &mut self.islands[island];
                    let report =
                        solver.solve_prepared(Start::Free, &self.skeleton, problem, &self.settings, &mut poses[at]);
                    merge(&mut reports[at], report);
                }
            }
        }
        self.solve_waiting(problems, poses, &mut reports);
        reports.into_iter().map(|report| report.unwrap_or(Report::REFUSED)).collect()
    }

    /// Adds an island to the lane group for its chain. Returns false if the lanes cannot solve it.
    fn wait(&mut self, at: usize, island: usize, problem: &Problem, pose: &mut [Coordinates]) -> bool {
        let solver = &self.islands[island];
        let chain = solver.chain().filter(|chain| chain.fits_lanes() && LaneGroup::supports(&self.settings));
        let Some((chain, target)) = chain.and_then(|chain| Some((chain, chain.target(problem)?))) else {
            return false;
        };
        let Some(group) = self.lanes.group(chain.len()) else { return false };
        for &joint in &solver.island().joints {
            pose[joint] = self.skeleton.kind(joint).project(pose[joint]);
        }
        self.lanes.groups[group].push(&self.skeleton, chain, problem.base, pose, target);
        self.lanes.waiting[group].push((at, island));
        true
    }

    /// Solves all waiting chains. Those whose targets the lanes do not reach are solved one by one.
    fn solve_waiting(&mut self, problems: &[Problem], poses: &mut [Pose], reports: &mut [Option<Report>]) {
        let Solver { skeleton, settings, islands, lanes, .. } = self;
        for (group, waiting) in lanes.groups.iter_mut().zip(&mut lanes.waiting) {
            group.solve(settings);
            for (member, (at, island)) in waiting.drain(..).enumerate() {
                let (problem, pose, solver) = (&problems[at], &mut poses[at], &mut islands[island]);
                let answer = solver
                    .chain()
                    .and_then(|chain| group.answer(member, (skeleton, chain, problem.base), settings.tolerance, pose));
                let answer =
                    answer.unwrap_or_else(|| solver.solve_prepared(Start::Free, skeleton, problem, settings, pose));
                merge(&mut reports[at], answer);
            }
            group.clear();
        }
    }
}

/// Combines the report of an island with that of its problem.
fn merge(report: &mut Option<Report>, other: Report) {
    *report = Some(report.map_or(other, |report| report.or_worse(other)));
}
