//! The settings of a solve: method, tolerances, bounds and seed.

use std::num::NonZeroU32;

/// The algorithm that moves effectors to their targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Method {
    /// The default: FABRIK with closed-form overshoot and exact closures on chains; reaching passes, least-squares
    /// refinement and restarts on skeletons.
    #[default]
    Accelerated,
    /// FABRIK as published: backward and forward passes in a loop.
    Textbook,
    /// Cyclic coordinate descent.
    Ccd,
    /// Jacobian transpose.
    JacobianTranspose,
    /// Damped least squares.
    Dls,
    /// Damped least squares with a singular value decomposition that damps only the small singular values.
    SvdDls,
    /// Triangulation: one joint at a time by the law of cosines.
    Triangulation,
    /// Follow the leader: backward passes only; the base is moved back afterwards.
    Ftl,
}

/// Which of several poses that meet the goals is the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Prefer {
    /// The first one found.
    #[default]
    First,
    /// Of all that are found, the one whose largest joint move from the start pose is least.
    Nearest,
}

/// Method, tolerances and bounds of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Algorithm.
    pub method: Method,
    /// Largest distance from the target that counts as reached, as a fraction of the effector's size
    /// ([`Effector::size`](crate::Effector::size)): its reach without what slides add.
    pub tolerance: f64,
    /// Largest angle from the requested orientation that counts as reached, radians.
    pub rotation_tolerance: f64,
    /// Largest number of iterations (backward and forward pass) per attempt.
    pub max_iterations: NonZeroU32,
    /// Largest number of start poses tried. Robot arms in SIMD lanes try up to twice as many, in shorter attempts.
    pub max_attempts: NonZeroU32,
    /// Seed of the random restarts; the same seed gives the same bits.
    pub seed: u64,
    /// Which pose is the answer if several meet the goals. Only [`Solver::solve`](crate::Solver::solve) and
    /// [`Solver::solve_many`](crate::Solver::solve_many) look for the nearest one.
    pub prefer: Prefer,
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
            prefer: Prefer::First,
        }
    }
}
