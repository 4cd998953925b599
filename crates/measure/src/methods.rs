//! All methods on skeletons with limits: how many solvable problems each method solves.

use crate::families::FAMILIES;
use crate::table::{Row, Table};
use fabrik3d_ik::Settings;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use std::num::NonZeroU32;
use std::time::Instant;

/// Iteration limit of each method, far above any interactive use: problems unsolved by then are stuck.
const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// Totals of one method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodTotals {
    /// Number of problems.
    pub problems: usize,
    /// Solved problems.
    pub solved: usize,
    /// Iterations over all problems.
    pub iterations: u64,
    /// Time over all problems, microseconds.
    pub micros: f64,
}

impl MethodTotals {
    /// Percentage solved.
    pub fn percent(&self) -> f64 {
        100.0 * self.solved as f64 / self.problems.max(1) as f64
    }

    fn add(&mut self, other: &MethodTotals) {
        self.problems += other.problems;
        self.solved += other.solved;
        self.iterations += other.iterations;
        self.micros += other.micros;
    }
}

/// The methods that can solve skeletons, the default first.
pub fn methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| !method.is_for_chains_only())
}

/// Solves `count` problems of every family with every method, from rest. Returns the totals by family and method, in
/// the order of [`methods`]. Calls `progress` with the index of each family before it starts.
pub fn run(count: usize, seed: u64, tolerance: f64, mut progress: impl FnMut(usize)) -> Vec<Vec<MethodTotals>> {
    let mut rows = Vec::new();
    for family in FAMILIES {
        progress(rows.len());
        let mut totals = vec![MethodTotals::default(); methods().count()];
        let mut random = Random::new(seed);
        for _ in 0..count {
            let case = family.case(&mut random);
            let mut solver = case.solver();
            for (method, total) in methods().zip(&mut totals) {
                solver.settings = Settings {
                    method,
                    tolerance,
                    rotation_tolerance: tolerance,
                    max_iterations: ITERATIONS,
                    ..Settings::default()
                };
                let mut pose = case.start.clone();
                let begin = Instant::now();
                let report = solver.solve(&mut pose);
                let micros = begin.elapsed().as_secs_f64() * 1e6;
                let solved = usize::from(report.stop.is_reached());
                total.add(&MethodTotals { problems: 1, solved, iterations: report.iterations.into(), micros });
            }
        }
        rows.push(totals);
    }
    rows
}

/// Two tables: the percentage solved by family, and the totals of each method over all families.
pub fn tables(count: usize, seed: u64, progress: &mut dyn FnMut(&str)) -> Vec<Table> {
    const TOLERANCE: f64 = 1e-3;
    let rows = run(count, seed, TOLERANCE, |at| {
        progress(&format!("methods, {} of {}: {}", at + 1, FAMILIES.len(), FAMILIES[at].name));
    });
    let about = format!(
        "{count} problems of each family, all with a solution; from rest; tolerance {TOLERANCE:.0e} of the reach and {TOLERANCE:.0e} radians; \
         at most {ITERATIONS} iterations."
    );
    let mut solved = Table::new("methods on skeletons, percent solved").note(about).note(
        "textbook, ccd and the Jacobian methods as published, with limits clamped; accelerated refines its result and \
         restarts when stuck.",
    );
    let mut totals = vec![MethodTotals::default(); methods().count()];
    for (family, row) in FAMILIES.iter().zip(&rows) {
        for ((method, result), total) in methods().zip(row).zip(&mut totals) {
            solved.push(Row::new(family.name, result.percent(), "%").quantity(method.key()));
            total.add(result);
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
