//! Skeletons with limits: how many problems that have a solution are solved, how fast, and how well limits are kept.

use crate::families::{Case, FAMILIES, Family};
use crate::table::{Row, Table};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Method, Pose, Report, Settings, worst_violation};
use std::num::NonZeroU32;
use std::time::Instant;

/// What one family of problems came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
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
    let mut rig = case.rig();
    rig.settings = *settings;
    (rig.solve(), rig.pose().to_vec())
}

/// Runs `count` problems of a family, made from `seed`.
pub fn run(family: &Family, count: usize, seed: u64, from: From, settings: &Settings) -> Solved {
    let mut random = Random::new(seed);
    let once = Settings { max_attempts: NonZeroU32::MIN, ..*settings };
    let passes = Settings { method: Method::Textbook, ..*settings };
    let (mut by_passes, mut by_one, mut solved, mut attempts) = (0, 0, 0, 0);
    let mut violation: f64 = 0.0;
    let mut micros = Vec::with_capacity(count);
    for _ in 0..count {
        let case = family.case(&mut random);
        let case = if from == From::Anywhere { case.from_anywhere(&mut random) } else { case };
        let mut rig = case.rig();
        for (settings, reached) in [(passes, &mut by_passes), (once, &mut by_one)] {
            rig.settings = settings;
            rig.set_pose(&case.start);
            *reached += usize::from(rig.solve().stop.is_reached());
            violation = violation.max(worst_violation(&case.skeleton, rig.pose()));
        }
        rig.settings = *settings;
        rig.set_pose(&case.start);
        let mut report = rig.solve();
        let mut fastest = f64::INFINITY;
        for _ in 0..ROUNDS {
            rig.set_pose(&case.start);
            let begin = Instant::now();
            report = rig.solve();
            fastest = fastest.min(begin.elapsed().as_secs_f64() * 1e6);
        }
        micros.push(fastest);
        solved += usize::from(report.stop.is_reached());
        attempts += report.attempts;
        violation = violation.max(worst_violation(&case.skeleton, rig.pose()));
    }
    micros.sort_by(f64::total_cmp);
    let percent = |number: usize| 100.0 * number as f64 / count.max(1) as f64;
    Solved {
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

/// `count` problems of every family from rest; `progress` is called with a line of text before each family.
pub fn table(count: usize, seed: u64, progress: &mut dyn FnMut(&str)) -> Table {
    let settings = Settings::default();
    let mut table = Table::new("skeletons")
        .note(format!(
            "{count} problems of each family, all with a solution; from rest; tolerance {:.0e} of the reach and 0.1 degrees.",
            settings.tolerance
        ))
        .note("Solved by 100 reaching passes alone, by one attempt, and with restarts; times with restarts, each the best of 3.")
        .note("violation: the worst of any limit in any pose returned, radians or length.");
    for (at, family) in FAMILIES.iter().enumerate() {
        progress(&format!("{} of {}: {}", at + 1, FAMILIES.len(), family.name));
        let row = run(family, count, seed, From::Rest, &settings);
        let mut push = |quantity: &str, value: f64, unit: &str| {
            table.push(Row::new(row.family, value, unit).quantity(quantity));
        };
        push("passes", row.passes_only, "%");
        push("one attempt", row.one_attempt, "%");
        push("solved", row.solved, "%");
        push("attempts", row.attempts, "");
        push("mean", row.mean_micros, "us");
        push("p99", row.p99_micros, "us");
        push("violation", row.violation, "");
    }
    table
}
