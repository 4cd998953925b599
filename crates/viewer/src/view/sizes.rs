//! Radii of joints and targets.

use super::draw::bodies::style;
use super::frame::Color;
use super::{MeshStyle, Viewer};
use fabrik3d_ik::{Kind, Skeleton};

/// Least radius of a joint in an ordinary tree, and radius in a tree whose joints would touch at that; in units of the reach.
const MIN_RADIUS: f64 = 0.009;
const DENSE_RADIUS: f64 = 0.013;
/// Largest radius of a joint, in units of the shortest link at it.
const MAX_LINK_SHARE: f64 = 0.18;
/// Least radius of a joint with short links, in units of an ordinary joint's: a figure's joints should look alike.
const MIN_SHARE: f64 = 0.6;
/// Longest reach that sizes are derived from, in units of the scene's radius: longer figures are coiled up.
const MAX_SPAN: f64 = 3.0;
/// Radius of a base, in units of an ordinary joint's.
pub(super) const BASE: f64 = 1.3;
/// Radius of bones inside glass bodies, in units of ordinary ones: the body must be visible around them.
const SLIM: f64 = 0.72;

/// Least and largest radius of a target, at bare bones and at bodies, in units of the effector's reach.
const TARGET: [f64; 2] = [0.013, 0.026];
const TARGET_AT_BODY: [f64; 2] = [0.006, 0.012];

/// Sizes that the parts of one tree share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    /// Number of the tree, in the order of the roots.
    pub number: usize,
    /// Radius of an ordinary joint.
    pub joint: f64,
    /// Sum of the link lengths along the longest path from the root.
    pub reach: f64,
    /// Whether joints are so close together that they are drawn as one tube.
    pub dense: bool,
}

/// Radius of the largest joint of the tree of a joint.
pub(super) fn widest_joint(viewer: &Viewer, joint: usize) -> f64 {
    BASE * trees(viewer)[joint].joint
}

/// The length that sizes of a figure of this reach derive from: shorter where the figure is coiled up and appears small.
fn span(viewer: &Viewer, reach: f64) -> f64 {
    reach.min(MAX_SPAN * f64::from(viewer.extent().radius))
}

/// For each joint, its tree.
pub(super) fn trees(viewer: &Viewer) -> Vec<Tree> {
    let skeleton = &viewer.session().scene().skeleton;
    let mut tree: Vec<usize> = Vec::with_capacity(skeleton.len());
    let mut depth = vec![0.0; skeleton.len()];
    // Of each tree: the number of its links, the sum of their lengths, and the longest path.
    let mut sums: Vec<(f64, f64, f64)> = Vec::new();
    let add = |(count, total, deepest): &mut (f64, f64, f64), length: f64, depth: f64| {
        if length > 0.0 {
            (*count, *total) = (*count + 1.0, *total + length);
        }
        *deepest = deepest.max(depth);
    };
    for (i, joint) in skeleton.joints().iter().enumerate() {
        let Some(parent) = joint.parent else {
            tree.push(sums.len());
            sums.push((0.0, 0.0, 0.0));
            continue;
        };
        tree.push(tree[parent]);
        let length = if floats_freely(skeleton, i) { 0.0 } else { joint.offset.length() };
        depth[i] = depth[parent] + length;
        add(&mut sums[tree[i]], length, depth[i]);
    }
    for (at, tip) in viewer.session().scene().link_ends() {
        add(&mut sums[tree[at]], tip.length(), depth[at] + tip.length());
    }
    let extent = f64::from(viewer.extent().radius);
    let is_inside_glass = style(viewer) == MeshStyle::XRay && viewer.session().lesson().is_none();
    let slim = if is_inside_glass { SLIM } else { 1.0 };
    let sized = |number: usize| {
        let (count, total, deepest) = sums[number];
        let reach = if deepest > 0.0 { deepest } else { extent };
        let mean = if count > 0.0 { total / count } else { reach };
        let span = span(viewer, reach);
        // Without bounds, many short links would make a hair, few long ones a stick.
        let dense = 0.42 * mean < MIN_RADIUS * span;
        let joint = if dense { DENSE_RADIUS * span } else { (0.23 * mean).clamp(MIN_RADIUS * span, 0.048 * reach) };
        Tree { number, joint: slim * joint, reach, dense }
    };
    tree.into_iter().map(sized).collect()
}

/// Radius of each joint of the scene, given its trees.
pub(super) fn joints(viewer: &Viewer, trees: &[Tree]) -> Vec<f64> {
    let scene = viewer.session().scene();
    let skeleton = &scene.skeleton;
    let ((mut parents, mut lengths), mut trees) = (links(skeleton), trees.to_vec());
    for (joint, tip) in scene.link_ends() {
        parents.push(Some(joint));
        lengths.push(tip.length());
        trees.push(trees[joint]);
    }
    let mut radii = radii(&parents, &lengths, |node| trees[node]);
    radii.truncate(skeleton.len());
    radii
}

/// The joint that each joint is linked to, and the length of the link while nothing has slid.
fn links(skeleton: &Skeleton) -> (Vec<Option<usize>>, Vec<f64>) {
    let joints = skeleton.joints().iter().enumerate();
    joints.map(|(i, joint)| (joint.parent.filter(|_| !floats_freely(skeleton, i)), joint.offset.length())).unzip()
}

/// Radii of nodes with these parents, link lengths and trees, parents first.
///
/// Radii decrease toward the tips, and joints at shorter links are smaller.
pub(super) fn radii(parents: &[Option<usize>], lengths: &[f64], tree: impl Fn(usize) -> Tree) -> Vec<f64> {
    // Nodes at one position have one size: they appear as one joint.
    let mut place: Vec<usize> = Vec::with_capacity(parents.len());
    let mut depth = vec![0.0; parents.len()];
    let mut shortest = vec![f64::INFINITY; parents.len()];
    for (node, (&parent, &length)) in parents.iter().zip(lengths).enumerate() {
        let Some(parent) = parent else {
            place.push(node);
            continue;
        };
        depth[node] = depth[parent] + length;
        if length <= 1e-6 * tree(node).reach {
            place.push(place[parent]);
            continue;
        }
        place.push(node);
        for end in [node, place[parent]] {
            shortest[end] = f64::min(shortest[end], length);
        }
    }
    let radius = |node: usize| {
        let tree = tree(node);
        let radius = tree.joint * (1.12 - 0.5 * (depth[node] / tree.reach).min(1.0));
        let local = (MAX_LINK_SHARE * shortest[place[node]]).max(MIN_SHARE * radius);
        if tree.dense { radius } else { radius.min(local) }
    };
    (0..parents.len()).map(radius).collect()
}

/// Radius of an effector's target, world units.
pub(super) fn target_radius(viewer: &Viewer, effector: usize) -> f64 {
    let scene = viewer.session().scene();
    let effector = &scene.effectors[effector];
    // With the travel of slides: the ball of a crane's hook suits the crane.
    let reach = span(viewer, effector.effector.reach(&scene.skeleton).max(scene.effector_size(effector)));
    // About as thick as the last joint.
    let link = scene.skeleton.joints()[effector.effector.joint].offset.length().max(effector.effector.tip.length());
    // A large ball would hide the hand or the tool of a body.
    let [least, most] = if style(viewer) == MeshStyle::Hidden { TARGET } else { TARGET_AT_BODY };
    let is_dot = has_many_targets(scene.effectors.len());
    if is_dot { 0.012 * reach } else { (0.3 * link).clamp(least * reach, most * reach) }
}

/// The colour of a target: one for each effector, unless there are many.
pub(crate) fn target_color(viewer: &Viewer, effector: usize) -> Color {
    let is_dot = has_many_targets(viewer.session().targets().len());
    viewer.display().theme.palette().target(if is_dot { 0 } else { effector })
}

/// For each effector, the colour of the links of its figure.
pub(crate) fn figure_colors(viewer: &Viewer) -> Vec<Color> {
    let (trees, palette) = (trees(viewer), viewer.display().theme.palette());
    let effectors = viewer.session().scene().effectors.iter();
    effectors.map(|effector| palette.chain(trees[effector.effector.joint].number)).collect()
}

/// Whether there are so many targets that only the selected one gets attention.
pub(crate) fn has_many_targets(targets: usize) -> bool {
    targets > 16
}

/// Whether a joint has a parent but no link to it: it moves freely in the parent's frame.
pub(super) fn floats_freely(skeleton: &Skeleton, joint: usize) -> bool {
    skeleton.joints()[joint].parent.is_some() && matches!(skeleton.kind(joint), Kind::Free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Display;
    use fabrik3d_ik::random::Random;

    #[test]
    fn joints_fit_their_links_and_look_alike() {
        let mut random = Random::new(12);
        for _ in 0..300 {
            let count = 2 + random.index(20);
            let parents: Vec<Option<usize>> =
                (0..count).map(|i| i.checked_sub(1).map(|last| random.index(last + 1))).collect();
            let lengths: Vec<f64> = (0..count).map(|_| 0.02 + random.unit()).collect();
            let reach = lengths.iter().sum();
            let tree = Tree { number: 0, joint: 0.048 * reach, reach, dense: false };
            let radii = radii(&parents, &lengths, |_| tree);
            for (node, parent) in parents.iter().enumerate() {
                let Some(parent) = *parent else { continue };
                let most = (MAX_LINK_SHARE * lengths[node]).max(MIN_SHARE * 1.12 * tree.joint) * (1.0 + 1e-12);
                assert!(radii[node] <= most && radii[parent] <= most, "{parents:?} {lengths:?} {radii:?}");
                assert!(radii[node] >= MIN_SHARE * 0.6 * tree.joint, "{parents:?} {lengths:?} {radii:?}");
            }
        }
    }

    #[test]
    fn in_no_example_do_the_joints_of_an_ordinary_link_touch() {
        for scene in crate::test_scenes::examples() {
            let name = scene.name.clone();
            let viewer = Viewer::new(scene, Display::default(), 1.6);
            let trees = trees(&viewer);
            let radii = joints(&viewer, &trees);
            let skeleton = &viewer.session().scene().skeleton;
            let (parents, lengths) = links(skeleton);
            if trees.iter().any(|tree| tree.dense) {
                continue;
            }
            for (i, parent) in parents.iter().enumerate() {
                // Joints of links as short as a joint is wide (a hip's, between its two axes) appear as one.
                let short = 6.0 * trees[0].joint;
                let Some(parent) = parent.filter(|_| lengths[i] > short) else { continue };
                let base = if parents[parent].is_none() { BASE } else { 1.0 };
                let both = radii[i] + base * radii[parent];
                assert!(both < 0.5 * lengths[i], "{name}: {} {both} {}", skeleton.joints()[i].name, lengths[i]);
            }
        }
    }
}
