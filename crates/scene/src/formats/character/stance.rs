//! How a figure that was read from a file stands, and what its effectors hold on to therefore.
//!
//! Who drags a hand wants the body to come along and the feet to stay: what stands on the ground is pinned, everything
//! else is free, and the hips, which may move, have a goal of so little weight that they keep still for whatever can be
//! reached without them, and give way to what cannot.

use super::names::Names;
use crate::{Hold, Scene, SceneEffector};
use fabrik3d_ik::{Effector, Kind, Skeleton, Target};
use glam::DVec3;

/// Height above the lowest point, of the figure's, up to which an effector stands on the ground.
const GROUND: f64 = 0.15;
/// Fewest points that a figure stands on.
const FEET: usize = 2;
/// Weight of the hips, where a hand's is 1.
const HIPS: f64 = 0.1;

/// Which of these heights are on the ground, for a figure that reaches from `low` to `high`; none where it does not stand.
pub(crate) fn standing(heights: &[f64], (low, high): (f64, f64)) -> Option<Vec<bool>> {
    let stands: Vec<bool> = heights.iter().map(|height| height - low <= GROUND * (high - low)).collect();
    let feet = stands.iter().filter(|&&stands| stands).count();
    (high > low && feet >= FEET).then_some(stands)
}

/// Pins what stands on the ground, frees the other effectors and lets the hips move, with an effector of their own. A
/// figure that does not stand stays as it is: all its effectors are pinned.
pub(crate) fn stand(scene: &mut Scene) {
    let skeleton = &scene.skeleton;
    let up = scene.up.axis();
    let rest = skeleton.frames(&skeleton.rest_pose());
    let tip = |effector: &Effector| rest[effector.joint].point(effector.tip).dot(up);
    let tips: Vec<f64> = scene.effectors.iter().map(|effector| tip(&effector.effector)).collect();
    let heights = rest.iter().map(|frame| frame.position.dot(up)).chain(tips.iter().copied());
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
    let Some(stands) = standing(&tips, (low, high)) else { return };
    let hips = hips(scene).filter(|&hips| rest[hips].position.dot(up) - low > GROUND * (high - low));
    for (effector, stands) in scene.effectors.iter_mut().zip(stands) {
        effector.hold = if stands { Hold::Pinned } else { Hold::Free };
    }
    let Some(hips) = hips else { return };
    let above = depth(skeleton, hips);
    for effector in &mut scene.effectors {
        let joints = depth(skeleton, effector.effector.joint) + 1 - above;
        effector.effector.chain_length = (above > 0).then_some(joints);
    }
    let mut names = Names::default();
    scene.effectors.iter().for_each(|effector| drop(names.claim(&effector.name)));
    let place = skeleton.frames(&scene.start)[hips].position;
    scene.effectors.push(SceneEffector {
        name: names.claim(&skeleton.joints()[hips].name),
        effector: Effector { joint: hips, tip: DVec3::ZERO, chain_length: (above > 0).then_some(1) },
        target: Target::from(place),
        weight: HIPS,
        rotation_weight: HIPS,
        hold: Hold::Pinned,
        presets: Vec::new(),
    });
}

/// The joint that carries the whole figure through the world: the last free one above all effectors.
fn hips(scene: &Scene) -> Option<usize> {
    let skeleton = &scene.skeleton;
    let mut joints = scene.effectors.iter().map(|effector| effector.effector.joint);
    let mut at = joints.next();
    while let Some(joint) = at {
        let carries = |of: usize| skeleton.ancestors(of).any(|at| at == joint);
        if skeleton.joints()[joint].kind == Kind::Free && joints.clone().all(carries) {
            return Some(joint);
        }
        at = skeleton.joints()[joint].parent;
    }
    None
}

fn depth(skeleton: &Skeleton, joint: usize) -> usize {
    skeleton.ancestors(joint).count() - 1
}
