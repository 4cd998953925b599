//! How the error decreases with each iteration: textbook FABRIK, and the passes with an overshoot target.

use crate::single_chain::problems_at;
use crate::table::{Row, Table};
use crate::timing::Sample;
use fabrik3d_ik::Chain;
use fabrik3d_ik::fabrik::{overshoot, passes};
use fabrik3d_ik::settings::Method;
use glam::DVec3;

/// Distances of the targets from the base, as fractions of the reach.
pub const FRACTIONS: [f64; 3] = [0.9, 0.99, 0.999];
/// Number of links of each chain.
pub const LINKS: usize = 10;
/// Iterations that [`table`] lists.
const CHECKPOINTS: [usize; 9] = [1, 2, 3, 4, 6, 10, 30, 100, 1000];

/// The error after each iteration, from a gently bent chain to targets at one distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// [`Method::Textbook`] or [`Method::Accelerated`]; the latter without its closed-form closure.
    pub method: Method,
    /// Distance of the targets from the base, as a fraction of the reach.
    pub fraction: f64,
    /// Median distance from tip to target after 0, 1, 2, ... iterations, as a fraction of the reach.
    pub errors: Vec<f64>,
}

/// The curves of both methods for each of the [`FRACTIONS`].
pub fn curves(cases: usize, iterations: usize, seed: u64) -> Vec<Curve> {
    let mut curves = Vec::new();
    for fraction in FRACTIONS {
        let problems = problems_at(LINKS, fraction, cases, seed);
        for method in [Method::Textbook, Method::Accelerated] {
            let errors: Vec<Vec<f64>> =
                problems.iter().map(|(chain, target)| errors(chain, *target, method, iterations)).collect();
            let median = |after: usize| Sample::new(errors.iter().map(|errors| errors[after])).median();
            curves.push(Curve { method, fraction, errors: (0..=iterations).map(median).collect() });
        }
    }
    curves
}

/// The errors at selected iterations.
pub fn table(cases: usize, seed: u64) -> Table {
    let most = CHECKPOINTS.into_iter().max().unwrap_or(0);
    let mut table = Table::new("convergence: median error by iteration, as a fraction of the reach").note(format!(
        "{cases} cases: {LINKS} links, gently bent chains, targets in uniform directions at the given fraction of the reach; \
         iterations alone, without the closed form that ends a solve."
    ));
    for curve in curves(cases, most, seed) {
        let subject = format!("{} of the reach, {}", curve.fraction, curve.method.key());
        for after in CHECKPOINTS {
            table.push(Row::new(subject.as_str(), curve.errors[after], "").quantity(format!("after {after}")));
        }
    }
    table
}

/// The errors of one case after 0, 1, 2, ... iterations.
fn errors(chain: &Chain, target: DVec3, method: Method, iterations: usize) -> Vec<f64> {
    let (lengths, base) = (chain.lengths(), chain.base());
    let mut points = chain.points().to_vec();
    let mut errors = vec![points[lengths.len()].distance(target)];
    // Like the solver: a smaller overshoot after an iteration that increased the error.
    let mut damping = 1.0;
    for at in 0..iterations {
        let passes_target = match method {
            Method::Accelerated => overshoot::overshoot_target(&points, lengths, target, damping),
            _ => target,
        };
        passes::backward(&mut points, lengths, passes_target);
        passes::forward(&mut points, lengths, base);
        let error = points[lengths.len()].distance(target);
        damping = if error > errors[at] { damping / 4.0 } else { f64::min(2.0 * damping, 1.0) };
        errors.push(error);
    }
    errors.iter().map(|error| error / chain.reach()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Near full reach, textbook FABRIK converges slowly. The overshoot avoids this.
    #[test]
    fn the_overshoot_needs_a_fraction_of_the_iterations() {
        for pair in curves(50, 1000, 1).chunks(2) {
            let needed = |curve: &Curve| curve.errors.iter().position(|&error| error <= 1e-4);
            let (textbook, accelerated) = (needed(&pair[0]), needed(&pair[1]));
            assert_eq!((pair[0].method, pair[1].method), (Method::Textbook, Method::Accelerated));
            let few = accelerated.is_some_and(|few| few <= 30 && textbook.is_none_or(|many| many >= 5 * few));
            assert!(few, "{} of the reach: {textbook:?} and {accelerated:?}", pair[0].fraction);
        }
    }
}
