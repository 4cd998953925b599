//! Skeletons with limits: how many problems that have a solution are solved, how fast, and how well limits are kept.

use super::families::{Case, FAMILIES, Family};
use crate::ik::random::Random;
use crate::ik::{Method, Pose, Report, Settings, Workspace, worst_violation};
use std::num::NonZeroU32;
use std::time::Instant;

/// What one family of problems came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the family.
    pub family: &'static str,
    /// Number of problems.
    pub problems: usize,
    /// Percent solved by the reaching passes alone, 100 of them.
    pub passes_only: f64,
    /// Percent solved by one attempt.
    pub one_attempt: f64,
    /// Percent solved with restarts.
    pub solved: f64,
    /// Attempts on average.
    pub attempts: f64,
    /// Mean time of a solve with restarts, microseconds.
    pub mean_micros: f64,
    /// Time that 99 of 100 solves do not exceed, microseconds.
    pub p99_micros: f64,
    /// Worst violation of a limit in any pose returned, radians or length.
    pub violation: f64,
}

/// How often each solve is timed; the fastest counts, so that what else runs on the machine counts little.
const ROUNDS: usize = 3;

/// Where the solves start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The rest pose.
    Rest,
    /// A random pose.
    Anywhere,
}

/// Solves one case; the report and the pose.
pub fn solve(case: &Case, settings: &Settings) -> (Report, Pose) {
    let mut pose = case.start.clone();
    let mut workspaces = workspaces(case);
    (solve_with(&mut workspaces, case, settings, &mut pose), pose)
}

/// One workspace an island.
pub fn workspaces(case: &Case) -> Vec<Workspace> {
    let ties = case.problem.loops.iter().map(|(a, b)| (a.joint, b.joint));
    let islands = case.skeleton.islands(ties);
    islands.iter().map(|island| Workspace::new(&case.skeleton, &case.problem, island)).collect()
}

fn solve_with(workspaces: &mut [Workspace], case: &Case, settings: &Settings, pose: &mut Pose) -> Report {
    let reports = workspaces.iter_mut().map(|island| island.solve(&case.skeleton, &case.problem, settings, pose));
    let worst = reports.reduce(|a, b| if a.stop.is_reached() { b } else { a });
    worst.expect("a skeleton has at least one joint, so at least one island")
}

/// Runs `count` problems of a family, made from `seed`.
pub fn run(family: &Family, count: usize, seed: u64, from: From, settings: &Settings) -> Row {
    let mut random = Random::new(seed);
    let once = Settings { max_attempts: NonZeroU32::MIN, ..*settings };
    let passes = Settings { method: Method::Textbook, ..*settings };
    let (mut by_passes, mut by_one, mut solved, mut attempts) = (0, 0, 0, 0);
    let mut violation: f64 = 0.0;
    let mut micros = Vec::with_capacity(count);
    for _ in 0..count {
        let case = family.case(&mut random);
        let case = if from == From::Anywhere { case.from_anywhere(&mut random) } else { case };
        let mut workspaces = workspaces(&case);
        for (settings, reached) in [(&passes, &mut by_passes), (&once, &mut by_one)] {
            let mut pose = case.start.clone();
            *reached += usize::from(solve_with(&mut workspaces, &case, settings, &mut pose).stop.is_reached());
            violation = violation.max(worst_violation(&case.skeleton, &pose));
        }
        let mut pose = case.start.clone();
        let mut report = solve_with(&mut workspaces, &case, settings, &mut pose);
        let mut fastest = f64::INFINITY;
        for _ in 0..ROUNDS {
            pose.copy_from_slice(&case.start);
            let begin = Instant::now();
            report = solve_with(&mut workspaces, &case, settings, &mut pose);
            fastest = fastest.min(begin.elapsed().as_secs_f64() * 1e6);
        }
        micros.push(fastest);
        solved += usize::from(report.stop.is_reached());
        attempts += report.attempts;
        violation = violation.max(worst_violation(&case.skeleton, &pose));
    }
    micros.sort_by(f64::total_cmp);
    let percent = |number: usize| 100.0 * number as f64 / count.max(1) as f64;
    Row {
        family: family.name,
        problems: count,
        passes_only: percent(by_passes),
        one_attempt: percent(by_one),
        solved: percent(solved),
        attempts: f64::from(attempts) / count.max(1) as f64,
        mean_micros: micros.iter().sum::<f64>() / count.max(1) as f64,
        p99_micros: micros.get(count * 99 / 100).copied().unwrap_or_default(),
        violation,
    }
}

/// Runs `count` problems of every family.
pub fn run_all(count: usize, seed: u64, from: From, settings: &Settings) -> Vec<Row> {
    FAMILIES.iter().map(|family| run(family, count, seed, from, settings)).collect()
}
