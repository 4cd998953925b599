//! Table 1 of the FABRIK paper, measured again: ten joints, no limits, its seven methods and the accelerated one.
//!
//! Source of the printed numbers: A. Aristidou, J. Lasenby, "FABRIK: a fast, iterative solver for the inverse
//! kinematics problem", Graphical Models 73 (2011), table 1 (means of 20 runs, MATLAB, Core 2 Duo at 2.2 GHz) and
//! figure 11. The paper does not state its start poses, its targets or its stop criterion for targets out of reach. The
//! number of iterations depends on all three, so the notes under each table state them, and percentiles complement the
//! means.

use crate::table::{Row, Table};
use crate::timing::{Clock, Sample, Timing, paired_by};
use fabrik3d_ik::random::Random;
use fabrik3d_ik::settings::Method;
use fabrik3d_ik::{Chain, Report, Settings, Stop, methods};
use glam::DVec3;
use std::num::NonZeroU32;

/// The paper's ten joints have nine links of 100 mm between them, as in its figure 11.
const LINKS: usize = 9;
const LINK_LENGTH: f64 = 100.0;
const REACH: f64 = LINKS as f64 * LINK_LENGTH;

/// Distance to the target that counts as reached, in mm, as in figure 11.
const TOLERANCE: f64 = 1e-3;

/// Distance from the end effector to the target in figure 11, in mm.
const FIGURE_11_DISTANCE: f64 = 600.0;

const MAX_ITERATIONS: NonZeroU32 = NonZeroU32::new(10_000).unwrap();

/// Iterations at which the errors of figure 11 are listed.
const CHECKPOINTS: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];

const ROUNDS: usize = 5;

/// The paper's table 1, chain of ten joints: iterations and seconds for targets within reach, and for targets out of reach.
/// FABRIK is [`Method::Textbook`].
const PRINTED: [(Method, [f64; 2], [f64; 2]); 7] = [
    (Method::Textbook, [15.461, 0.01328], [67.564, 0.06207]),
    (Method::Ccd, [26.308, 0.12356], [390.135, 3.92869]),
    (Method::JacobianTranspose, [1311.190, 12.98947], [6549.000, 33.90473]),
    (Method::Dls, [998.648, 10.48051], [2881.667, 14.87918]),
    (Method::SvdDls, [808.797, 9.29652], [2808.452, 15.97591]),
    (Method::Ftl, [21.125, 0.02045], [22.325, 0.02526]),
    (Method::Triangulation, [1.000, 0.05747], [1.000, 0.06993]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InitialPose {
    /// Straight along +x.
    Straight,
    /// Each link in an independent direction, uniform on the sphere.
    Crooked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Targets {
    /// Uniform in the reachable ball.
    Within,
    /// In a uniform direction, at 1.05 to 1.5 times the reach.
    Beyond,
    /// Uniform on the reachable part of a sphere around the end effector.
    Figure11,
}

/// A chain in its initial pose, and its target.
struct PaperCase {
    chain: Chain,
    target: DVec3,
}

impl PaperCase {
    fn new(random: &mut Random, start: InitialPose, targets: Targets) -> Self {
        let mut points = vec![DVec3::ZERO];
        for i in 0..LINKS {
            let direction = match start {
                InitialPose::Straight => DVec3::X,
                InitialPose::Crooked => random.direction(),
            };
            points.push(points[i] + direction * LINK_LENGTH);
        }
        let target = match targets {
            Targets::Within => random.ball() * REACH,
            Targets::Beyond => random.direction() * random.range(1.05, 1.5) * REACH,
            Targets::Figure11 => loop {
                let target = points[LINKS] + random.direction() * FIGURE_11_DISTANCE;
                if target.length() <= REACH {
                    break target;
                }
            },
        };
        PaperCase { chain: Chain::new(&points).expect("the links have a length"), target }
    }

    /// Solves from the initial pose. Only the accelerated method detects unreachable targets before it iterates; the
    /// others do as in the paper.
    fn solve(&self, method: Method, max_iterations: NonZeroU32) -> Report {
        let settings = Settings { method, tolerance: TOLERANCE / REACH, max_iterations, ..Settings::default() };
        match method {
            Method::Accelerated => self.chain.clone().solve(self.target, &settings),
            _ => {
                let mut points = self.chain.points().to_vec();
                methods::solve(&mut points, self.chain.lengths(), self.target, &settings)
            }
        }
    }
}

fn cases(count: usize, seed: u64, start: InitialPose, targets: Targets) -> Vec<PaperCase> {
    let mut random = Random::new(seed);
    (0..count).map(|_| PaperCase::new(&mut random, start, targets)).collect()
}

/// Table 1 for targets within and out of reach, from straight and from crooked chains, and figure 11.
///
/// Measures `count` cases of each kind; a few hundred take some seconds. The same `seed` gives the same cases.
pub fn tables(count: usize, seed: u64) -> Vec<Table> {
    let mut tables = Vec::new();
    for targets in [Targets::Within, Targets::Beyond] {
        for start in [InitialPose::Straight, InitialPose::Crooked] {
            tables.push(table_1(&cases(count, seed, start, targets), start, targets));
        }
    }
    tables.push(figure_11(&cases(count, seed, InitialPose::Straight, Targets::Figure11)));
    tables
}

fn table_1(cases: &[PaperCase], start: InitialPose, targets: Targets) -> Table {
    let (place, placed) = match targets {
        Targets::Within => ("within reach", "uniform in the ball of the reach"),
        _ => ("out of reach", "in uniform directions, 1.05 to 1.5 reaches from the base"),
    };
    let (pose, posed) = match start {
        InitialPose::Straight => ("straight", "straight along +x"),
        InitialPose::Crooked => ("crooked", "each link in a uniform direction"),
    };
    let mut table = Table::new(format!("paper, {place}, from a {pose} chain"))
        .note(format!(
            "{} cases: 10 joints, 9 links of 100 mm; tolerance 1e-3 mm; start: {posed}; targets: {placed}; at most \
             {MAX_ITERATIONS} iterations.",
            cases.len()
        ))
        .note(
            "2011: Aristidou and Lasenby, table 1: means of 20 runs, MATLAB, Core 2 Duo; start and targets not stated.",
        )
        .note("met: within the tolerance of the target or, out of reach, of the nearest pose. (x): ratio to textbook.");
    let solve_all = |method| cases.iter().map(|case| case.solve(method, MAX_ITERATIONS)).collect::<Vec<_>>();
    let reports = Method::ALL.map(solve_all);
    let seconds = times(cases);
    for ((method, reports), &(seconds, ratio)) in Method::ALL.into_iter().zip(reports).zip(&seconds) {
        push_measured(&mut table, method, &reports, seconds / cases.len() as f64, ratio);
        push_printed(&mut table, method, targets);
    }
    table
}

/// Per method: median seconds for all cases, and the median ratio to textbook FABRIK.
fn times(cases: &[PaperCase]) -> Vec<(f64, f64)> {
    let candidate = |method: Method| {
        let solve_all = move || {
            for case in cases {
                let _ = std::hint::black_box(case.solve(method, MAX_ITERATIONS));
            }
        };
        (method.key().to_owned(), move || Clock::Thread.time(solve_all))
    };
    let timings = paired_by(ROUNDS, Method::ALL.map(candidate));
    let textbook = timings.iter().find(|timing| timing.name == Method::Textbook.key());
    let ratio = |timing| textbook.map_or(f64::NAN, |textbook| Timing::ratio_to(timing, textbook));
    timings.iter().map(|timing| (timing.median(), ratio(timing))).collect()
}

fn push_measured(table: &mut Table, method: Method, reports: &[Report], seconds: f64, ratio: f64) {
    let name = method.key();
    let met = reports.iter().filter(|report| matches!(report.stop, Stop::Reached | Stop::TooFar)).count();
    let iterations = Sample::new(reports.iter().map(|report| f64::from(report.iterations)));
    let met = 100.0 * met as f64 / reports.len() as f64;
    let [p90, p99] = [90.0, 99.0].map(|percent| iterations.percentile(percent));
    let (mean, median) = (iterations.mean(), iterations.median());
    table.push_line(
        name,
        &[("met", met, "%"), ("iterations", mean, ""), ("median", median, ""), ("p90", p90, ""), ("p99", p99, "")],
    );
    let time = Row::new(name, seconds * 1e6, "us").quantity("time");
    table.push(time.ratio_to(Method::Textbook.key(), ratio));
    if mean > 0.0 {
        table.push_line(name, &[("per iteration", seconds * 1e9 / mean, "ns")]);
    }
}

fn push_printed(table: &mut Table, method: Method, targets: Targets) {
    let of = |&(_, within, beyond): &(Method, [f64; 2], [f64; 2])| match targets {
        Targets::Within => within,
        _ => beyond,
    };
    let Some(printed) = PRINTED.iter().find(|(known, ..)| *known == method) else { return };
    let ([iterations, seconds], [_, textbook]) = (of(printed), of(&PRINTED[0]));
    let name = method.key();
    table.push(Row::new(name, iterations, "").quantity("in 2011"));
    let time = Row::new(name, seconds * 1e3, "ms").quantity("time in 2011");
    table.push(time.ratio_to(Method::Textbook.key(), seconds / textbook));
}

/// The error after a number of iterations: points of the curves of figure 11.
fn figure_11(cases: &[PaperCase]) -> Table {
    let mut table = Table::new("paper, figure 11: median error by iteration")
        .note(format!(
            "{} cases: 900 mm chain of 9 links, straight; targets uniform on the reachable part of the sphere of \
             600 mm around the end effector; each method stops at 1e-3 mm.",
            cases.len()
        ))
        .note("accelerated: with the closed form that ends a solve after the iterations.");
    for method in Method::ALL {
        for iterations in CHECKPOINTS.into_iter().filter_map(NonZeroU32::new) {
            let errors = Sample::new(cases.iter().map(|case| case.solve(method, iterations).error * REACH));
            table.push(Row::new(method.key(), errors.median(), "mm").quantity(format!("after {iterations}")));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_line_for_every_method() {
        let tables = tables(3, 1);
        assert_eq!(tables.len(), 5);
        for table in &tables {
            for method in Method::ALL {
                let rows = table.rows.iter().filter(|row| row.subject == method.key());
                assert!(rows.clone().count() >= 6, "{}: {}", table.title, method.key());
                assert!(rows.into_iter().all(|row| row.value.is_finite()), "{}: {}", table.title, method.key());
            }
        }
    }

    /// The paper also prints the time per iteration: 0.86 ms for FABRIK, 57.47 ms for triangulation.
    #[test]
    fn printed_numbers_agree_with_the_printed_quotients() {
        let quotients = [0.86, 4.69, 9.90, 10.49, 11.50, 0.97, 57.47];
        for ((method, [iterations, seconds], _), quotient) in PRINTED.into_iter().zip(quotients) {
            let got = seconds * 1e3 / iterations;
            assert!((got - quotient).abs() <= 0.01, "{}: {got}", method.key());
        }
    }
}
