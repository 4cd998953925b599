//! Inverse kinematics with FABRIK (Forward And Backward Reaching Inverse Kinematics): chains, skeletons with joint
//! limits, and SIMD batches. Depends on `glam` and `thiserror` only.
//!
//! | I want to ... | use |
//! |---|---|
//! | solve one chain of points without limits | [`Chain`] |
//! | solve a skeleton with limits, frame after frame | [`Solver`] |
//! | solve many problems on one skeleton | [`Solver::solve_many`] |
//! | list the different poses that reach a target | [`Solver::solutions`], [`SixAxisArm`] |
//! | solve hundreds of thousands of equal chains | [`simd::Batch`] |
//! | solve hundreds of thousands of targets in tables | [`Solver::solve_rows`] |
//! | run the two reaching passes one at a time | [`Chain::reach_backward`], [`Solver::reach_backward`] |
//! | solve the figures of a skeleton one at a time | [`Solver::figures`], [`split`] |
//! | describe joints, limits and goals | [`Skeleton`], [`Joint`], [`Kind`], [`Problem`], [`Goal`] |
//! | keep links clear of each other and of obstacles | [`KeepClear`], [`LinkCapsule`], [`Obstacle`], [`queries::clearance()`] |
//! | query a pose: limits, errors, Jacobian | [`queries`], [`Skeleton::jacobian`] |
//! | see where an effector can get | [`display::WorkspaceShell`], [`display::WorkspaceSurface`] |
//! | ease the displayed pose toward the solved one | [`display`] |
//! | compare with CCD, Jacobian methods, triangulation | [`methods`], [`Method`] |
//!
//! # Conventions
//!
//! - Right-handed coordinates; quaternions are `[x, y, z, w]`; angles are radians; `f64` except in [`simd`].
//! - A *joint* is a frame. A *link* is the rigid segment between two joints. The *base* (or root) is where a chain
//!   starts. The *end effector* is the point on the last joint that should meet its *target*. A *sub-base* is a joint
//!   with several children; a *branch* is the chain of joints from a sub-base to an end. The *reach* of an effector is
//!   the sum of the link lengths from its base to its tip.
//! - An *island* is a set of joints that must be solved together: what moves below one root or one immovable joint, or
//!   several such parts that loops connect.
//! - *Backward reaching* runs from the end effector to the base and puts the effector on the target. *Forward reaching*
//!   runs from the base to the end effector and puts the base back. The 2011 paper by Aristidou and Lasenby names the
//!   two stages the other way round. One *iteration* is one backward and one forward pass.
//! - Errors of a solve are fractions of the effector's size ([`Effector::size`]): of its reach without what slides add.
//!
//! ```
//! use fabrik3d_ik::{Chain, Settings, Stop};
//! use fabrik3d_ik::glam::DVec3;
//!
//! let mut chain = Chain::new(&[DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0, DVec3::Y * 3.0])?;
//! let report = chain.solve(DVec3::new(1.0, 1.5, 0.5), &Settings::default());
//! assert_eq!(report.stop, Stop::Reached);
//! # Ok::<(), fabrik3d_ik::ChainError>(())
//! ```

mod chain;
mod closed_form;
pub mod display;
pub mod fabrik;
mod figure;
mod layout;
mod linear;
pub mod methods;
mod model;

/// Questions about a pose: which limits it touches, how far it is from its goals and from obstacles, how it moves.
pub mod queries {
    pub use crate::model::clearance::{Clearance, NearPart, clearance};
    pub use crate::model::jacobian::{Column, GeometricJacobian};
    pub use crate::model::queries::{
        AtLimit, GoalError, LimitSide, at_limits, goal_errors, loop_gaps, penetration, worst_violation,
    };
}

pub mod random;
mod search;
mod serial;
pub mod simd;
mod solver;
mod step;
mod tasks;
mod tree;

pub use chain::{Chain, ChainError};
pub use closed_form::{ArmFamily, NoClosedForm, SixAxisArm};
pub use glam;

pub use figure::{Figure, split};
pub use model::freedom::Freedom;
pub use model::hull::Hull;
pub use model::islands::Island;
pub use model::joint::{Axes, Joint, Kind, Mimic};
pub use model::keep_clear::{KeepClear, LinkCapsule};
pub use model::limits::{Interval, LimitError, Swing};
pub use model::obstacle::{Contact, Obstacle};
pub use model::obstacles::Obstacles;
pub use model::pose::{Coordinates, CoordinatesError, Pose};
pub use model::problem::{Attachment, Effector, Goal, GoalRank, Pole, Problem};
pub use model::refusal::{Part, Reason, Refusal};
pub use model::report::{Report, Stop};
pub use model::settings::{Interrupt, Method, Prefer, Settings};
pub use model::skeleton::{Skeleton, SkeletonError};
pub use model::target::{Orientation, Target};
pub use model::transform::{Isometry, angle_between};
pub use solver::Solver;
pub use solver::figures::Figures;
