//! How thick joints and targets are drawn.

use super::bones::goes_freely;
use super::sight::is_crowd;
use super::{Stage, surfaces};
use fabrik3d_ik::Skeleton;

/// Radius of a joint, of the reach: the least of an ordinary tree, and that of one whose joints would touch at that.
const THINNEST: f64 = 0.009;
const DENSE: f64 = 0.013;
/// Largest radius of a joint, of the shortest link at it.
const SHARE: f64 = 0.18;
/// But no smaller than this, of an ordinary joint's in its place: a figure has joints of one kind, not balls and pins.
const LEAST: f64 = 0.6;
/// Largest length that sizes are measured by, of the radius of the scene.
const COILED: f64 = 3.0;
/// Radius of a base, of an ordinary joint's in its place.
pub(super) const BASE: f64 = 1.3;

/// Sizes that the parts of one tree have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    /// Radius of an ordinary joint.
    pub joint: f64,
    /// Sum of the link lengths on the longest way from the root.
    pub reach: f64,
    /// Whether joints follow each other so closely that they are drawn as one tube.
    pub dense: bool,
}

/// Number of the tree that grows from `root`, and its sizes.
pub(super) fn tree_of(stage: &Stage, root: usize) -> (usize, Tree) {
    let joints = stage.session().scene().skeleton.joints();
    let tree = joints[..root].iter().filter(|joint| joint.parent.is_none()).count();
    (tree, trees(stage)[tree])
}

/// Radius of the largest joint of the tree that grows from `root`.
pub(super) fn widest_joint(stage: &Stage, root: usize) -> f64 {
    BASE * tree_of(stage, root).1.joint
}

/// What parts of a figure of this reach are measured by: less, where it is coiled up so that its picture is small.
fn span(stage: &Stage, reach: f64) -> f64 {
    reach.min(COILED * f64::from(stage.extent().radius))
}

/// Sizes of all trees, in the order of their roots.
pub(super) fn trees(stage: &Stage) -> Vec<Tree> {
    let skeleton = &stage.session().scene().skeleton;
    let mut tree = vec![0; skeleton.len()];
    let mut depth = vec![0.0; skeleton.len()];
    let mut sums: Vec<(f64, f64, f64)> = Vec::new();
    for (i, joint) in skeleton.joints().iter().enumerate() {
        match joint.parent {
            None => {
                tree[i] = sums.len();
                sums.push((0.0, 0.0, 0.0));
            }
            Some(parent) => {
                tree[i] = tree[parent];
                let length = if goes_freely(skeleton, i) { 0.0 } else { joint.offset.length() };
                depth[i] = depth[parent] + length;
                let (count, total, deepest) = &mut sums[tree[i]];
                if length > 0.0 {
                    *count += 1.0;
                    *total += length;
                }
                *deepest = f64::max(*deepest, depth[i]);
            }
        }
    }
    for effector in &stage.session().scene().effectors {
        let (at, tip) = (effector.effector.joint, effector.effector.tip.length());
        let (count, total, deepest) = &mut sums[tree[at]];
        if tip > 0.0 {
            *count += 1.0;
            *total += tip;
        }
        *deepest = f64::max(*deepest, depth[at] + tip);
    }
    let extent = f64::from(stage.extent().radius);
    // Inside of a body bones are slim, so that it is seen around them.
    let slim = if surfaces::are_glass(stage) && stage.session().lesson().is_none() { 0.72 } else { 1.0 };
    sums.into_iter()
        .map(|(count, total, deepest)| {
            let reach = if deepest > 0.0 { deepest } else { extent };
            let mean = if count > 0.0 { total / count } else { reach };
            let span = span(stage, reach);
            // Many short links would make a hair of a tentacle, few long ones a stick: both are kept in bounds.
            let dense = 0.42 * mean < THINNEST * span;
            let joint = if dense { DENSE * span } else { (0.23 * mean).clamp(THINNEST * span, 0.048 * reach) };
            Tree { joint: slim * joint, reach, dense }
        })
        .collect()
}

/// Radius of each joint of the scene, whose trees have these `sizes`.
pub(super) fn joints(stage: &Stage, sizes: &[Tree]) -> Vec<f64> {
    let scene = stage.session().scene();
    let skeleton = &scene.skeleton;
    let mut numbers = 0..;
    let mut tree: Vec<usize> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        tree.push(joint.parent.map_or_else(|| numbers.next().unwrap_or_default(), |parent| tree[parent]));
    }
    let (mut parents, mut lengths) = links(skeleton);
    for effector in &scene.effectors {
        parents.push(Some(effector.effector.joint));
        lengths.push(effector.effector.tip.length());
    }
    let mut radii = radii(&parents, &lengths, |node| sizes[tree[node]]);
    radii.truncate(skeleton.len());
    radii
}

/// The joint that each one is linked to, and how far that is when nothing has slid.
fn links(skeleton: &Skeleton) -> (Vec<Option<usize>>, Vec<f64>) {
    let joints = skeleton.joints().iter().enumerate();
    joints.map(|(i, joint)| (joint.parent.filter(|_| !goes_freely(skeleton, i)), joint.offset.length())).unzip()
}

/// Radii of nodes that hang on each other by links of these lengths, parents first; the trees of the nodes that others
/// hang on are asked for.
///
/// They grow thinner toward the tips, and shorter links have smaller joints: fingers have fine ones.
pub(super) fn radii(parents: &[Option<usize>], lengths: &[f64], tree: impl Fn(usize) -> Tree) -> Vec<f64> {
    // What stands in one place has one size: it is seen as one joint.
    let mut place: Vec<usize> = Vec::with_capacity(parents.len());
    let mut depth = vec![0.0; parents.len()];
    let mut number: Vec<usize> = Vec::with_capacity(parents.len());
    let mut shortest = vec![f64::INFINITY; parents.len()];
    for (node, (&parent, &length)) in parents.iter().zip(lengths).enumerate() {
        // A tip belongs to its joint's tree and has no number of its own.
        number.push(parent.map_or(node, |parent| number[parent]));
        let Some(parent) = parent else {
            place.push(node);
            continue;
        };
        depth[node] = depth[parent] + length;
        if length <= 1e-6 * tree(number[node]).reach {
            place.push(place[parent]);
            continue;
        }
        place.push(node);
        for end in [node, place[parent]] {
            shortest[end] = f64::min(shortest[end], length);
        }
    }
    let radius = |node: usize| {
        let tree = tree(number[node]);
        let radius = tree.joint * (1.12 - 0.5 * (depth[node] / tree.reach).min(1.0));
        let local = (SHARE * shortest[place[node]]).max(LEAST * radius);
        if tree.dense { radius } else { radius.min(local) }
    };
    (0..parents.len()).map(radius).collect()
}

/// Radius of the marker of an effector's target, world units.
pub(super) fn target_radius(stage: &Stage, effector: usize) -> f64 {
    let scene = stage.session().scene();
    let effector = &scene.effectors[effector];
    let reach = span(stage, scene.reach(effector));
    // As thick as the last joint, so that a rope's target is no balloon; of a crowd's, each only a dot.
    let link = scene.skeleton.joints()[effector.effector.joint].offset.length().max(effector.effector.tip.length());
    if is_crowd(scene.effectors.len()) { 0.012 * reach } else { (0.3 * link).clamp(0.013 * reach, 0.026 * reach) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::examples::EXAMPLES;
    use crate::view::Display;
    use fabrik3d_ik::random::Random;

    #[test]
    fn joints_are_as_small_as_their_links_ask_for_but_of_one_kind() {
        let mut random = Random::new(12);
        for _ in 0..300 {
            let count = 2 + random.index(20);
            let parents: Vec<Option<usize>> =
                (0..count).map(|i| i.checked_sub(1).map(|last| random.index(last + 1))).collect();
            let lengths: Vec<f64> = (0..count).map(|_| 0.02 + random.unit()).collect();
            let reach = lengths.iter().sum();
            let tree = Tree { joint: 0.048 * reach, reach, dense: false };
            let radii = radii(&parents, &lengths, |_| tree);
            for (node, parent) in parents.iter().enumerate() {
                let Some(parent) = *parent else { continue };
                let most = (SHARE * lengths[node]).max(LEAST * 1.12 * tree.joint) * (1.0 + 1e-12);
                assert!(radii[node] <= most && radii[parent] <= most, "{parents:?} {lengths:?} {radii:?}");
                assert!(radii[node] >= LEAST * 0.6 * tree.joint, "{parents:?} {lengths:?} {radii:?}");
            }
        }
    }

    #[test]
    fn in_no_example_do_two_joints_of_an_ordinary_link_touch() {
        for (name, _) in EXAMPLES {
            let scene =
                crate::solve::examples::open(format!("example:{name}"), &fabrik3d_scene::OpenOptions::default())
                    .expect("an example");
            let stage = Stage::new(scene, Display::default(), 1.6);
            let sizes = trees(&stage);
            let radii = joints(&stage, &sizes);
            let skeleton = &stage.session().scene().skeleton;
            let (parents, lengths) = links(skeleton);
            if sizes.iter().any(|tree| tree.dense) {
                continue;
            }
            for (i, parent) in parents.iter().enumerate() {
                // Links as short as a joint is wide (a hip's, between its two axes) are seen as one joint.
                let short = 6.0 * sizes[0].joint;
                let Some(parent) = parent.filter(|_| lengths[i] > short) else { continue };
                let base = if parents[parent].is_none() { BASE } else { 1.0 };
                let both = radii[i] + base * radii[parent];
                assert!(both < 0.5 * lengths[i], "{name}: {} {both} {}", skeleton.joints()[i].name, lengths[i]);
            }
        }
    }
}
