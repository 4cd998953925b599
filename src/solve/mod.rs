//! Solving scenes: cases, paths of targets, joints set by hand, and the examples that come with the program.

pub mod cases;
pub mod examples;
pub mod follow;
pub mod forward;
mod methods;

pub use cases::{CaseSolver, solve_cases};
pub use follow::Follower;
pub use forward::{Clamped, JointError, Stopped};
pub use methods::suits;
