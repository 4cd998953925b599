//! Pinned and free effectors of standing figures.
//!
//! Dragging a hand should move the body with it and leave the feet in place. Effectors on the ground are pinned, the others
//! are free. The hips can move, but have a goal of low weight: they stay still unless a target cannot be reached without
//! them.

use crate::assets::HumanLimits;
use crate::unique_names::UniqueNames;
use crate::{EffectorMode, Scene, SceneEffector};
use fabrik3d_ik::{Effector, Kind, Skeleton, Target};
use glam::DVec3;

/// Largest height of an effector on the ground, relative to the height of the figure.
const GROUND_HEIGHT: f64 = 0.15;
/// Fewest effectors on the ground of a standing figure.
const MIN_FEET: usize = 2;
/// Weight of the hips; that of a hand is 1.
const HIPS_WEIGHT: f64 = 0.1;

/// Which heights are on the ground, for a figure from `low` to `high`; none if the figure does not stand.
pub(crate) fn standing(heights: &[f64], (low, high): (f64, f64)) -> Option<Vec<bool>> {
    let stands: Vec<bool> = heights.iter().map(|height| height - low <= GROUND_HEIGHT * (high - low)).collect();
    let feet = stands.iter().filter(|&&stands| stands).count();
    (high > low && feet >= MIN_FEET).then_some(stands)
}

/// Pins the effectors on the ground, frees the others, and adds an effector to the hips. A figure that does not stand keeps
/// all its effectors pinned.
pub(crate) fn stand(scene: &mut Scene) {
    let skeleton = &scene.skeleton;
    let up = scene.up.axis();
    let rest = skeleton.frames(&skeleton.rest_pose());
    let tip = |effector: &Effector| rest[effector.joint].point(effector.tip).dot(up);
    let tips: Vec<f64> = scene.effectors.iter().map(|effector| tip(&effector.effector)).collect();
    let heights = rest.iter().map(|frame| frame.position.dot(up)).chain(tips.iter().copied());
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
    let Some(stands) = standing(&tips, (low, high)) else { return };
    let hips = hips(scene).filter(|&hips| rest[hips].position.dot(up) - low > GROUND_HEIGHT * (high - low));
    for (effector, stands) in scene.effectors.iter_mut().zip(stands) {
        effector.hold = if stands { EffectorMode::Pinned } else { EffectorMode::Free };
    }
    let Some(hips) = hips else { return };
    let above = depth(skeleton, hips);
    for effector in &mut scene.effectors {
        let joints = depth(skeleton, effector.effector.joint) + 1 - above;
        effector.effector.chain_length = (above > 0).then_some(joints);
    }
    let mut names = UniqueNames::default();
    scene.effectors.iter().for_each(|effector| drop(names.claim(&effector.name)));
    let place = skeleton.frames(&scene.start)[hips].position;
    let name = names.claim(&skeleton.joints()[hips].name);
    let effector = Effector { joint: hips, tip: DVec3::ZERO, chain_length: (above > 0).then_some(1) };
    let effector = SceneEffector::new(name, effector, Target::from(place));
    // Stiffness holds the hips of a body with human limits, and its legs know how to bend.
    let is_person = scene.assets.human_limits != HumanLimits::default();
    let hold = if is_person { EffectorMode::Free } else { EffectorMode::Pinned };
    scene.effectors.push(SceneEffector { weight: HIPS_WEIGHT, rotation_weight: HIPS_WEIGHT, hold, ..effector });
}

/// The joint that moves the whole figure: the lowest free joint above all effectors.
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
