//! Skeletons with limits: how many solvable problems are solved, how fast, and whether limits hold.

use crate::families::{FAMILIES, Family};
use crate::table::Table;
use fabrik3d_ik::Settings;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use std::num::NonZeroU32;
use std::time::Instant;

/// The result of one family of problems.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyResult {
    /// Name of the family.
    pub family: &'static str,
    /// Number of problems.
    pub problems: usize,
    /// Percentage solved by FABRIK passes alone.
    pub passes_only: f64,
    /// Percentage solved by one attempt.
    pub one_attempt: f64,
    /// Percentage solved with restarts.
    pub solved: f64,
    /// Mean number of attempts.
    pub attempts: f64,
    /// Mean time of a solve with restarts, microseconds.
    pub mean_micros: f64,
    /// 99th percentile of the time of a solve with restarts, microseconds.
    pub p99_micros: f64,
    /// Worst limit violation in any returned pose, radians or length.
    pub violation: f64,
}

/// Number of times that each solve is timed. The fastest one counts, so that other processes have little influence.
const ROUNDS: usize = 3;

/// The pose in which the solves start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPose {
    /// The rest pose.
    Rest,
    /// A random pose.
    Random,
}

/// Solves `count` problems of a family; the same `seed` gives the same problems.
pub fn run(family: &Family, count: usize, seed: u64, start: StartPose, settings: &Settings) -> FamilyResult {
    let mut random = Random::new(seed);
    let once = Settings { max_attempts: NonZeroU32::MIN, ..*settings };
    let passes = Settings { method: Method::Textbook, ..*settings };
    let (mut by_passes, mut by_one, mut solved, mut attempts) = (0, 0, 0, 0);
    let mut violation: f64 = 0.0;
    let mut micros = Vec::with_capacity(count);
    for _ in 0..count {
        let case = family.case(&mut random);
        let case = if start == StartPose::Random { case.with_random_start(&mut random) } else { case };
        let (mut solver, mut pose) = (case.solver(), case.start.clone());
        for (settings, reached) in [(passes, &mut by_passes), (once, &mut by_one)] {
            solver.settings = settings;
            pose.clone_from(&case.start);
            *reached += usize::from(solver.solve(&mut pose).stop.is_reached());
            violation = violation.max(worst_violation(&case.skeleton, &pose));
        }
        solver.settings = *settings;
        pose.clone_from(&case.start);
        let mut report = solver.solve(&mut pose);
        let mut fastest = f64::INFINITY;
        for _ in 0..ROUNDS {
            pose.clone_from(&case.start);
            let begin = Instant::now();
            report = solver.solve(&mut pose);
            fastest = fastest.min(begin.elapsed().as_secs_f64() * 1e6);
        }
        micros.push(fastest);
        solved += usize::from(report.stop.is_reached());
        attempts += report.attempts;
        violation = violation.max(worst_violation(&case.skeleton, &pose));
    }
    micros.sort_by(f64::total_cmp);
    let percent = |number: usize| 100.0 * number as f64 / count.max(1) as f64;
    FamilyResult {
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

/// Results of `count` problems per family, from rest. Calls `progress` with a line of text before each family.
pub fn table(count: usize, seed: u64, progress: &mut dyn FnMut(&str)) -> Table {
    let settings = Settings::default();
    let mut table = Table::new("skeletons")
        .note(format!(
            "{count} problems of each family, all with a solution; from rest; tolerance {:.0e} of the reach and 0.1 degrees.",
            settings.tolerance
        ))
        .note("passes: solved by 100 FABRIK passes alone; solved: with restarts. Times are with restarts, each the best of 3.")
        .note("violation: worst limit violation in any returned pose, radians or length.");
    for (at, family) in FAMILIES.iter().enumerate() {
        progress(&format!("{} of {}: {}", at + 1, FAMILIES.len(), family.name));
        let row = run(family, count, seed, StartPose::Rest, &settings);
        let cells = [
            ("passes", row.passes_only, "%"),
            ("one attempt", row.one_attempt, "%"),
            ("solved", row.solved, "%"),
            ("attempts", row.attempts, ""),
            ("mean", row.mean_micros, "us"),
            ("p99", row.p99_micros, "us"),
            ("violation", row.violation, ""),
        ];
        table.push_line(row.family, &cells);
    }
    table
}
