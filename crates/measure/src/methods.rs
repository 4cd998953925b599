//! All methods on skeletons with limits: how many solvable problems each method solves.

use crate::families::{FAMILIES, Family};
use crate::table::Table;
use fabrik3d_ik::Settings;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use std::num::NonZeroU32;
use std::time::Instant;

/// Iteration limit of each method, far above any interactive use: problems unsolved by then are stuck.
const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// Tolerance, as a fraction of the reach and in radians.
const TOLERANCE: f64 = 1e-3;

/// Totals of one method.
#[derive(Clone, Copy, Default)]
struct Totals {
    problems: usize,
    solved: usize,
    iterations: u64,
    micros: f64,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.problems += other.problems;
        self.solved += other.solved;
        self.iterations += other.iterations;
        self.micros += other.micros;
    }

    fn percent(&self) -> f64 {
        100.0 * self.solved as f64 / self.problems.max(1) as f64
    }
}

/// The methods that can solve skeletons, the default first.
fn methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| !method.is_for_chains_only())
}

/// Solves `count` problems of a family with every method, from rest. Returns the totals of each method.
fn run(family: &Family, count: usize, seed: u64) -> Vec<Totals> {
    let mut totals = vec![Totals::default(); methods().count()];
    let mut random = Random::new(seed);
    for _ in 0..count {
        let case = family.case(&mut random);
        let mut solver = case.solver();
        for (method, total) in methods().zip(&mut totals) {
            solver.settings = Settings {
                method,
                tolerance: TOLERANCE,
                rotation_tolerance: TOLERANCE,
                max_iterations: ITERATIONS,
                ..Settings::default()
            };
            let mut pose = case.start.clone();
            let begin = Instant::now();
            let report = solver.solve(&mut pose);
            let micros = begin.elapsed().as_secs_f64() * 1e6;
            let solved = usize::from(report.stop.is_reached());
            total.add(Totals { problems: 1, solved, iterations: report.iterations.into(), micros });
        }
    }
    totals
}

/// Two tables: the percentage solved by family, and the totals of each method over all families. Calls `progress` with a
/// line of text before each family.
pub fn tables(count: usize, seed: u64, progress: &mut dyn FnMut(&str)) -> Vec<Table> {
    let about = format!(
        "{count} problems of each family, all with a solution; from rest; tolerance {TOLERANCE:.0e} of the reach and {TOLERANCE:.0e} radians; \
         at most {ITERATIONS} iterations."
    );
    let mut solved = Table::new("methods on skeletons, percent solved").note(about).note(
        "textbook, ccd and the Jacobian methods as published, with limits clamped; accelerated refines its result and \
         restarts when stuck.",
    );
    let mut totals = vec![Totals::default(); methods().count()];
    for (at, family) in FAMILIES.iter().enumerate() {
        progress(&format!("methods, {} of {}: {}", at + 1, FAMILIES.len(), family.name));
        for ((method, result), total) in methods().zip(run(family, count, seed)).zip(&mut totals) {
            solved.push_line(family.name, &[(method.key(), result.percent(), "%")]);
            total.add(result);
        }
    }
    let mut all = Table::new("methods on skeletons, all families");
    for (method, total) in methods().zip(&totals) {
        let each = |sum: f64| sum / total.problems.max(1) as f64;
        let iterations = each(total.iterations as f64);
        all.push_line(
            method.key(),
            &[("solved", total.percent(), "%"), ("iterations", iterations, ""), ("time", each(total.micros), "us")],
        );
    }
    vec![solved, all]
}
