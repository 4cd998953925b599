//! Inverse kinematics with FABRIK: a solver that keeps link lengths and limits whatever is asked of it and says how far
//! it got and why it stopped, and a program that shows it at work.
//!
//! Conventions, everywhere in this crate:
//!
//! - right-handed, +Y up unless a scene says otherwise; quaternions are `[x, y, z, w]`;
//! - angles are radians in the library and in JSON poses, degrees in scene files and on the command line;
//! - the solver computes in `f64`; what is drawn, and the SIMD batch, is `f32`;
//! - errors of a solve are relative to the *reach* (the sum of the link lengths from base to tip).
//!
//! ```
//! use fabrik3d::{Chain, DVec3, Settings, Stop};
//!
//! let mut chain = Chain::new(&[DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0, DVec3::Y * 3.0])?;
//! let report = chain.solve(DVec3::new(1.0, 1.5, 0.5), &Settings::default());
//! assert_eq!(report.stop, Stop::Reached);
//! # Ok::<(), fabrik3d::ChainError>(())
//! ```
//!
//! The folders are the architecture; each may use only those to its left:
//! `ik <- scene <- session <- view <- render <- {app, record} <- cli`.

#[cfg(feature = "viewer")]
pub mod app;
#[cfg(feature = "viewer")]
pub mod cli;
#[cfg(feature = "viewer")]
pub mod hud;
pub mod ik;
#[cfg(feature = "measure")]
pub mod measure;
#[cfg(feature = "viewer")]
pub mod record;
#[cfg(feature = "viewer")]
pub mod render;
#[cfg(feature = "files")]
pub mod scene;
#[cfg(feature = "files")]
pub mod session;
#[cfg(feature = "viewer")]
pub mod view;

pub use glam::{DQuat, DVec3, Vec3};
pub use ik::{
    Chain, ChainError, Coordinates, Effector, Goal, Interval, Joint, Kind, ManySolver, Method, Obstacle, Pose, Problem,
    Report, Rig, Settings, Skeleton, SkeletonError, Solver, Stop, Swing, Target,
};

/// The README's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
