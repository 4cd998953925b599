//! What is solved: joints, limits, skeletons, poses, problems, settings and reports. Plain data and the mathematics of
//! a pose; the algorithms are in `fabrik`, `tree` and `methods`.

pub mod center_of_mass;
pub mod clearance;
pub mod distance;
pub mod freedom;
pub mod gap;
pub mod hull;
pub mod islands;
pub mod jacobian;
pub mod joint;
pub mod keep_clear;
pub mod kinematics;
pub mod limits;
pub mod mix;
mod nearest_target;
pub mod obstacle;
pub mod obstacles;
pub mod pose;
pub mod problem;
pub mod queries;
pub mod refusal;
pub mod report;
pub mod settings;
pub mod skeleton;
pub mod target;
pub mod transform;
pub mod unsupported_arm;
