//! The paper's methods on skeletons with limits: how many problems that have a solution each of them solves.

use crate::families::FAMILIES;
use crate::table::{Row, Table};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Method, Settings};
use std::num::NonZeroU32;
use std::time::Instant;

/// Iterations that each method may make. More than anybody waits for: what is not solved then is stuck.
const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// What one method came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of problems.
    pub problems: usize,
    /// How many of them were solved.
    pub solved: usize,
    /// Iterations of all of them.
    pub iterations: u64,
    /// Time of all of them, microseconds.
    pub micros: f64,
}

impl Tally {
    /// Percent solved.
    pub fn percent(&self) -> f64 {
        100.0 * self.solved as f64 / self.problems.max(1) as f64
    }

    fn add(&mut self, other: &Tally) {
        self.problems += other.problems;
        self.solved += other.solved;
        self.iterations += other.iterations;
        self.micros += other.micros;
    }
}

/// The methods that skeletons can be solved by, the default first.
pub fn methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| !method.is_for_chains_only())
}

/// Solves `count` problems of every family by every method, each from rest; tallies by family, in the order of
/// [`methods`]. `progress` is told the number of families done.
pub fn run(count: usize, seed: u64, tolerance: f64, mut progress: impl FnMut(usize)) -> Vec<Vec<Tally>> {
    let mut rows = Vec::new();
    for family in FAMILIES {
        progress(rows.len());
        let mut tallies = vec![Tally::default(); methods().count()];
        let mut random = Random::new(seed);
        for _ in 0..count {
            let mut rig = family.case(&mut random).rig();
            let start = rig.pose().to_vec();
            for (method, tally) in methods().zip(&mut tallies) {
                rig.settings = Settings {
                    method,
                    tolerance,
                    rotation_tolerance: tolerance,
                    max_iterations: ITERATIONS,
                    ..Settings::default()
                };
                rig.set_pose(&start);
                let begin = Instant::now();
                let report = rig.solve();
                let micros = begin.elapsed().as_secs_f64() * 1e6;
                let solved = usize::from(report.stop.is_reached());
                tally.add(&Tally { problems: 1, solved, iterations: report.iterations.into(), micros });
            }
        }
        rows.push(tallies);
    }
    rows
}

/// Two tables: the percentages by family, and what each method takes over all of them.
pub fn tables(count: usize, seed: u64, progress: impl FnMut(usize)) -> Vec<Table> {
    const TOLERANCE: f64 = 1e-3;
    let rows = run(count, seed, TOLERANCE, progress);
    let about = format!(
        "{count} problems of each family, all with a solution; from rest; {TOLERANCE:.0e} of the reach and of a radian; \
         at most {ITERATIONS} iterations."
    );
    let mut solved = Table::new("methods on skeletons, percent solved").note(about).note(
        "textbook, ccd and the Jacobian methods as published, clamped to the limits; accelerated ends with a polish and \
         starts anew where it is stuck.",
    );
    let mut totals = vec![Tally::default(); methods().count()];
    for (family, tallies) in FAMILIES.iter().zip(&rows) {
        for ((method, tally), total) in methods().zip(tallies).zip(&mut totals) {
            solved.push(Row::new(family.name, tally.percent(), "%").quantity(method.key()));
            total.add(tally);
        }
    }
    let mut all = Table::new("methods on skeletons, all families");
    for (method, total) in methods().zip(&totals) {
        let each = |sum: f64| sum / total.problems.max(1) as f64;
        let mut push = |quantity: &str, value: f64, unit: &str| {
            all.push(Row::new(method.key(), value, unit).quantity(quantity));
        };
        push("solved", total.percent(), "%");
        push("iterations", each(total.iterations as f64), "");
        push("time", each(total.micros), "us");
    }
    vec![solved, all]
}
