//! The points where a conic meets the unit circle: real roots of polynomials of degree four.

use crate::maths;
use std::f64::consts::PI;

/// A polynomial touches zero where its extremum is smaller than this, relative to its coefficients.
const TOUCHES: f64 = 1e-9;
/// Roots that differ less are one: the distance of two roots that rounding makes of one is about the root of its error.
const SAME_ROOT: f64 = 1e-7;
/// Most steps to a root; each at least halves the interval if Newton's method does not do better.
const MOST_STEPS: usize = 80;

/// The angles at which `q0 cos^2 + 2 q1 cos sin + q2 sin^2 + l0 cos + l1 sin + constant` is zero, at most four. With half
/// the angle's tangent, this is a polynomial; the tangent runs from -1 to 1 in each half of the circle.
pub(super) fn roots_on_circle([q0, q1, q2]: [f64; 3], [l0, l1]: [f64; 2], constant: f64) -> Vec<f64> {
    let mut angles = Vec::new();
    for (middle, l0, l1) in [(0.0, l0, l1), (PI, -l0, -l1)] {
        let polynomial = [
            q0 + l0 + constant,
            4.0 * q1 + 2.0 * l1,
            4.0 * q2 - 2.0 * q0 + 2.0 * constant,
            2.0 * l1 - 4.0 * q1,
            q0 - l0 + constant,
        ];
        angles.extend(real_roots(&polynomial).into_iter().map(|tangent| middle + 2.0 * maths::atan(tangent)));
    }
    angles
}

/// The real roots of a polynomial (constant first) from -1 to 1. Between two extrema there is at most one root, and the
/// extrema are the roots of the derivative. An extremum that touches zero counts as a root, and so does an end: rounding
/// may move its root out of the interval.
fn real_roots(coefficients: &[f64]) -> Vec<f64> {
    let size: f64 = coefficients.iter().map(|value| value.abs()).sum();
    if coefficients.len() < 2 || size == 0.0 {
        return Vec::new();
    }
    let derivative: Vec<f64> =
        coefficients.iter().enumerate().skip(1).map(|(power, value)| power as f64 * value).collect();
    let extrema = real_roots(&derivative);
    let at = |x: f64| coefficients.iter().rev().fold(0.0, |sum, value| sum * x + value);
    let slope = |x: f64| derivative.iter().rev().fold(0.0, |sum, value| sum * x + value);
    let mut roots: Vec<f64> = Vec::new();
    let ends = [&[-1.0], &extrema[..], &[1.0]].concat();
    for pair in ends.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        if at(low) * at(high) <= 0.0 && low < high {
            roots.push(root_between(low, high, &at, &slope));
        }
    }
    roots.extend(ends.iter().filter(|&&x| at(x).abs() < TOUCHES * size));
    roots.sort_by(f64::total_cmp);
    // Rounding makes up to three roots of one where the polynomial touches zero.
    roots.dedup_by(|next, root| *next - *root < SAME_ROOT);
    roots
}

/// The root in an interval at whose ends the signs differ: Newton's method, safeguarded by bisection.
fn root_between(mut low: f64, mut high: f64, at: &impl Fn(f64) -> f64, slope: &impl Fn(f64) -> f64) -> f64 {
    let rising = at(high) > at(low);
    let mut x = 0.5 * (low + high);
    for _ in 0..MOST_STEPS {
        let value = at(x);
        if (value > 0.0) == rising {
            high = x;
        } else {
            low = x;
        }
        let newton = x - value / slope(x);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= f64::EPSILON {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::f64::consts::TAU;

    #[test]
    fn a_root_where_the_polynomial_touches_zero_is_found_once() {
        // (x - a)^2 (x - b), constant first.
        for (a, b) in [(0.5, -0.25), (-0.3, 0.7), (0.2, 0.9), (-0.8, -0.1)] {
            let roots = real_roots(&[-a * a * b, a * a + 2.0 * a * b, -2.0 * a - b, 1.0]);
            let mut expected = [a, b];
            expected.sort_by(f64::total_cmp);
            assert!(roots.iter().zip(expected).all(|(root, wanted)| (root - wanted).abs() < 1e-6), "{roots:?}");
            assert_eq!(roots.len(), 2, "{roots:?}");
            let touching = real_roots(&[a * a, -2.0 * a, 1.0]);
            assert!(touching.len() == 1 && (touching[0] - a).abs() < 1e-6, "{touching:?}");
        }
    }

    /// Compared with sign changes on a fine grid.
    #[test]
    fn all_zeros_on_the_circle_are_found() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let mut number = || random.range(-1.0, 1.0);
            let (quadratic, linear, constant) = ([number(), number(), number()], [number(), number()], number());
            let value = |angle: f64| {
                let (sin, cos) = angle.sin_cos();
                let [q0, q1, q2] = quadratic;
                q0 * cos * cos + 2.0 * q1 * cos * sin + q2 * sin * sin + linear[0] * cos + linear[1] * sin + constant
            };
            let roots = roots_on_circle(quadratic, linear, constant);
            let grid = |step: usize| value(TAU * step as f64 / 20_000.0);
            let changes = (0..20_000).filter(|&step| (grid(step) > 0.0) != (grid(step + 1) > 0.0)).count();
            assert!(roots.iter().all(|&angle| value(angle).abs() < 1e-8), "{roots:?}");
            assert_eq!(roots.len(), changes, "{quadratic:?} {linear:?} {constant}");
        }
    }
}
