//! The methods: one table with all facts about them, and the methods that the FABRIK paper compares itself with, on
//! unlimited chains of points. These are for lessons, for comparisons and for the paper's table: plain implementations,
//! faithful to their sources, one file each.
//!
//! | method | one iteration | no progress for |
//! |---|---|---|
//! | [`crate::fabrik::passes`] | FABRIK as published: a backward and a forward pass | a straight chain, target on its line |
//! | [`ccd`] | each joint, from the tip down, rotates the tip toward the target | a straight chain, target on its line |
//! | [`transpose`] | rotations along the gradient of the squared error | a straight chain, target on its line |
//! | [`dls`] | damped Gauss-Newton step | a straight chain, target on its line |
//! | [`svd_dls`] | Gauss-Newton step, damped in weak directions only | a straight chain, target on its line |
//! | [`triangulation`] | one triangle per joint by the law of cosines, from the base up | none |
//! | [`ftl`] | the tip leads, the rest follows; then the chain moves back to the base | a straight chain, target on its line |
//!
//! On chains, none of them has limits, poles or escapes from dead locks: where the published method makes no progress,
//! neither does this one, and [`solve`] returns [`Stop::Stalled`](crate::model::report::Stop::Stalled).
//!
//! ```
//! use glam::DVec3;
//! use fabrik3d_ik::{methods, settings::Method};
//!
//! let mut points = [DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0];
//! let target = DVec3::new(1.0, 1.0, 0.0);
//! methods::iterate(Method::Triangulation, &mut points, &[1.0, 1.0], target);
//! assert!(points[2].distance(target) < 1e-12);
//! ```
//!
//! To add a method, add a variant to [`Method`], a row to the table here, and a file with its iteration.

pub mod ccd;
pub mod dls;
pub mod ftl;
pub mod jacobian;
mod search;
pub mod svd_dls;
pub mod transpose;
pub mod triangulation;

pub use search::{solve, solve_observed};

use crate::fabrik::passes;
use crate::model::Method;
use glam::DVec3;

/// Computes the force `f` of the step `J^T f` of a Jacobian method from `J J^T` (row by row) of the Jacobian `J`, which it may
/// overwrite, and the error vector, which it replaces by the force. Lengths are in units of the reach.
pub type Force = fn(&mut [f64], &mut [f64]);

/// What a method does in one iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Iteration {
    /// Reaching passes; on skeletons, then refinement and restarts until the goals are reached.
    Search,
    /// Reaching passes alone.
    Passes,
    /// Cyclic coordinate descent.
    CoordinateDescent,
    /// A step of a Jacobian method.
    Gradient(Force),
    /// A step on a chain of points. The default method solves everything but single chains without limits.
    OnChains(fn(&mut [DVec3], &[f64], DVec3)),
}

/// All facts about a method.
struct MethodInfo {
    method: Method,
    key: &'static str,
    name: &'static str,
    summary: &'static str,
    citation: &'static str,
    iteration: Iteration,
}

/// One row per method, in the order of the variants of [`Method`].
static METHODS: &[MethodInfo] = &[
    MethodInfo {
        method: Method::Accelerated,
        key: "accelerated",
        name: "FABRIK (this program)",
        summary: "The passes of FABRIK, aimed slightly past the target; on chains, the last step puts the tip on it. With limits or \
                  several targets, least-squares steps follow, and further attempts from other poses",
        citation: "The passes are from A. Aristidou, J. Lasenby, \"FABRIK\", Graphical Models 73 (2011), the rest is this \
                   program's",
        iteration: Iteration::Search,
    },
    MethodInfo {
        method: Method::Textbook,
        key: "textbook",
        name: "FABRIK (2011 paper)",
        summary: "Backward and forward reaching passes as published",
        citation: "A. Aristidou, J. Lasenby, \"FABRIK: a fast, iterative solver for the inverse kinematics problem\", \
                   Graphical Models 73 (2011)",
        iteration: Iteration::Passes,
    },
    MethodInfo {
        method: Method::Ccd,
        key: "ccd",
        name: "CCD",
        summary: "Joint by joint from the tip to the base, each turns the tip toward the target",
        citation: "L.-C. T. Wang, C. C. Chen, \"A combined optimization method for solving the inverse kinematics \
                   problems of mechanical manipulators\", IEEE Transactions on Robotics and Automation 7 (1991)",
        iteration: Iteration::CoordinateDescent,
    },
    MethodInfo {
        method: Method::JacobianTranspose,
        key: "jacobian-transpose",
        name: "Jacobian transpose",
        summary: "All joints turn along the gradient of the squared distance",
        citation: "W. A. Wolovich, H. Elliott, \"A computational technique for inverse kinematics\", IEEE Conference on \
                   Decision and Control (1984)",
        iteration: Iteration::Gradient(transpose::force),
    },
    MethodInfo {
        method: Method::Dls,
        key: "dls",
        name: "Damped least squares",
        summary: "All joints turn at once by a least-squares step that damping keeps small",
        citation: "C. W. Wampler, \"Manipulator inverse kinematic solutions based on vector formulations and damped \
                   least-squares methods\", IEEE Transactions on Systems, Man and Cybernetics 16 (1986)",
        iteration: Iteration::Gradient(dls::force),
    },
    MethodInfo {
        method: Method::SvdDls,
        key: "svd-dls",
        name: "SVD damped least squares",
        summary: "All joints turn at once by a least-squares step, damped only where joints have little effect",
        citation: "A. A. Maciejewski, C. A. Klein, \"Numerical filtering for the operation of robotic manipulators \
                   through kinematically singular configurations\", Journal of Robotic Systems 5 (1988)",
        iteration: Iteration::Gradient(svd_dls::force),
    },
    MethodInfo {
        method: Method::Triangulation,
        key: "triangulation",
        name: "Triangulation",
        summary: "Joint by joint from the base to the tip, each closes a triangle with the target by the law of cosines",
        citation: "R. Muller-Cajar, R. Mukundan, \"Triangulation: a new algorithm for inverse kinematics\", Image and \
                   Vision Computing New Zealand (2007)",
        iteration: Iteration::OnChains(triangulation::iterate),
    },
    MethodInfo {
        method: Method::Ftl,
        key: "ftl",
        name: "FTL (follow the leader)",
        summary: "The tip goes to the target and pulls the other joints along; then the chain moves back to its base",
        citation: "J. Brown, J.-C. Latombe, K. Montgomery, \"Real-time knot-tying simulation\", The Visual Computer 20 \
                   (2004)",
        iteration: Iteration::OnChains(ftl::iterate),
    },
];

impl Method {
    /// All methods, in the order in which the viewer steps through them.
    pub const ALL: [Method; METHODS.len()] = {
        let mut all = [Method::Accelerated; METHODS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = METHODS[at].method;
            at += 1;
        }
        all
    };

    fn info(self) -> &'static MethodInfo {
        &METHODS[self as usize]
    }

    /// The method with this [key](Method::key).
    pub fn from_key(key: &str) -> Option<Method> {
        METHODS.iter().find(|info| info.key == key).map(|info| info.method)
    }

    /// Identifier in scene files, scripts and JSON: `accelerated`, `jacobian-transpose`, ...
    pub fn key(self) -> &'static str {
        self.info().key
    }

    /// Name for people: `FABRIK (this program)`, `Damped least squares`, ...
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// What one iteration does, for people.
    pub fn summary(self) -> &'static str {
        self.info().summary
    }

    /// The publication that the method is from.
    pub fn citation(self) -> &'static str {
        self.info().citation
    }

    /// Whether the published method extends to skeletons with limits, branches and loops. It is then iterated alone,
    /// without the closures, refinement and restarts of [`Method::Accelerated`].
    pub fn iterates_skeletons(self) -> bool {
        !matches!(self.iteration(), Iteration::Search | Iteration::OnChains(_))
    }

    /// Whether the method is for single chains without limits only. [`Method::Accelerated`] solves everything else.
    pub fn is_for_chains_only(self) -> bool {
        matches!(self.iteration(), Iteration::OnChains(_))
    }

    /// What the method does in one iteration.
    pub(crate) fn iteration(self) -> Iteration {
        self.info().iteration
    }
}

/// One iteration of `method`: in general it moves the tip nearer to `target`; it keeps the base and the link lengths.
///
/// `points` has one element more than `lengths`, which are its link lengths. All numbers are finite, and the lengths are
/// positive. No state persists between iterations. An iteration of [`Method::Accelerated`] exists only within a solve, so
/// this makes one of [`Method::Textbook`] instead.
pub fn iterate(method: Method, points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    match method.iteration() {
        Iteration::Search | Iteration::Passes => passes::iterate(points, lengths, target),
        Iteration::CoordinateDescent => ccd::iterate(points, lengths, target),
        Iteration::Gradient(force) => jacobian::iterate(points, lengths, target, force),
        Iteration::OnChains(step) => step(points, lengths, target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_variants() {
        for (at, info) in METHODS.iter().enumerate() {
            assert_eq!((info.method as usize, Method::from_key(info.key)), (at, Some(info.method)));
        }
    }
}
