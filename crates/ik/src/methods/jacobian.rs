//! The Jacobian of the end effector, and what three of the methods make of it.
//!
//! Each joint of an unlimited chain turns freely: three columns, one for each world axis. A turn `w` of joint `j` (axis
//! times angle, small) moves the end effector by `w x r`, where `r` leads from the joint to the end effector. So
//! `J = [-[r_0] -[r_1] ..]` with `[r]` the matrix of the cross product with r,
//! `J^T f` is `r_j x f` for joint j, and `J J^T = sum |r_j|^2 I - r_j r_j^T`: 3 x 3 however long the chain.

use super::turns::turn_joints;
use glam::{DMat3, DQuat, DVec3};

/// Damping of the Jacobian methods, as a fraction of the reach.
///
/// It is the least that lets a chain come to rest when it is stretched toward a target out of reach. There the pull f
/// along the chain turns joint j by `|r_j| f` times its deviation; over n links of length d the deviations are
/// multiplied by `I - f d M`, `M_km = min(k, m)`, whose greatest eigenvalue is about `4 n^2 / pi^2`. They die out for
/// `f d 4 n^2 / pi^2 < 2`; with [`clamped_error`], `f = d / 2 l^2` for a damping l, so `l > n d / pi`: a third of the
/// reach.
pub const DAMPING: f64 = 1.0 / 3.0;

/// The three columns of one joint: how the end effector moves per radian of turn about the world's x, y and z.
pub fn columns(points: &[DVec3], joint: usize) -> DMat3 {
    let arm = points[points.len() - 1] - points[joint];
    DMat3::from_cols(DVec3::X.cross(arm), DVec3::Y.cross(arm), DVec3::Z.cross(arm))
}

/// `J J^T`, symmetric and never negative; in square units of length.
pub fn gram(points: &[DVec3]) -> DMat3 {
    let Some((&tip, joints)) = points.split_last() else { return DMat3::ZERO };
    joints.iter().fold(DMat3::ZERO, |sum, &joint| {
        let arm = tip - joint;
        let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        sum + DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer
    })
}

/// Turns every joint by `J^T force`: as a force at the end effector would, were each joint's speed its torque.
pub fn turn_by_force(points: &mut [DVec3], lengths: &[f64], force: DVec3) {
    let tip = points[lengths.len()];
    turn_joints(points, lengths, |_, joint| DQuat::from_scaled_axis((tip - joint).cross(force)));
}

/// What is left to the target, but no more than half a mean link at a time: the Jacobian is true of small steps only,
/// and without this the methods swing about for targets out of reach.
///
/// Source: S. R. Buss, J.-S. Kim, "Selectively damped least squares for inverse kinematics", Journal of Graphics Tools
/// 10 (2005), clamping the distance of the target.
pub fn clamped_error(points: &[DVec3], lengths: &[f64], target: DVec3) -> DVec3 {
    let most = 0.5 * lengths.iter().sum::<f64>() / lengths.len() as f64;
    (target - points[lengths.len()]).clamp_length_max(most)
}
