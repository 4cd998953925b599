//! Warnings for files that break the specification but can still be read.
//!
//! The rules are those of the glTF 2.0 specification about skins and animations, as checked by the Khronos validator.
//! Anything that would be misread is an error of the readers.

use super::lists::{Lists, count, count_of, get, index_of, list, word};
use super::nodes::Nodes;
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use std::collections::HashSet;

/// One sentence for each violation in skins, animations and the default scene. The readers of rig and clips run first, so
/// the references that they follow are valid.
pub(crate) fn warnings(lists: &Lists<'_>, nodes: &Nodes) -> Vec<String> {
    let morphs = lists.meshes.iter().map(has_morphs).collect();
    let mut validator = Validator { lists, nodes, trees: Trees::new(nodes), morphs, warnings: Vec::new() };
    lists.skins.iter().for_each(|skin| validator.skin(skin));
    lists.animations.iter().for_each(|animation| validator.animation(animation));
    validator.scene();
    validator.warnings
}

struct Validator<'a> {
    lists: &'a Lists<'a>,
    nodes: &'a Nodes,
    trees: Trees,
    /// Whether each mesh has morph targets.
    morphs: Vec<bool>,
    warnings: Vec<String>,
}

/// Component type of 32-bit floats.
const FLOAT: usize = 5126;

impl<'a> Validator<'a> {
    fn warn(&mut self, item: &Item<'_>, what: impl AsRef<str>) {
        self.warnings.push(item.fault(what).message);
    }

    /// The value that a reader found. A fault becomes a warning.
    fn found<T>(&mut self, found: Read<Option<T>>) -> Option<T> {
        found.unwrap_or_else(|fault| {
            self.warnings.push(fault.message);
            None
        })
    }

    /// The accessor of a key. A warning if it does not exist.
    fn accessor(&mut self, item: &Item<'_>, key: &str) -> Option<&'a Item<'a>> {
        let lists = self.lists;
        self.found(index_of(item, key, &lists.accessors, "accessor")).map(|at| &lists.accessors[at])
    }

    fn has_format(&mut self, accessor: &Item<'_>, kind: &str, components: &[usize]) -> bool {
        let found = self.found(word(accessor, "type"));
        let component = self.found(count_of(accessor, "componentType"));
        found == Some(kind) && component.is_some_and(|component| components.contains(&component))
    }

    fn skin(&mut self, skin: &Item<'_>) {
        let lists = self.lists;
        let joints = numbers(skin, "joints");
        if let Some(matrices) = self.accessor(skin, "inverseBindMatrices") {
            if !self.has_format(matrices, "MAT4", &[FLOAT]) {
                self.warn(skin, "its `inverseBindMatrices` are not MAT4 of floats");
            }
            let count = self.found(count_of(matrices, "count")).unwrap_or(0);
            if count < joints.len() {
                self.warn(skin, format!("{} joints need as many `inverseBindMatrices`, found {count}", joints.len()));
            }
        }
        let root = |&joint: &usize| self.trees.root[joint];
        if joints.iter().map(root).collect::<HashSet<usize>>().len() > 1 {
            self.warn(skin, "its joints have no common root");
        }
        match self.found(index_of(skin, "skeleton", &lists.nodes, "node")) {
            Some(top) if !joints.iter().all(|&joint| self.trees.is_below(joint, top)) => {
                self.warn(skin, format!("its `skeleton`, node {top}, is not above all of its joints"));
            }
            _ => {}
        }
    }

    fn animation(&mut self, animation: &Item<'_>) {
        let samplers = list(animation, "samplers").unwrap_or_default();
        for sampler in &samplers {
            let Some(input) = self.accessor(sampler, "input") else { continue };
            if !self.has_format(input, "SCALAR", &[FLOAT]) {
                self.warn(sampler, "its times are not SCALAR floats");
            }
            if get(input, "min").is_none() || get(input, "max").is_none() {
                self.warn(sampler, "its times lack `min` and `max`");
            }
            let is_cubic = word(sampler, "interpolation").is_ok_and(|word| word == Some("CUBICSPLINE"));
            if is_cubic && self.found(count_of(input, "count")).unwrap_or(0) < 2 {
                self.warn(sampler, "a CUBICSPLINE needs at least two keys");
            }
        }
        let mut targets = HashSet::new();
        for channel in list(animation, "channels").unwrap_or_default() {
            self.channel(&channel, &mut targets);
        }
    }

    /// Checks the target of a channel; `targets` are those of the channels before.
    fn channel(&mut self, channel: &Item<'_>, targets: &mut HashSet<(usize, &'a str)>) {
        let lists = self.lists;
        let Some(target) = get(channel, "target") else { return };
        let node = index_of(&target, "node", &lists.nodes, "node").ok().flatten();
        let (Some(node), Some(path)) = (node, self.path(channel)) else { return };
        if !targets.insert((node, path)) {
            self.warn(channel, format!("another channel also sets the {path} of node {node}; the last one is used"));
        }
        let moved = &self.nodes.nodes[node];
        match path {
            "weights" if !moved.mesh.is_some_and(|mesh| self.morphs[mesh]) => {
                self.warn(channel, format!("node {node} has no morph targets for `weights`"));
            }
            "weights" => self.warn(channel, "morph targets are not shown"),
            "translation" | "rotation" | "scale" if get(&lists.nodes[node], "matrix").is_some() => {
                self.warn(channel, format!("node {node} has a `matrix`, which its channels replace"));
            }
            _ => {}
        }
    }

    /// The path of a channel's target, if the specification defines it.
    fn path(&mut self, channel: &Item<'_>) -> Option<&'static str> {
        let target = get(channel, "target")?;
        let path = self.found(word(&target, "path"))?;
        let known = ["translation", "rotation", "scale", "weights"].into_iter().find(|known| *known == path);
        if known.is_none() && get(&target, "extensions").is_none() {
            self.warn(channel, "its target path is unknown and ignored");
        }
        known
    }

    /// Checks the default scene: a scene with a skin must contain the joints of the skin.
    fn scene(&mut self) {
        let lists = self.lists;
        let opens = index_of(&lists.root, "scene", &lists.scenes, "scene").ok().flatten().unwrap_or(0);
        let Some(scene) = lists.scenes.get(opens) else { return };
        let mut shown = vec![false; lists.nodes.len()];
        numbers(scene, "nodes").into_iter().for_each(|node| shown[node] = true);
        for &node in &self.nodes.order {
            shown[node] |= self.nodes.nodes[node].parent.is_some_and(|parent| shown[parent]);
        }
        let whole = |skin: &Item<'_>| numbers(skin, "joints").into_iter().all(|joint| shown[joint]);
        let whole: Vec<bool> = lists.skins.iter().map(whole).collect();
        let is_lost = |&at: &usize| shown[at] && self.nodes.nodes[at].skin.is_some_and(|skin| !whole[skin]);
        if let Some(at) = (0..lists.nodes.len()).find(is_lost) {
            self.warn(scene, format!("it contains node {at}, but not the joints of its skin"));
        }
    }
}

/// Indices of nodes, already checked by the readers.
fn numbers(item: &Item<'_>, key: &str) -> Vec<usize> {
    list(item, key).unwrap_or_default().iter().filter_map(|item| count(item).ok()).collect()
}

/// Ancestors in constant time, however deep the trees are.
struct Trees {
    /// Root above each node.
    root: Vec<usize>,
    /// For each node, its index in the node order and the index after its last descendant.
    span: Vec<(usize, usize)>,
}

impl Trees {
    fn new(nodes: &Nodes) -> Self {
        let mut root: Vec<usize> = (0..nodes.nodes.len()).collect();
        let mut span = vec![(0, 0); nodes.nodes.len()];
        for (at, &node) in nodes.order.iter().enumerate() {
            root[node] = nodes.nodes[node].parent.map_or(node, |parent| root[parent]);
            span[node] = (at, at + 1);
        }
        // The descendants of a node follow it in that order.
        for &node in nodes.order.iter().rev() {
            if let Some(parent) = nodes.nodes[node].parent {
                span[parent].1 = span[parent].1.max(span[node].1);
            }
        }
        Trees { root, span }
    }

    /// Whether a node is `top` or below it.
    fn is_below(&self, node: usize, top: usize) -> bool {
        let (from, to) = self.span[top];
        (from..to).contains(&self.span[node].0)
    }
}

fn has_morphs(mesh: &Item<'_>) -> bool {
    let primitives = list(mesh, "primitives").unwrap_or_default();
    primitives.iter().any(|primitive| !list(primitive, "targets").unwrap_or_default().is_empty())
}
