//! From turns of the joints to places of the points: what CCD and the Jacobian methods end with.

use crate::fabrik::passes;
use glam::{DQuat, DVec3};

/// Turns every joint of a chain, each carrying all that lies beyond it.
///
/// `turn(joint, place)` is asked from the base to the tip for the turn of each joint, about world axes *as the chain
/// stands before any joint has turned*; `place` is where the joint stands then. So link `k` ends up in the direction
/// `turn(0) * turn(1) * .. * turn(k) * before`. The base stays; the lengths are renewed, so that rounding does not add
/// up over many iterations.
pub fn turn_joints(points: &mut [DVec3], lengths: &[f64], mut turn: impl FnMut(usize, DVec3) -> DQuat) {
    let mut carried = DQuat::IDENTITY;
    let mut before = points[0];
    for (joint, &length) in lengths.iter().enumerate() {
        carried = (carried * turn(joint, before)).normalize();
        let link = points[joint + 1] - before;
        before = points[joint + 1];
        points[joint + 1] = passes::place(points[joint], points[joint] + carried * link, length, link);
    }
}
