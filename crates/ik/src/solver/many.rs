//! Many problems on one skeleton: unlimited chains and serial arms are solved side by side in SIMD lanes, everything else
//! one by one.

use super::arm_group::{ArmGroup, ArmWork};
use super::lane_group::LaneGroup;
use super::{Solver, measured};
use crate::model::pose::{Coordinates, Pose};
use crate::model::problem::Problem;
use crate::model::report::{Report, merge};
use crate::model::settings::Prefer;
use crate::tree::scratch::Start;
use std::ops::Range;

/// Problems among which those are put together whose goals ask for the same and leave the same open.
const WINDOW: usize = 512;

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
            let is_chain = island.chain().is_some_and(|chain| chain.fits_lanes());
            (chains && is_chain) || (arms && arm.is_some()) || island.is_idle(problem)
        })
    }

    /// Whether islands and arms are made for problems like this one.
    fn takes(&self, problem: &Problem) -> bool {
        self.is_prepared_for(problem) && self.arms.fit(problem)
    }

    /// Rebuilds the islands and their arms if goals, loops, poles or obstacles have been added or removed, or if goals leave
    /// something else open.
    fn prepare_lanes(&mut self, problem: &Problem) {
        self.prepare_for(problem);
        self.arms.prepare(&self.skeleton, problem, &self.islands);
    }

    /// Solves many problems on the skeleton, each from its own pose (one entry per joint). Returns one report per
    /// problem, that of its worst island, in the same order. The field [`Solver::problem`] is ignored.
    ///
    /// Islands that are [unlimited chains](crate::simd::Batch) or [serial arms](crate::simd::ArmBatch) with one goal run
    /// in SIMD lanes, arms that keep clear of something too. Arms that reach their targets in many ways may reach them in
    /// another way than [`Solver::solve`].
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
        let count = problems.len().min(poses.len());
        for first in (0..count).step_by(WINDOW) {
            let fits = |at: &usize| problems[*at].fits_pose(&self.skeleton, &poses[*at]);
            let mut open: Vec<usize> = (first..count.min(first + WINDOW)).filter(fits).collect();
            while !open.is_empty() {
                let is_ready = open.iter().any(|&at| self.takes(&problems[at]));
                if !is_ready {
                    self.solve_waiting(Start::Free, problems, poses, &mut reports);
                    self.prepare_lanes(&problems[open[0]]);
                }
                let is_alike = |&at: &usize| self.takes(&problems[at]) || (!is_ready && at == open[0]);
                let (alike, others): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| is_alike(at));
                alike.into_iter().for_each(|at| self.begin(at, &problems[at], &mut poses[at], &mut reports[at]));
                open = others;
            }
        }
        self.solve_waiting(Start::Free, problems, poses, &mut reports);
        self.finished(reports, problems, poses)
    }

    /// The reports of all problems. Those without one are refused.
    fn finished(&self, reports: Vec<Option<Report>>, problems: &[Problem], poses: &[Pose]) -> Vec<Report> {
        let report = |(at, report): (usize, Option<Report>)| {
            report.map_or(Report::REFUSED, |report| measured(report, &self.skeleton, &problems[at], &poses[at]))
        };
        reports.into_iter().enumerate().map(report).collect()
    }

    /// Adds the islands of a problem to their groups. Those that have none are solved.
    fn begin(&mut self, at: usize, problem: &Problem, pose: &mut [Coordinates], report: &mut Option<Report>) {
        for island in 0..self.islands.len() {
            if !self.wait(at, island, problem, pose) {
                let Solver { skeleton, settings, islands, buffers, .. } = &mut *self;
                let solved = islands[island].with_buffers(buffers, |solver| {
                    solver.solve_prepared(Start::Free, skeleton, problem, settings, pose)
                });
                merge(report, solved);
            }
        }
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

    /// Solves many paths: problems that follow on each other, such as the rows of a motion. `rows` holds the number of
    /// problems of each path; the paths lie one after the other in `problems` and `poses`. The first problem of a path
    /// starts from its pose, as in [`Solver::track`]; each other one starts from the answer to the one before, and its own
    /// pose is not read. Returns one report per problem. The field [`Solver::problem`] is ignored.
    ///
    /// Serial arms run in SIMD lanes, one path per lane. An answer depends on its own path alone, bit by bit. A refused
    /// problem ([`Stop::Refused`](crate::Stop::Refused)) takes over the pose of the one before. Problems after the last
    /// path are refused.
    ///
    /// ```
    /// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Problem, Skeleton, Solver};
    /// # use glam::DVec3;
    /// let hinge = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::Hinge { axis: DVec3::Z, range: None });
    /// let skeleton = Skeleton::new(vec![
    ///     hinge("shoulder", None, DVec3::ZERO),
    ///     hinge("elbow", Some(0), DVec3::X),
    ///     hinge("wrist", Some(1), DVec3::X),
    /// ])?;
    /// let hand = Effector::new(2, DVec3::X);
    /// // Two lines of fifty points each.
    /// let point = |row: u32| DVec3::new(2.0, 0.02 * f64::from(row % 50), 0.0) - DVec3::Y * f64::from(row / 50);
    /// let problem = |row| Problem { goals: vec![Goal::new(hand, point(row))], ..Problem::default() };
    /// let problems: Vec<Problem> = (0..100).map(problem).collect();
    /// let mut poses = vec![skeleton.rest_pose(); 100];
    /// let reports = Solver::new(skeleton).solve_paths(&problems, &[50, 50], &mut poses);
    /// assert!(reports.iter().all(|report| report.stop.is_reached()));
    /// # Ok::<(), fabrik3d_ik::SkeletonError>(())
    /// ```
    pub fn solve_paths(&mut self, problems: &[Problem], rows: &[usize], poses: &mut [Pose]) -> Vec<Report> {
        let mut reports = vec![None; problems.len()];
        let (all, mut start) = (problems.len().min(poses.len()), 0_usize);
        for &rows in rows {
            let path = start..all.min(start.saturating_add(rows));
            start = path.end;
            if path.is_empty() {
                continue;
            }
            if !self.takes(&problems[path.start]) {
                self.solve_waiting(Start::Warm, problems, poses, &mut reports);
            }
            let fits = |at: usize| problems[at].fits_pose(&self.skeleton, &poses[path.start]);
            let all_fit = path.clone().all(fits);
            if all_fit {
                self.prepare_lanes(&problems[path.start]);
            }
            match all_fit && path.clone().all(|at| self.key.fits(&self.skeleton, &problems[at], None)) {
                true => self.wait_with_path(path, problems, poses, &mut reports),
                false => self.track_path(path, problems, poses, &mut reports),
            }
        }
        self.solve_waiting(Start::Warm, problems, poses, &mut reports);
        self.finished(reports, problems, poses)
    }

    /// Adds the arms of a path to their groups, and solves its other islands.
    fn wait_with_path(
        &mut self,
        path: Range<usize>,
        problems: &[Problem],
        poses: &mut [Pose],
        reports: &mut [Option<Report>],
    ) {
        for solver in &self.islands {
            for &joint in &solver.island().joints {
                let coordinates = &mut poses[path.start][joint];
                *coordinates = self.skeleton.kind(joint).project(*coordinates);
            }
        }
        self.skeleton.follow(&mut poses[path.start]);
        let (first, others) = poses[path.clone()].split_at_mut(1);
        others.iter_mut().for_each(|pose| pose.clone_from(&first[0]));
        let Solver { skeleton, settings, islands, arms, buffers, .. } = self;
        for (solver, arm) in islands.iter_mut().zip(&mut arms.groups) {
            if let Some(arm) = arm.as_mut().filter(|_| ArmGroup::supports(settings)) {
                arm.push(path.clone());
                continue;
            }
            for at in path.clone() {
                if at > path.start {
                    let (before, own) = poses.split_at_mut(at);
                    solver.island().joints.iter().for_each(|&joint| own[0][joint] = before[at - 1][joint]);
                }
                let report = solver.with_buffers(buffers, |solver| {
                    solver.solve_prepared(Start::Warm, skeleton, &problems[at], settings, &mut poses[at])
                });
                merge(&mut reports[at], report);
            }
        }
    }

    /// Solves a path whose problems differ in more than their targets, one by one.
    fn track_path(
        &mut self,
        path: Range<usize>,
        problems: &[Problem],
        poses: &mut [Pose],
        reports: &mut [Option<Report>],
    ) {
        // The islands change from problem to problem.
        self.solve_waiting(Start::Warm, problems, poses, reports);
        for at in path.clone() {
            if at > path.start {
                let (before, own) = poses.split_at_mut(at);
                own[0].clone_from(&before[at - 1]);
            }
            if !problems[at].fits_pose(&self.skeleton, &poses[at]) {
                continue;
            }
            self.prepare_for(&problems[at]);
            let Solver { skeleton, settings, islands, buffers, .. } = &mut *self;
            for solver in islands {
                let report = solver.with_buffers(buffers, |solver| {
                    solver.solve_prepared(Start::Warm, skeleton, &problems[at], settings, &mut poses[at])
                });
                merge(&mut reports[at], report);
            }
        }
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
            arm.push(at..at + 1);
        } else if let Some((chain, target, group)) = chain {
            self.lanes.groups[group].push(&self.skeleton, chain, problem.base, pose, target);
            self.lanes.waiting[group].push((at, island));
        }
        true
    }

    /// Solves all waiting chains and arms. Those whose targets the lanes do not reach are solved one by one.
    fn solve_waiting(
        &mut self,
        start: Start,
        problems: &[Problem],
        poses: &mut [Pose],
        reports: &mut [Option<Report>],
    ) {
        let Solver { skeleton, settings, islands, lanes, arms, buffers, .. } = self;
        for (group, waiting) in lanes.groups.iter_mut().zip(&mut lanes.waiting) {
            group.solve(settings);
            for (member, (at, island)) in waiting.drain(..).enumerate() {
                let (problem, pose, solver) = (&problems[at], &mut poses[at], &mut islands[island]);
                let answer = solver
                    .chain()
                    .and_then(|chain| group.answer(member, (skeleton, chain, problem.base), settings.tolerance, pose));
                let answer = answer.unwrap_or_else(|| {
                    solver.with_buffers(buffers, |own| own.solve_prepared(start, skeleton, problem, settings, pose))
                });
                merge(&mut reports[at], answer);
            }
            group.clear();
        }
        for (solver, group) in islands.iter_mut().zip(&mut arms.groups) {
            let Some(group) = group else { continue };
            solver.with_buffers(buffers, |solver| {
                group.solve(ArmWork { start, solver, skeleton, settings, problems, poses, reports });
            });
        }
    }
}
