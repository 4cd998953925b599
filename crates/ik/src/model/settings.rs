//! What a solve is told.

use std::num::NonZeroU32;

/// Algorithm that carries an effector to its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Method {
    /// FABRIK with the closed-form overshoot and exact closures: the default.
    #[default]
    Accelerated,
    /// FABRIK as the paper prints it: backward and forward passes in a loop.
    Textbook,
    /// Cyclic coordinate descent.
    Ccd,
    /// Jacobian transpose.
    JacobianTranspose,
    /// Damped least squares.
    Dls,
    /// Damped least squares by singular values, damping only the small ones.
    SvdDls,
    /// Triangulation: one joint at a time by the law of cosines.
    Triangulation,
    /// Follow the leader: backward passes only, the base put back afterwards.
    Ftl,
}

/// Tolerances and bounds of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Algorithm.
    pub method: Method,
    /// Distance to the target that counts as reached, as a fraction of the reach.
    pub tolerance: f64,
    /// Angle to the wanted orientation that counts as reached, in radians.
    pub rotation_tolerance: f64,
    /// Most iterations (backward + forward pass) of one attempt.
    pub max_iterations: NonZeroU32,
    /// Most starting poses tried when limits block the way.
    pub max_attempts: NonZeroU32,
    /// Seed of the restarts; the same seed gives the same bits.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        const HUNDRED: NonZeroU32 = NonZeroU32::new(100).unwrap();
        const FIFTY: NonZeroU32 = NonZeroU32::new(50).unwrap();
        Settings {
            method: Method::Accelerated,
            tolerance: 1e-4,
            rotation_tolerance: 0.1_f64.to_radians(),
            max_iterations: HUNDRED,
            max_attempts: FIFTY,
            seed: 1,
        }
    }
}
