//! FABRIK on skeletons with limits: reaching passes, then refinement by damped least squares, then restarts.

pub mod branches;
pub mod chain_island;
pub mod coordinate_descent;
pub mod island;
pub mod joint_fit;
pub mod layout;
pub mod layout_key;
pub mod objective;
pub mod passes;
pub mod poles;
pub mod refine;
pub mod residual_jacobian;
pub mod restart;
pub mod scratch;
pub mod search;
