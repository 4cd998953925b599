//! Many targets for one serial arm, in SIMD lanes.
//!
//! `arm` brings a chain of hinges, slides and fixed joints into the form of the lanes. `step` is one step of damped least
//! squares, written once for single and for double precision. `run` keeps every lane busy: steps, restarts, the next problem;
//! it takes the last steps and judges the answers in `f64`. `lanes` connects these with targets and levels.
//! [`Solver::solve_many`](crate::Solver::solve_many) feeds them (`solver/arm_group.rs`).

mod arm;
mod lanes;
mod normal;
mod run;
mod step;
#[cfg(test)]
mod step_tests;

pub(crate) use arm::{ArmLanes, Demand, demand};
pub(crate) use run::{Bounds, Problems, Task, Unsolved};
