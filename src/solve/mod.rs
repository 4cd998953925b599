//! Solves scenes: cases and sequences of targets.

pub mod branches;
pub mod cases;

pub use branches::{Branches, all_branches};
pub use cases::{CaseSolver, plan_path, solve_cases, solve_scene};
