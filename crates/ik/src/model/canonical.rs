//! One form of numbers that can be written in two ways: 0.0 and -0.0 are the same number, `q` and `-q` the same orientation.
//! The seeds of random starts, and angles of half a turn, depend on bits. So solvers read targets in this form, and the answer
//! does not depend on how a target is written.

use super::problem::Goal;
use super::target::{Orientation, Target};
use glam::{DQuat, DVec3};

impl Target {
    /// The position without negative zeros.
    #[inline]
    pub(crate) fn canonical_position(&self) -> Option<DVec3> {
        // The sum of -0.0 and 0.0 is 0.0. All other numbers stay.
        self.position.map(|position| position + DVec3::ZERO)
    }

    /// The orientation without negative zeros. Of `q` and `-q`, the one whose first number other than zero is positive; w
    /// comes first, then x, y and z.
    #[inline]
    pub(crate) fn canonical_rotation(&self) -> Option<DQuat> {
        self.rotation().map(canonical_rotation)
    }

    /// The target in this form.
    pub(crate) fn canonical(&self) -> Target {
        Target { position: self.canonical_position(), orientation: self.canonical_orientation() }
    }

    /// How the effector should be turned, in this form.
    #[inline]
    pub(crate) fn canonical_orientation(&self) -> Option<Orientation> {
        Some(match self.orientation? {
            Orientation::Rotation(rotation) => Orientation::Rotation(canonical_rotation(rotation)),
            Orientation::LookAt(point) => Orientation::LookAt(point + DVec3::ZERO),
        })
    }
}

#[inline]
fn canonical_rotation(DQuat { x, y, z, w }: DQuat) -> DQuat {
    let is_negative = [w, x, y, z].into_iter().find(|&number| number != 0.0).is_some_and(|first| first < 0.0);
    let sign = if is_negative { -1.0 } else { 1.0 };
    DQuat::from_array([x, y, z, w].map(|number| sign * number + 0.0))
}

impl Goal {
    /// A hash of the requested position and orientation, for the seed of random starts.
    pub(crate) fn hash(&self) -> u64 {
        let position = self.requested_position().map_or([0.0; 3], |position| position.to_array());
        let rotation = self.requested_rotation().map_or([0.0; 4], |rotation| rotation.to_array());
        hash(position.into_iter().chain(rotation))
    }
}

/// A hash of numbers in this form.
pub(crate) fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    let mix = |sum: u64, number: f64| (sum ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    numbers.fold(0, mix)
}
