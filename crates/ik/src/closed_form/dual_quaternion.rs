//! Rigid motions as unit dual quaternions: eight numbers in which the motion of a hinge is linear in the cosine and sine of
//! half its angle.
//!
//! Source: J. M. Selig, *Geometric fundamentals of robotics*, 2005, chapter 9.

use crate::model::Isometry;
use glam::{DQuat, DVec3};
use std::ops::{Add, Mul};

/// `real + epsilon dual`, where `epsilon^2 = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DualQuaternion {
    real: DQuat,
    dual: DQuat,
}

impl DualQuaternion {
    pub const IDENTITY: DualQuaternion =
        DualQuaternion { real: DQuat::IDENTITY, dual: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0) };

    /// Half a turn about a line. Its square is -1.
    pub fn half_turn(point: DVec3, direction: DVec3) -> Self {
        DualQuaternion { real: pure(direction), dual: pure(point.cross(direction)) }
    }

    pub fn motion(motion: Isometry) -> Self {
        DualQuaternion { real: motion.rotation, dual: pure(0.5 * motion.position) * motion.rotation }
    }

    /// The part of the rotation, then the part of the shift.
    pub fn to_array(self) -> [f64; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (self.real.to_array(), self.dual.to_array());
        [a, b, c, d, e, f, g, h]
    }
}

fn pure(vector: DVec3) -> DQuat {
    DQuat::from_vec4(vector.extend(0.0))
}

impl Mul for DualQuaternion {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        DualQuaternion { real: self.real * other.real, dual: self.real * other.dual + self.dual * other.real }
    }
}

impl Mul<f64> for DualQuaternion {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        DualQuaternion { real: self.real * factor, dual: self.dual * factor }
    }
}

impl Add for DualQuaternion {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        DualQuaternion { real: self.real + other.real, dual: self.dual + other.dual }
    }
}
