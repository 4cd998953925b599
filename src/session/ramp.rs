//! Changes that come along a cosine instead of at once.

use fabrik3d_ik::display::ease;
use std::f64::consts::PI;

/// Share of a change that has come at an age, if all of it comes within `duration`, seconds.
pub fn ramp(age: f64, duration: f64) -> f64 {
    if duration > 0.0 { ease(age / duration) } else { f64::from(u8::from(age > 0.0)) }
}

/// Integral of [`ramp`] over time up to an age, seconds: the way of something that accelerates to a speed of 1.
pub fn ramp_integral(age: f64, duration: f64) -> f64 {
    let rising = age.clamp(0.0, duration);
    let risen =
        if duration > 0.0 { 0.5 * rising - duration / (2.0 * PI) * (PI * rising / duration).sin() } else { 0.0 };
    risen + (age - duration).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_is_the_sum_of_the_ramp() {
        for duration in [0.0, 0.15, 1.0] {
            let (step, mut sum) = (1e-5, 0.0);
            for k in 0..150_000 {
                let age = f64::from(k) * step - 0.1;
                sum += ramp(age + 0.5 * step, duration) * step;
                assert!((ramp_integral(age + step, duration) - sum).abs() < 2e-5, "{age} of {duration}");
            }
        }
    }
}
