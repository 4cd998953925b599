//! The Jacobian of the end effector, and what the three Jacobian methods share.
//!
//! Each joint of an unlimited chain rotates freely: it has three columns, one per world axis. A small rotation `w` of
//! joint `j` (axis times angle) moves the end effector by `w x r`, where `r` is the vector from the joint to the end
//! effector. So `J = [-[r_0] -[r_1] ..]` with `[r]` the cross product matrix of r. `J^T f` is `r_j x f` for joint j, and
//! `J J^T = sum |r_j|^2 I - r_j r_j^T` is 3 x 3 for chains of any length.

use super::Force;
use crate::fabrik::passes;
use crate::maths;
use glam::{DMat3, DQuat, DVec3};

/// Damping of the Jacobian methods, as a fraction of the reach.
///
/// It is about the smallest value with which a chain comes to rest when it is stretched toward a target beyond its reach.
/// There the pull f along the chain rotates joint j by `|r_j| f` times its deviation. Over n links of length d, this
/// multiplies the deviations by `I - f d M` with `M_km = min(k, m)`, whose largest eigenvalue is about `4 n^2 / pi^2`. They
/// decay if `f d 4 n^2 / pi^2 < 2`. With [`clamped_error`], `f = d / 2 l^2` for a damping l, so `l > n d / pi`: a third of
/// the reach.
pub const DAMPING: f64 = 1.0 / 3.0;

/// The three columns of one joint: how the end effector moves per radian of rotation about the world's x, y and z.
pub fn columns(points: &[DVec3], joint: usize) -> DMat3 {
    let arm = points[points.len() - 1] - points[joint];
    DMat3::from_cols(DVec3::X.cross(arm), DVec3::Y.cross(arm), DVec3::Z.cross(arm))
}

/// `J J^T`: symmetric and positive semidefinite, in squared units of length.
pub fn gram(points: &[DVec3]) -> DMat3 {
    let Some((&tip, joints)) = points.split_last() else { return DMat3::ZERO };
    joints.iter().fold(DMat3::ZERO, |sum, &joint| {
        let arm = tip - joint;
        let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        sum + DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer
    })
}

/// The force of a Jacobian method at the end effector of a chain, for an error in units of length.
pub fn force_at_tip(points: &[DVec3], lengths: &[f64], error: DVec3, force: Force) -> DVec3 {
    let reach: f64 = lengths.iter().sum();
    let mut parts = (error / reach).to_array();
    force(&mut (gram(points) * reach.powi(-2)).to_cols_array(), &mut parts);
    DVec3::from_array(parts) / reach
}

/// One iteration of a Jacobian method: rotates every joint by `J^T f`, the torque that its force exerts on it.
pub(super) fn iterate(points: &mut [DVec3], lengths: &[f64], target: DVec3, force: Force) {
    let tip = points[lengths.len()];
    let force = force_at_tip(points, lengths, clamped_error(points, lengths, target), force);
    rotate_joints(points, lengths, |_, joint| maths::turn_by((tip - joint).cross(force)));
}

/// The vector from the end effector to the target, clamped to half a mean link. The Jacobian holds for small steps only;
/// without the clamp the methods oscillate for targets out of reach.
///
/// Source: S. R. Buss, J.-S. Kim, "Selectively damped least squares for inverse kinematics", Journal of Graphics Tools
/// 10 (2005), which clamps the distance to the target.
pub fn clamped_error(points: &[DVec3], lengths: &[f64], target: DVec3) -> DVec3 {
    let most = 0.5 * lengths.iter().sum::<f64>() / lengths.len() as f64;
    (target - points[lengths.len()]).clamp_length_max(most)
}

/// Rotates every joint of a chain together with everything beyond it.
///
/// `rotation(joint, position)` is called from the base to the tip. It returns the rotation of that joint about world axes
/// *as if no other joint had rotated yet*; `position` is the joint's position before all rotations. So link `k` ends up in
/// the direction `rotation(0) * rotation(1) * .. * rotation(k) * old_direction`. The base stays. Link lengths are
/// restored, so that rounding does not accumulate over many iterations.
pub fn rotate_joints(points: &mut [DVec3], lengths: &[f64], mut rotation: impl FnMut(usize, DVec3) -> DQuat) {
    let mut accumulated = DQuat::IDENTITY;
    let mut before = points[0];
    for (joint, &length) in lengths.iter().enumerate() {
        accumulated = (accumulated * rotation(joint, before)).normalize();
        let link = points[joint + 1] - before;
        before = points[joint + 1];
        points[joint + 1] = passes::place(points[joint], points[joint] + accumulated * link, length, link);
    }
}
