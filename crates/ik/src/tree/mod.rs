//! FABRIK on skeletons with limits, branches, loops and obstacles.
//!
//! The way of a solve: `island` selects the solver for an island of joints, `stage` solves one stage of it, and `search`
//! makes attempts from several start poses. An attempt runs the reaching `passes` (with `joint_fit`), then `refine`,
//! which minimizes the `objective` by damped least squares (with `residual_jacobian`). `restart` provides other start
//! poses, `bend` bends straight limbs of stiff skeletons, `poles` bends joints toward their poles, and `spread` moves
//! close links apart. `blocked` recognizes targets in obstacles. `six_axis` takes branches of a closed form where the
//! search finds nothing. Islands that are plain chains take the fast path of `chain_island`. `prepare` builds the
//! layouts, `near` chooses the obstacles that an island can meet, and `buffers` are shared by islands that are solved one
//! after the other.

mod bend;
mod blocked;
pub mod branches;
pub mod buffers;
pub mod chain_island;
pub mod coordinate_descent;
pub mod island;
pub mod joint_fit;
pub mod layout;
pub mod layout_key;
mod lazy;
mod near;
pub mod objective;
mod part;
pub mod passes;
pub mod poles;
mod prepare;
pub mod refine;
pub mod residual_jacobian;
pub mod restart;
pub mod scratch;
pub mod search;
pub mod share;
mod shell;
mod single_steps;
mod six_axis;
pub mod spread;
pub mod stage;
mod walk;
