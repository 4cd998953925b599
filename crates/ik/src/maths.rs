//! Functions that every mathematical library rounds in its own way, with the same bits on every system.
//!
//! `libm` computes them by sums and products, which all processors round alike. Everything that answers depend on takes them from
//! here, and `clippy.toml` refuses all others.

use glam::{DQuat, DVec2, DVec3};

pub use libm::{acos, asin, atan, atan2, cbrt, cos, exp, hypot, log, pow, sin, sincos};

/// The angle between two vectors, in `[0, PI]`; 0 if one of them is zero.
pub fn angle(a: DVec3, b: DVec3) -> f64 {
    atan2(a.cross(b).length(), a.dot(b))
}

/// The angle from the first axis to a vector, in `[-PI, PI]`.
pub fn angle_of(vector: DVec2) -> f64 {
    atan2(vector.y, vector.x)
}

/// The unit vector at an angle to the first axis.
pub fn at_angle(angle: f64) -> DVec2 {
    let (sin, cos) = sincos(angle);
    DVec2::new(cos, sin)
}

/// The rotation by an angle about a unit vector.
pub fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = sincos(0.5 * angle);
    DQuat::from_vec4((axis * sin).extend(cos))
}

/// The rotation about a vector by its length.
pub fn turn_by(vector: DVec3) -> DQuat {
    let angle = vector.length();
    if angle > 0.0 { turn(vector / angle, angle) } else { DQuat::IDENTITY }
}

/// The rotation vector (axis times angle) of the shorter turn, with an angle in `[0, PI]`.
pub fn rotation_vector(rotation: DQuat) -> DVec3 {
    logarithm(if rotation.w < 0.0 { -rotation } else { rotation })
}

/// The rotation vector of a unit quaternion, with an angle in `[0, 2 PI]`.
pub fn logarithm(rotation: DQuat) -> DVec3 {
    let v = rotation.xyz();
    let s = v.length();
    if s < 1e-14 { v * 2.0 } else { v * (2.0 * atan2(s, rotation.w) / s) }
}

/// The orientation at a share of the shorter turn from one to another.
pub fn part_way(from: DQuat, to: DQuat, share: f64) -> DQuat {
    turn_by(rotation_vector(to * from.conjugate()) * share) * from
}

/// The rotation by roll, pitch and yaw: about X, then about the fixed Y, then about the fixed Z.
pub fn roll_pitch_yaw(roll: f64, pitch: f64, yaw: f64) -> DQuat {
    turn(DVec3::Z, yaw) * turn(DVec3::Y, pitch) * turn(DVec3::X, roll)
}
