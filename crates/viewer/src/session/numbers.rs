//! Numbers for people: one rule for all panels, charts and sentences.
//!
//! Errors and gaps are fractions of the reach, as in scene files and JSON, so that the viewer shows the same number.
//! Lengths are in the unit of the scene.

use fabrik3d_ik::Report;
use std::fmt;
use std::ops::AddAssign;

/// Time between two pictures on an ordinary screen, seconds.
pub const FRAME: f64 = 1.0 / 60.0;
/// A share of the reach that is seen at once.
pub const VISIBLE: f64 = 1e-2;
/// A share of the reach, or an angle in radians, that nobody sees.
pub const INVISIBLE: f64 = 1e-3;
/// A share of the reach, or an angle in radians, that is too small to mention.
pub const NEGLIGIBLE: f64 = 1e-6;
/// A share of the reach that is due to rounding.
pub const ROUNDING: f64 = 1e-9;

/// A number with at most three digits, or all digits before the decimal point: `0.45`, `12.3`, `18441`. Below a thousandth
/// and from a million on it has two digits and a power of ten: `2.5e-6`.
pub fn digits(number: f64) -> String {
    let size = number.abs();
    if !size.is_finite() {
        return number.to_string();
    }
    if size < 1e-16 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{number:.1e}").replace(".0e", "e");
    }
    // The magnitude after rounding to three digits: 9.996 is 10.0.
    let magnitude = (size * (1.0 + 5e-4)).log10().floor() as i32;
    let text = format!("{number:.*}", (2 - magnitude).clamp(0, 5) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A share in percent, without decimals from 1 % on, and with two from 0.01 % on: `12 %`, `0.45 %`.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 0.01 => format!("{} %", digits(percent)),
        percent if percent < 0.995 => format!("{percent:.2} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// Seconds with a suitable unit.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// A power of ten as a label of an axis: `1e-6`, or `1` for exponent 0.
pub fn power_of_ten(exponent: f64) -> String {
    if exponent.round() == 0.0 { "1".to_owned() } else { format!("1e{exponent:.0}") }
}

/// What a solve has done. Reads `2`, or `2 + 51` if a refinement followed the iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Iterations of the method.
    pub iterations: u32,
    /// Steps of the refinement, or of the closed-form closure of a chain.
    pub refine_steps: u32,
}

impl From<Report> for Effort {
    fn from(Report { iterations, refine_steps, .. }: Report) -> Self {
        Effort { iterations, refine_steps }
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.refine_steps = self.refine_steps.saturating_add(other.refine_steps);
    }
}

impl Effort {
    /// Iterations and refinement steps together.
    pub fn steps(self) -> u32 {
        self.iterations.saturating_add(self.refine_steps)
    }

    /// `3 iterations, 1 refinement step`
    pub fn in_words(self) -> String {
        let count = |count: u32, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let iterations = count(self.iterations, "iteration");
        match self.refine_steps {
            0 => iterations,
            steps if self.iterations == 0 => count(steps, "refinement step"),
            steps => format!("{iterations}, {}", count(steps, "refinement step")),
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.refine_steps {
            0 => write!(f, "{}", self.iterations),
            steps => write!(f, "{} + {steps}", self.iterations),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_three_digits_and_extreme_ones_a_power_of_ten() {
        for (number, text) in [
            (0.0, "0"),
            (0.45, "0.45"),
            (0.5733, "0.573"),
            (0.099_96, "0.1"),
            (2.95, "2.95"),
            (1.0, "1"),
            (1.0795, "1.08"),
            (-0.5, "-0.5"),
            (184.4, "184"),
            (18_441.0, "18441"),
            (0.001_234, "0.00123"),
            (0.000_999, "1e-3"),
            (0.0001, "1e-4"),
            (2.5e-6, "2.5e-6"),
            (3.3e-7, "3.3e-7"),
            (1e-17, "0"),
            (2.5e8, "2.5e8"),
        ] {
            assert_eq!(digits(number), text);
        }
    }

    #[test]
    fn a_number_reads_back_to_three_digits_or_two_with_a_power_of_ten() {
        let mut random = fabrik3d_ik::random::Random::new(3);
        for _ in 0..2000 {
            let number = 10_f64.powf(random.range(-15.0, 5.9));
            let read: f64 = digits(number).parse().expect("a number");
            let allowed = if number < 1e-3 { 0.051 } else { 0.0051 };
            assert!((read - number).abs() <= allowed * number, "{number:e} reads as {read:e}");
        }
    }
}
