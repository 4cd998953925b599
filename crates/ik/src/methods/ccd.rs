//! Cyclic coordinate descent: each joint in turn brings the end effector as near to the target as it can.
//!
//! Source: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics problems of
//! mechanical manipulators", IEEE Transactions on Robotics and Automation 7 (1991).

use super::jacobian::rotate_joints;
use crate::model::smallest_rotation;
use glam::{DQuat, DVec3};

/// Distance as a fraction of the reach up to which two points coincide: the direction between them is only rounding.
const COINCIDENT: f64 = 1e-12;

/// One sweep from the last joint to the base. Every joint rotates by the smallest angle that brings the end effector onto
/// the ray from that joint to the target.
///
/// The sweep follows only the end effector; the other points move afterwards. So its cost is linear in the number of
/// links, not quadratic.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let mut rotations = vec![DQuat::IDENTITY; lengths.len()];
    let coincident = COINCIDENT * lengths.iter().sum::<f64>();
    let mut tip = points[lengths.len()];
    for (rotation, &joint) in rotations.iter_mut().zip(&*points).rev() {
        let (to_tip, to_target) = (tip.distance(joint), target.distance(joint));
        if to_tip > coincident && to_target > coincident {
            let direction = (target - joint) / to_target;
            *rotation = smallest_rotation((tip - joint) / to_tip, direction);
            tip = joint + direction * to_tip;
        }
    }
    rotate_joints(points, lengths, |joint, _| rotations[joint]);
}
