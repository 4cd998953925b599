//! Up axes.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;

/// The world axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// +Y, the default.
    #[default]
    Y,
    /// +Z, as in robotics.
    Z,
}

impl Up {
    /// The axis, unit length.
    pub fn axis(self) -> DVec3 {
        match self {
            Up::Y => DVec3::Y,
            Up::Z => DVec3::Z,
        }
    }
}

/// The rotation that takes the up axis `from` to the up axis `to`.
pub fn upright(from: Up, to: Up) -> DQuat {
    match (from, to) {
        (Up::Y, Up::Z) => DQuat::from_rotation_x(FRAC_PI_2),
        (Up::Z, Up::Y) => DQuat::from_rotation_x(-FRAC_PI_2),
        _ => DQuat::IDENTITY,
    }
}
