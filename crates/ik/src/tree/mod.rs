//! FABRIK on skeletons with limits, branches, loops and obstacles.
//!
//! The way of a solve: `figure` has the figures that are solved independently, `figure_solver` solves one of them, `stage`
//! one stage of it, and `search` makes attempts from several start poses. An attempt runs the reaching `passes` (with `joint_fit`), then `refine`,
//! which minimizes the `objective` by damped least squares (with `residual_jacobian`). `restart` provides other start
//! poses, `bend` bends straight limbs of stiff skeletons, `poles` bends joints toward their poles, and `spread` moves
//! close links apart. `blocked` recognizes targets in obstacles. `six_axis` takes branches of a closed form where the
//! search finds nothing. Figures that are plain chains take the fast path of `plain_chain`. `workspace` has the buffers of
//! the thread that solves.

pub mod coordinate_descent;
pub mod joint_fit;
pub mod passes;
pub mod poles;
pub mod refine;
pub mod scratch;
pub mod spread;
