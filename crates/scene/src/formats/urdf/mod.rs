//! URDF (unified robot description format of ROS): links, joints with limits, and their shapes.
//!
//! Each URDF joint becomes a joint of the same name whose frame is that of its child link. The root link becomes a fixed
//! joint, a planar joint two slides and a hinge. Every link without children that a joint can move becomes an effector, and
//! so does what carries fingers; tools come first. An effector that moves with another one (fingers, flanges) has no target at first. +Z is up, as in ROS.

pub(crate) mod joints;
pub(crate) mod link_shapes;
pub(crate) mod masses;
pub(crate) mod opening_pose;
pub(crate) mod parts;
pub(crate) mod read;
pub(crate) mod srdf;
pub(crate) mod tips;
pub(crate) mod tree;
