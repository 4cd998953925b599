//! Fronts for skeletons.

pub mod branches;
pub mod crowd;
pub mod lane_group;
pub mod many;
pub mod rig;
pub mod solve;
