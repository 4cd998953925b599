//! Solves scenes: cases, sequences of targets, joints that are set directly, and the example scenes.

pub mod branches;
pub mod cases;
pub mod examples;
pub mod forward;

pub use branches::{Branches, Redundant, all_branches};
pub use cases::{CaseSolver, VERY_FAR, method_applies, plan_path, solve_cases, solve_scene};
pub use forward::{ClampCause, ClampedJoint, JointError};
