//! The stages of an attempt on a skeleton with limits, branches, loops and obstacles.
//!
//! An attempt runs the reaching `passes` (with `joint_fit`), then `refine`, which minimizes the cost of all tasks by damped
//! least squares. `poles` bends joints toward their poles. `coordinate_descent` is the stage of CCD.

pub mod blocked;
pub mod coordinate_descent;
pub mod joint_fit;
pub mod passes;
pub mod poles;
pub mod refine;
