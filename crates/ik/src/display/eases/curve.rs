//! The curve of all eases: half a cosine from rest to rest, and its integral.

use crate::maths;
use std::f64::consts::PI;

/// Cosine ease: maps `[0, 1]` to `[0, 1]` with slope 0 at both ends; clamps `t`.
pub fn ease(t: f64) -> f64 {
    0.5 * (1.0 - maths::cos(PI * t.clamp(0.0, 1.0)))
}

/// Integral of [`ease`] from 0 to `t`: the way of what accelerates along it to a speed of 1 and keeps that speed.
pub fn eased_way(t: f64) -> f64 {
    let rising = t.clamp(0.0, 1.0);
    0.5 * (rising - maths::sin(PI * rising) / PI) + (t - 1.0).max(0.0)
}
