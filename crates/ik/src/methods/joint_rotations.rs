//! Forward kinematics of a chain of points: the last step of CCD and of the Jacobian methods.

use crate::fabrik::passes;
use glam::{DQuat, DVec3};

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
