//! Cyclic coordinate descent: each joint in turn does what it can for the end effector.
//!
//! Source: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics problems of
//! mechanical manipulators", IEEE Transactions on Robotics and Automation 7 (1991).

use super::turns::turn_joints;
use crate::model::transform::smallest_rotation;
use glam::{DQuat, DVec3};

/// Points nearer than this fraction of the reach have no direction from one to the other but that of rounding.
const COINCIDENT: f64 = 1e-12;

/// One sweep from the last joint to the base: every joint turns by the smallest angle that brings the end effector onto
/// the ray from that joint to the target.
///
/// Only the end effector is followed during the sweep; the other points take their places afterwards, so that a sweep
/// costs time in proportion to the number of links, not to its square.
pub fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3) {
    let mut turns = vec![DQuat::IDENTITY; lengths.len()];
    let coincident = COINCIDENT * lengths.iter().sum::<f64>();
    let mut tip = points[lengths.len()];
    for (turn, &joint) in turns.iter_mut().zip(&*points).rev() {
        let (lever, wanted) = (tip.distance(joint), target.distance(joint));
        if lever > coincident && wanted > coincident {
            let to = (target - joint) / wanted;
            *turn = smallest_rotation((tip - joint) / lever, to);
            tip = joint + to * lever;
        }
    }
    turn_joints(points, lengths, |joint, _| turns[joint]);
}
