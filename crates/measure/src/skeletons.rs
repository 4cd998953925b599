//! Skeletons with limits: how many solvable problems are solved, how fast, and whether limits hold.

use crate::families::{Family, push_lines};
use crate::table::{Cell, Table};
use crate::timing::Sample;
use fabrik3d_ik::Settings;
use fabrik3d_ik::queries::worst_violation;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use std::num::NonZeroU32;
use std::time::Instant;

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

/// Solves `count` problems of a family; the same `seed` gives the same problems. Percentages are of problems solved by FABRIK
/// passes alone (`passes`), by one attempt, and with restarts (`solved`). The numbers after these are of solves with restarts,
/// but `violation`: the worst limit violation in any returned pose, radians or length.
pub fn run(family: &Family, count: usize, seed: u64, start: StartPose, settings: &Settings) -> [Cell<'static>; 7] {
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
    let percent = |number: usize| 100.0 * number as f64 / count.max(1) as f64;
    let micros = Sample::new(micros);
    [
        ("passes", percent(by_passes), "%"),
        ("one attempt", percent(by_one), "%"),
        ("solved", percent(solved), "%"),
        ("attempts", f64::from(attempts) / count.max(1) as f64, ""),
        ("mean", micros.mean(), "us"),
        ("p99", micros.percentile(99.0), "us"),
        ("violation", violation, ""),
    ]
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
    push_lines(&mut table, progress, |family| Some(run(family, count, seed, StartPose::Rest, &settings)));
    table
}
