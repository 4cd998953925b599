//! Solves scenes: cases, sequences of targets, joints that are set directly, and the example scenes.

pub mod branches;
pub mod cases;
pub mod examples;
pub mod follow;
pub mod forward;
mod methods;

pub use branches::{Branches, Redundant, all_branches};
pub use cases::{CaseSolver, solve_cases};
pub use follow::{Follower, plan_path};
pub use forward::{ClampCause, ClampedJoint, JointError};
pub use methods::method_applies;
