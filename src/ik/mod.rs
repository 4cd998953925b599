//! The solver: chains, skeletons, the two reaching passes, and everything that makes them fast and exact.
//!
//! Knows `glam` and `thiserror`, nothing of files, windows or OpenGL.
//!
//! Words: a *joint* is a frame, a *link* the rigid segment between two joints; the *base* (or root) is where a chain
//! starts, the *end effector* a point on the last joint that should meet its *target*; a *sub-base* is a joint with
//! several children. *Backward reaching* runs from the end effector to the base and puts the effector on the target;
//! *forward reaching* runs from the base to the end effector and puts the base back. (Aristidou and Lasenby's paper of
//! 2011 names the two stages the other way round.) One *iteration* is one backward and one forward pass.

pub mod accelerate;
mod aim;
mod attempt;
pub mod batch;
mod bend;
mod blend;
mod chain;
mod closure;
pub mod compare;
mod cost;
mod crowd;
mod descent;
mod exact;
mod geometric_jacobian;
mod goal;
mod inspect;
mod isometry;
mod jacobian;
mod joint;
mod lean;
mod limb;
mod limit;
mod linear;
mod lookahead;
mod many;
mod obstacle;
mod passes;
mod plan;
mod polish;
mod pose;
pub mod random;
mod rank;
pub mod reach;
mod report;
mod restart;
mod rig;
mod settings;
mod shape;
mod skeleton;
mod solutions;
mod solve;
mod strand;
mod watch;
mod workspace;

pub use blend::{Blend, ease, leap, mix_directions, mix_poses};
pub use chain::{Chain, ChainError};
pub use cost::{GoalError, goal_errors, loop_gaps};
pub use crowd::Crowd;
pub use geometric_jacobian::{Column, GeometricJacobian};
pub use goal::{Attachment, Effector, Goal, Hint, Obstacle, Problem, Target};
pub use inspect::{AtLimit, LimitSide, at_limits, penetration, worst_violation};
pub use isometry::Isometry;
pub use joint::{Axes, Joint, Kind, Mimic};
pub use limit::{Interval, LimitError, Swing};
pub use many::ManySolver;
pub use obstacle::Contact;
pub use pose::{Coordinates, CoordinatesError, Pose};
pub use report::{Report, Stop};
pub use rig::Rig;
pub use settings::{Method, Settings};
pub use skeleton::{Island, Skeleton, SkeletonError};
pub use solutions::solutions;
pub use solve::Solver;
pub use watch::{Move, Snapshot};
pub use workspace::{Workspace, close_loops};
