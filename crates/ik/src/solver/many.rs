//! Many problems on one skeleton: unlimited chains and serial arms are solved side by side in SIMD lanes, everything else
//! one by one.

use super::arm_group::{ArmGroup, ArmWork};
use super::lane_group::LaneGroup;
use super::rows::{Listed, Rows, Table};
use super::{Solver, measured};
use crate::model::{Coordinates, Pose, Prefer, Problem, Report, Stop, Target, merge};
use crate::search::Verb;
use crate::search::workspace::Given;
use crate::simd::Threads;
use std::ops::Range;
use std::sync::Arc;

/// Number of problems among which those are grouped whose goals ask for the same and leave the same open: a group shares its
/// figures and its lanes.
const WINDOW: usize = 512;

impl Solver {
    /// Whether problems like this one run in SIMD lanes, so that it pays to pass many of them to
    /// [`Solver::solve_many`].
    pub fn runs_in_lanes(&mut self, problem: &Problem) -> bool {
        if problem.check(&self.skeleton).is_err() || self.settings.prefer == Prefer::Nearest {
            return false;
        }
        self.prepare_lanes(problem);
        let chains = LaneGroup::supports(&self.settings);
        let arms = ArmGroup::supports(&self.settings, Verb::Solve);
        self.figures.iter().zip(&self.arms.groups).all(|(figure, arm)| {
            let is_chain = figure.chain.as_ref().is_some_and(|chain| chain.fits_lanes());
            (chains && is_chain) || (arms && arm.is_some()) || figure.is_idle
        })
    }

    /// Whether figures and arms are made for problems like this one.
    fn takes(&self, problem: &Problem) -> bool {
        self.is_prepared_for(problem) && self.arms.fit(problem)
    }

    /// Splits the problem again and finds the arms if goals, loops, poles or obstacles have been added or removed, or if goals leave
    /// something else open.
    fn prepare_lanes(&mut self, problem: &Problem) {
        self.prepare_for(problem);
        self.arms.prepare(&self.skeleton, problem, &self.figures, self.lanes.engine);
    }

    /// Solves many problems on the skeleton, each from its own pose (one entry per joint). Returns one report per
    /// problem, that of its worst figure, in the same order. The field [`Solver::problem`] is ignored.
    ///
    /// Figures that are [unlimited chains](crate::simd::Batch) with one goal run in SIMD lanes, and so do serial arms with one
    /// goal: hinges, slides and fixed joints in a line, with limits and mimic joints. Arms may keep clear of something. Those
    /// that reach their targets in many ways may reach them in another way than [`Solver::solve`].
    ///
    /// - Answers of arms are judged in `f64`. Tolerances that `f32` does not resolve are met by last steps in `f64`. Limits
    ///   hold exactly.
    /// - What the lanes do not solve goes to the scalar search, which also says why a target cannot be reached. If the best of
    ///   64 attempts misses a target by far, it counts as unreachable, and only that pose is refined. A report counts the work
    ///   of both.
    /// - A lane that does not converge starts again from a random pose. Its random numbers come from the target and the seed
    ///   of the settings.
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
    /// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
    /// ```
    pub fn solve_many(&mut self, problems: &[Problem], poses: &mut [Pose]) -> Vec<Report> {
        let skeleton = Arc::clone(&self.skeleton);
        self.solve_each(problems.len(), &mut Listed { skeleton, problems, poses })
    }

    /// Solves the goals of [`Solver::problem`] for many rows of targets: [`Solver::solve_many`] for tables, without a problem
    /// and a pose per row. Returns one report per row.
    ///
    /// `targets` holds one target per goal and row, in place of those of the problem. `coordinates` holds the
    /// [values](Coordinates::values) of `joints` in every row: those to start from, then those of the answer. All other joints
    /// start as in `start`. Rows without targets or coordinates are refused, and so are all rows if `joints` or `start` do not
    /// fit the skeleton.
    ///
    /// ```
    /// # use fabrik3d_ik::{Effector, Joint, Kind, Skeleton, Solver, Target};
    /// # use glam::DVec3;
    /// // A base that turns, a shoulder, an elbow.
    /// let hinge = |axis| Kind::limited_hinge(axis, -2.5, 2.5);
    /// let skeleton = Skeleton::new(vec![
    ///     Joint::new("base", None, DVec3::ZERO, hinge(DVec3::Z)?),
    ///     Joint::new("shoulder", Some(0), DVec3::Z * 0.4, hinge(DVec3::Y)?),
    ///     Joint::new("elbow", Some(1), DVec3::Z * 0.5, hinge(DVec3::Y)?),
    /// ])?;
    /// let start = skeleton.rest_pose();
    /// let mut solver = Solver::new(skeleton).goal(Effector::new(2, DVec3::Z * 0.5), Target::default());
    /// let targets: Vec<Target> = (0..100).map(|i| DVec3::new(0.5, 0.005 * f64::from(i), 0.6).into()).collect();
    /// let mut angles = [0.0, 0.5, 0.5].repeat(targets.len());
    /// let reports = solver.solve_rows(&targets, &start, &[0, 1, 2], &mut angles);
    /// assert!(reports.iter().all(|report| report.stop.is_reached()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_rows(
        &mut self,
        targets: &[Target],
        start: &[Coordinates],
        joints: &[usize],
        coordinates: &mut [f64],
    ) -> Vec<Report> {
        let (skeleton, problem) = (Arc::clone(&self.skeleton), self.problem.clone());
        let mut table = Table::new(skeleton, problem, start, joints, targets, coordinates);
        self.solve_each(table.rows(), &mut table)
    }

    /// Solves problems, each from its own pose. Returns `count` reports; what has no pose is refused.
    fn solve_each(&mut self, count: usize, rows: &mut dyn Rows) -> Vec<Report> {
        let mut reports = vec![None; count];
        match self.settings.prefer {
            _ if self.settings.check().is_err() => {}
            Prefer::First => self.solve_together(rows, &mut reports),
            Prefer::Nearest => {
                for (at, report) in reports.iter_mut().enumerate().take(rows.count()) {
                    if rows.fits(at) {
                        self.solve_row(Verb::Nearest, at, rows, report);
                    }
                }
            }
        }
        self.finished(reports, rows)
    }

    /// Solves problems in lanes as far as possible.
    fn solve_together(&mut self, rows: &mut dyn Rows, reports: &mut [Option<Report>]) {
        for first in (0..rows.count()).step_by(WINDOW) {
            let fits = |at: &usize| rows.fits(*at);
            let mut open: Vec<usize> = (first..rows.count().min(first + WINDOW)).filter(fits).collect();
            while let Some(&next) = open.first() {
                let ready = open.iter().copied().find(|&at| self.takes(rows.problem(at)));
                if ready.is_none() {
                    self.solve_waiting(Verb::Solve, rows, reports);
                    self.prepare_lanes(rows.problem(next));
                }
                let one = ready.unwrap_or(next);
                let mut is_alike = |&at: &usize| at == one || rows.are_alike(one, at) || self.takes(rows.problem(at));
                let (alike, others): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| is_alike(at));
                alike.into_iter().for_each(|at| self.begin(at, rows, &mut reports[at]));
                open = others;
            }
            // What chains need stays in the caches. Arms wait: at the end of their problems, lanes run empty.
            self.solve_chains(Verb::Solve, rows, reports);
        }
        self.solve_waiting(Verb::Solve, rows, reports);
    }

    /// The reports of all problems. Those without one are refused.
    fn finished(&self, reports: Vec<Option<Report>>, rows: &mut dyn Rows) -> Vec<Report> {
        let joints: Vec<usize> = (0..self.skeleton.len()).collect();
        let mut report = |(at, report): (usize, Option<Report>)| match report {
            None => Report::REFUSED,
            Some(report) if report.stop == Stop::Interrupted => {
                let (problem, pose) = rows.open(at, &joints);
                measured(report, &self.skeleton, problem, pose)
            }
            Some(report) => report,
        };
        reports.into_iter().enumerate().map(&mut report).collect()
    }

    /// Adds the figures of a problem to their groups. Those that have none are solved.
    fn begin(&mut self, at: usize, rows: &mut dyn Rows, report: &mut Option<Report>) {
        if self.figures.iter().any(|solver| solver.rests) {
            rows.project(at, &self.arms.resting);
            merge(report, Report::AT_REST);
        }
        for figure in 0..self.figures.len() {
            if !self.figures[figure].rests && !self.wait(at, figure, rows) {
                merge(report, self.solve_figure(figure, Verb::Solve, at, rows));
            }
        }
    }

    /// Solves a figure of a problem without lanes.
    fn solve_figure(&mut self, figure: usize, verb: Verb, at: usize, rows: &mut dyn Rows) -> Report {
        let Solver { skeleton, settings, figures, buffers, .. } = self;
        let solver = &mut figures[figure];
        let (problem, pose) = rows.open(at, solver.figure.joints());
        let report = solver.solve(&Given { skeleton, problem, settings }, verb, buffers, pose);
        rows.close(at, solver.figure.joints());
        report
    }

    /// Solves all figures of a problem without lanes.
    fn solve_row(&mut self, verb: Verb, at: usize, rows: &mut dyn Rows, report: &mut Option<Report>) {
        self.prepare_for(rows.problem(at));
        for figure in 0..self.figures.len() {
            merge(report, self.solve_figure(figure, verb, at, rows));
        }
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
    /// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
    /// ```
    pub fn solve_paths(&mut self, problems: &[Problem], rows: &[usize], poses: &mut [Pose]) -> Vec<Report> {
        let settings = self.settings;
        // Where only a pose elsewhere reaches a row, a path goes on there.
        self.settings.may_jump = true;
        let reports = self.track_paths(problems, rows, poses);
        self.settings = settings;
        reports
    }

    fn track_paths(&mut self, problems: &[Problem], rows: &[usize], poses: &mut [Pose]) -> Vec<Report> {
        let mut reports = vec![None; problems.len()];
        // With other settings, there are no paths to solve.
        let lengths = if self.settings.check().is_ok() { rows } else { &[] };
        let rows = &mut Listed { skeleton: Arc::clone(&self.skeleton), problems, poses };
        let (all, mut start) = (rows.count(), 0_usize);
        for &length in lengths {
            let path = start..all.min(start.saturating_add(length));
            start = path.end;
            if path.is_empty() {
                continue;
            }
            if !self.takes(&problems[path.start]) {
                self.solve_waiting(Verb::Track, rows, &mut reports);
            }
            let fits = |at: usize| problems[at].check_with(&self.skeleton, &rows.poses[path.start]).is_ok();
            let all_fit = path.clone().all(fits);
            if all_fit {
                self.prepare_lanes(&problems[path.start]);
            }
            match all_fit && path.clone().all(|at| self.is_prepared_for(&problems[at])) {
                true => self.wait_with_path(path, rows, &mut reports),
                false => self.track_path(path, rows, &mut reports),
            }
        }
        self.solve_waiting(Verb::Track, rows, &mut reports);
        self.finished(reports, rows)
    }

    /// Adds the arms of a path to their groups, and solves its other figures.
    fn wait_with_path(&mut self, path: Range<usize>, rows: &mut Listed<'_>, reports: &mut [Option<Report>]) {
        for solver in &self.figures {
            rows.project(path.start, solver.figure.joints());
        }
        let (first, others) = rows.poses[path.clone()].split_at_mut(1);
        others.iter_mut().for_each(|pose| pose.clone_from(&first[0]));
        let in_lanes = ArmGroup::supports(&self.settings, Verb::Track);
        for figure in 0..self.figures.len() {
            if let Some(arm) = self.arms.groups[figure].as_mut().filter(|_| in_lanes) {
                arm.waiting.push(path.clone());
                continue;
            }
            for at in path.clone() {
                if at > path.start {
                    let joints = self.figures[figure].figure.joints().iter();
                    joints.for_each(|&joint| rows.poses[at][joint] = rows.poses[at - 1][joint]);
                }
                merge(&mut reports[at], self.solve_figure(figure, Verb::Track, at, rows));
            }
        }
    }

    /// Solves a path whose problems differ in more than their targets, one by one.
    fn track_path(&mut self, path: Range<usize>, rows: &mut Listed<'_>, reports: &mut [Option<Report>]) {
        // The figures change from problem to problem.
        self.solve_waiting(Verb::Track, rows, reports);
        for at in path.clone() {
            if at > path.start {
                let (before, own) = rows.poses.split_at_mut(at);
                own[0].clone_from(&before[at - 1]);
            }
            if rows.fits(at) {
                self.solve_row(Verb::Track, at, rows, &mut reports[at]);
            }
        }
    }

    /// Adds a figure to the lane group for its chain or its arm. Returns false if the lanes cannot solve it. After an interrupt
    /// nothing waits: the scalar solver leaves the pose as it is.
    fn wait(&mut self, at: usize, figure: usize, rows: &mut dyn Rows) -> bool {
        if self.settings.interrupt.forbids_start() {
            return false;
        }
        let solver = &self.figures[figure];
        if let Some(arm) = self.arms.groups[figure].as_mut().filter(|_| ArmGroup::supports(&self.settings, Verb::Solve))
        {
            rows.project(at, &arm.others);
            arm.waiting.push(at..at + 1);
            return true;
        }
        if !(solver.chain.as_ref().is_some_and(|chain| chain.fits_lanes()) && LaneGroup::supports(&self.settings)) {
            return false;
        }
        let joints = solver.figure.joints();
        let (problem, pose) = rows.open(at, joints);
        solver.figure.project(&self.skeleton, pose);
        let waits = self.lanes.push((at, figure), solver, problem, pose);
        rows.close(at, joints);
        waits
    }

    /// Solves all waiting chains and arms. Those whose targets the lanes do not reach are solved one by one.
    fn solve_waiting(&mut self, start: Verb, rows: &mut dyn Rows, reports: &mut [Option<Report>]) {
        self.solve_chains(start, rows, reports);
        let Solver { skeleton, settings, figures, arms, buffers, .. } = self;
        for (solver, group) in figures.iter_mut().zip(&mut arms.groups) {
            let Some(group) = group else { continue };
            group.solve(ArmWork { start, solver, buffers, skeleton, settings, rows, reports });
        }
    }

    /// Solves all waiting chains.
    fn solve_chains(&mut self, start: Verb, rows: &mut dyn Rows, reports: &mut [Option<Report>]) {
        let Solver { skeleton, settings, figures, lanes, buffers, .. } = self;
        lanes.solve(settings, Threads::One, |group, member, (at, figure)| {
            let solver = &mut figures[figure];
            let (problem, pose) = rows.open(at, solver.figure.joints());
            let given = Given { skeleton, problem, settings };
            let report = group.finish(member, solver, (&given, start), buffers, pose);
            rows.close(at, solver.figure.joints());
            merge(&mut reports[at], report);
        });
    }
}
