//! Many problems on one skeleton: unlimited chains and serial arms are solved side by side in SIMD lanes, everything else
//! one by one.

use super::arm_group::ArmGroup;
use super::lane_group::LaneGroup;
use super::{Solver, prepare};
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::Report;
use crate::model::settings::Prefer;
use crate::tree::island::IslandSolver;
use crate::tree::scratch::Start;

impl Solver {
    /// Whether problems like this one run in SIMD lanes, so that it pays to pass many of them to
    /// [`Solver::solve_many`].
    pub fn runs_in_lanes(&mut self, problem: &Problem) -> bool {
        if !problem.fits(&self.skeleton) || self.settings.prefer == Prefer::Nearest {
            return false;
        }
        self.prepare_lanes(problem);
        let chains = LaneGroup::supports(&self.settings);
        let arms = ArmGroup::supports(&self.settings);
        self.islands.iter().zip(&self.arms.groups).all(|(island, arm)| {
            (chains && island.chain().is_some_and(|chain| chain.fits_lanes())) || (arms && arm.is_some())
        })
    }

    /// Rebuilds the islands and their arms if goals, loops, poles or obstacles have been added or removed.
    fn prepare_lanes(&mut self, problem: &Problem) {
        prepare(&self.skeleton, problem, &mut self.key, &mut self.islands);
        let islands = self.islands.iter().map(IslandSolver::island);
        self.arms.prepare(&self.skeleton, problem, &self.key, islands);
    }

    /// Solves many problems on the skeleton, each from its own pose (one entry per joint). Returns one report per
    /// problem, that of its worst island, in the same order. The field [`Solver::problem`] is ignored.
    ///
    /// Islands that are [unlimited chains](crate::simd::Batch) or [serial arms](crate::simd::ArmBatch) with one goal run
    /// in SIMD lanes. Arms that reach their targets in many ways may reach them in another way than [`Solver::solve`].
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
        if self.settings.prefer == Prefer::Nearest {
            return self.solve_each_nearest(problems, poses);
        }
        let mut reports = vec![None; problems.len()];
        for at in 0..problems.len().min(poses.len()) {
            let (problem, pose) = (&problems[at], &mut poses[at]);
            if !problem.fits_pose(&self.skeleton, pose) {
                continue;
            }
            if !self.key.fits(&self.skeleton, problem) {
                self.solve_waiting(problems, poses, &mut reports);
            }
            self.prepare_lanes(problem);
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

    /// Solves one problem after another for the pose next to its start.
    fn solve_each_nearest(&mut self, problems: &[Problem], poses: &mut [Pose]) -> Vec<Report> {
        let own = std::mem::take(&mut self.problem);
        let mut poses = poses.iter_mut();
        let solve = |problem: &Problem| {
            self.problem.clone_from(problem);
            poses.next().map_or(Report::REFUSED, |pose| self.solve_nearest(pose))
        };
        let reports = problems.iter().map(solve).collect();
        self.problem = own;
        reports
    }

    /// Adds an island to the lane group for its chain or its arm. Returns false if the lanes cannot solve it.
    fn wait(&mut self, at: usize, island: usize, problem: &Problem, pose: &mut [Coordinates]) -> bool {
        let solver = &self.islands[island];
        let arm = self.arms.groups[island].as_mut().filter(|_| ArmGroup::supports(&self.settings));
        let chain = solver.chain().filter(|chain| chain.fits_lanes() && LaneGroup::supports(&self.settings));
        let chain = chain.and_then(|chain| Some((chain, chain.target(problem)?, self.lanes.group(chain.len())?)));
        if arm.is_none() && chain.is_none() {
            return false;
        }
        for &joint in &solver.island().joints {
            pose[joint] = self.skeleton.kind(joint).project(pose[joint]);
        }
        if let Some(arm) = arm {
            self.skeleton.follow(pose);
            arm.push(at);
        } else if let Some((chain, target, group)) = chain {
            self.lanes.groups[group].push(&self.skeleton, chain, problem.base, pose, target);
            self.lanes.waiting[group].push((at, island));
        }
        true
    }

    /// Solves all waiting chains and arms. Those whose targets the lanes do not reach are solved one by one.
    fn solve_waiting(&mut self, problems: &[Problem], poses: &mut [Pose], reports: &mut [Option<Report>]) {
        let Solver { skeleton, settings, islands, lanes, arms, .. } = self;
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
        for (solver, group) in islands.iter_mut().zip(&mut arms.groups) {
            let Some(group) = group else { continue };
            let answers = group.solve(skeleton, settings, problems, poses);
            answers.solved.into_iter().for_each(|(at, report)| merge(&mut reports[at], report));
            for at in answers.unsolved {
                let report = solver.solve_prepared(Start::Free, skeleton, &problems[at], settings, &mut poses[at]);
                merge(&mut reports[at], report);
            }
        }
    }
}

/// Combines the report of an island with that of its problem.
fn merge(report: &mut Option<Report>, other: Report) {
    *report = Some(report.map_or(other, |report| report.or_worse(other)));
}
