//! Inverse kinematics with FABRIK (Forward And Backward Reaching Inverse Kinematics): chains, skeletons with joint
//! limits, and SIMD batches. Depends on `glam`, `thiserror` and `fearless_simd` only.
//!
//! | I want to ... | use |
//! |---|---|
//! | solve one chain of points without limits | [`Chain`] |
//! | bend an arm or a leg of two links, in closed form | [`two_bone()`] |
//! | solve a skeleton with limits, frame after frame | [`Solver`] |
//! | describe a skeleton by the names of its joints | [`Skeleton::builder`], [`Skeleton::effector`] |
//! | drive the bones of a character | [`Skeleton::local_rotation`] |
//! | follow targets that move, within the velocity limits of joints | [`Solver::track`], [`Problem::max_steps`] |
//! | hold some goals firmly and only prefer others | [`Goal`], [`goals::GoalRank`], [`goals::Posture`] |
//! | point a tool in a direction, a head or a camera at a point | [`Goal::pointing`], [`Goal::looking_at`] |
//! | bend elbows and knees toward a point | [`goals::Pole`], [`Chain::set_pole`] |
//! | keep the balance of a body that stands | [`goals::CenterOfMass`] |
//! | ask for something of your own | [`goals::CustomGoal`] |
//! | close loops | [`Problem`], [`Solver::close_loops`] |
//! | solve many problems on one skeleton | [`Solver::solve_many`] |
//! | list the different poses that reach a target | [`Solver::all_solutions`], [`SixAxisArm`] |
//! | solve hundreds of thousands of equal chains | [`simd::Batch`] |
//! | solve hundreds of thousands of targets in tables | [`Solver::solve_rows`] |
//! | run the two reaching passes one at a time | [`Chain::reach_backward`], [`Solver::reach_backward`] |
//! | solve the figures of a skeleton one at a time | [`Solver::figures`], [`figures`] |
//! | describe joints, limits and goals | [`Skeleton`], [`Joint`], [`Kind`], [`Problem`], [`Goal`] |
//! | keep links clear of each other and of obstacles | [`collision`], [`queries::clearance()`] |
//! | query a pose: limits, errors, Jacobian | [`queries`], [`Skeleton::jacobian`] |
//! | see where an effector can get | [`display::WorkspaceShell`], [`display::WorkspaceSurface`] |
//! | ease the displayed pose toward the solved one | [`display`] |
//! | compare with CCD, Jacobian methods, triangulation | [`methods`], [`settings::Method`] |
//!
//! # Conventions
//!
//! - Right-handed coordinates; quaternions are `[x, y, z, w]`; angles are radians; `f64` except in [`simd`].
//! - A *joint* is a frame. A *link* is the rigid segment between two joints. The *base* (or root) is where a chain
//!   starts. The *end effector* is the point on the last joint that should meet its *target*. A *sub-base* is a joint
//!   with several children; a *branch* is the chain of joints from a sub-base to an end. The *reach* of an effector is
//!   the sum of the link lengths from its base to its tip.
//! - An *island* is a set of joints that must be solved together: what moves below one root or one immovable joint, or
//!   several such parts that loops, mimic joints, links that keep clear of each other, or one center of mass tie
//!   together.
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
//! # Ok::<(), fabrik3d_ik::errors::ChainError>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod chain;
mod closed_form;
pub mod display;
pub mod fabrik;
mod figure;
mod layout;
mod linear;
#[doc(hidden)]
pub mod maths;
pub mod methods;
mod model;
pub mod random;
mod search;
pub mod simd;
mod solver;
mod step;
mod tasks;
mod tree;
mod two_bone;

pub use chain::Chain;
pub use closed_form::SixAxisArm;
pub use glam;
pub use model::SkeletonBuilder;
pub use model::effector::Effector;
pub use model::joint::{Joint, Kind};
pub use model::limits::{Interval, Swing};
pub use model::pose::{Coordinates, Pose};
pub use model::problem::{Goal, Problem};
pub use model::report::{Report, Stop};
pub use model::settings::Settings;
pub use model::skeleton::Skeleton;
pub use model::target::Target;
pub use model::transform::Isometry;
pub use solver::Solver;
pub use two_bone::two_bone;

/// How joints depend on others.
pub mod joints {
    pub use crate::model::joint::{Axes, Mimic};
}

/// What goals ask for besides a position: orientations, what they leave open, ranks, poles, loops, balance, and goals of
/// your own.
pub mod goals {
    pub use crate::model::center_of_mass::{CenterOfMass, PointMass};
    pub use crate::model::custom_goal::{CustomGoal, Residual};
    pub use crate::model::effector::{Attachment, GoalRank};
    pub use crate::model::freedom::Freedom;
    pub use crate::model::problem::{Pole, Posture};
    pub use crate::model::target::Orientation;
    pub use crate::tasks::closure::tie;
}

/// Links that keep clear of each other and of obstacles.
///
/// ```
/// use fabrik3d_ik::collision::{LinkCapsule, Obstacle};
/// use fabrik3d_ik::queries::clearance;
/// # use fabrik3d_ik::{Effector, Goal, Joint, Kind, Skeleton, Solver, Stop};
/// # use glam::DVec3;
/// let ball = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::UNLIMITED_BALL);
/// let mut arm = Solver::new(Skeleton::new(vec![
///     ball("shoulder", None, DVec3::ZERO),
///     ball("elbow", Some(0), DVec3::X),
///     ball("wrist", Some(1), DVec3::X),
/// ])?);
/// let hand = arm.add_goal(Goal::new(Effector::new(2, DVec3::X), DVec3::new(1.5, 0.0, 1.5)));
/// arm.problem.obstacles = vec![Obstacle::Sphere { center: DVec3::X * 1.5, radius: 0.5 }];
/// // Each joint carries a link of length 1 and radius 0.1.
/// let capsule = |joint| LinkCapsule::new(joint, [DVec3::ZERO, DVec3::X], 0.1);
/// arm.problem.keep_clear.capsules = (0..3).map(capsule).collect();
/// let mut pose = arm.skeleton().rest_pose();
/// assert!(arm.solve(&mut pose).stop.is_reached());
/// // No pose reaches a target in the sphere. The arm stays outside.
/// arm.set_target(hand, DVec3::X * 1.4);
/// assert_eq!(arm.track(&mut pose).stop, Stop::Limited);
/// assert!(clearance(arm.skeleton(), &arm.problem, &pose).is_some_and(|nearest| nearest.distance >= 0.0));
/// # Ok::<(), fabrik3d_ik::errors::SkeletonError>(())
/// ```
pub mod collision {
    pub use crate::model::distance::Contact;
    pub use crate::model::hull::Hull;
    pub use crate::model::keep_clear::{KeepClear, LinkCapsule};
    pub use crate::model::obstacle::{Obstacle, RoundedHull};
}

/// The values of [`Settings`].
pub mod settings {
    pub use crate::model::settings::{Interrupt, Method, Prefer};
}

/// Questions about a pose: which limits it touches, how far it is from its goals and from obstacles, how it moves. They panic
/// if the pose has fewer entries than the skeleton has joints, or if the problem names a joint that does not exist.
pub mod queries {
    pub use crate::model::jacobian::{Column, GeometricJacobian};
    pub use crate::model::queries::{
        AtLimit, Clearance, GoalError, LimitSide, NearPart, at_limits, clearance, goal_errors, loop_gaps, penetration,
        worst_violation,
    };
    pub use crate::model::transform::angle_between;
    pub use crate::tree::blocked::{blocked_by, blocking_joints};
}

/// All solutions of arms: [`SixAxisArm`], [`Solver::all_solutions`].
pub mod arms {
    pub use crate::closed_form::{ArmFamily, NoClosedForm};
    pub use crate::solver::all_solutions::{AllSolutions, Coverage};
}

/// What lies between the rows of a solved path ([`Solver::solve_path`]): the ways from row to row, and jumps.
pub mod paths {
    pub use crate::solver::ways::{DEFAULT_TOLERANCE, Departure, Jump, Way, Ways};
}

/// The figures of a skeleton, for programs that solve them one at a time.
pub mod figures {
    pub use crate::figure::{Figure, split};
    pub use crate::model::islands::Island;
    pub use crate::solver::figures::Figures;
}

/// What constructors refuse, and what solves refuse: [`Stop::Refused`].
pub mod errors {
    pub use crate::chain::ChainError;
    pub use crate::model::limits::LimitError;
    pub use crate::model::pose::CoordinatesError;
    pub use crate::model::refusal::{Part, Reason, Refusal};
    pub use crate::model::skeleton::SkeletonError;
    pub use crate::model::{BuildError, UnknownJoint, nearest_name};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
