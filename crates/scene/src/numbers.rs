//! The numbers that files, tables and arguments may hold.

/// Largest magnitude of a number; its square is finite.
pub(crate) const LARGEST: f64 = 1e100;

/// Reads a number of up to 1e100.
pub fn bounded_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.abs() <= LARGEST)
}
