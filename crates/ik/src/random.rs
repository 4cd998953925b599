//! Reproducible random numbers by SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).

use crate::maths;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A stream of numbers that depends only on its seed, on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream with this seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in `0..count`; `count` must be positive.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    /// Normally distributed with mean 0 and standard deviation 1 (Box-Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * maths::log(1.0 - self.unit())).sqrt() * maths::cos(TAU * self.unit())
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.range(-1.0, 1.0);
        let (sin, cos) = maths::sincos(self.range(0.0, TAU));
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * cos, r * sin, z)
    }

    /// Uniform in the unit ball.
    pub fn ball(&mut self) -> DVec3 {
        self.direction() * maths::cbrt(self.unit())
    }

    /// Uniform over all rotations.
    pub fn rotation(&mut self) -> DQuat {
        let q = DQuat::from_xyzw(self.normal(), self.normal(), self.normal(), self.normal());
        if q.length_squared() > 1e-12 { q.normalize() } else { DQuat::IDENTITY }
    }
}
