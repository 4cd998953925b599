//! What the specification forbids and can be read all the same: told, so that nobody takes such a file for a sound one.
//!
//! The rules are those of the glTF 2.0 specification that are about skins and animations, as Khronos's validator checks
//! them. What would be misread is an error of the readers instead.

use super::lists::{Lists, count_of, get, index_of, list, word};
use super::nodes::Nodes;
use crate::scene::document::{Item, Read};
use std::collections::HashSet;

/// One sentence for each doubt about skins, animations and what scenes show, in file order.
pub(super) fn doubts(lists: &Lists<'_>, nodes: &Nodes) -> Vec<String> {
    let mut doubts = Doubts { lists, nodes, said: Vec::new() };
    lists.skins.iter().for_each(|skin| doubts.skin(skin));
    lists.animations.iter().for_each(|animation| doubts.animation(animation));
    lists.scenes.iter().for_each(|scene| doubts.scene(scene));
    doubts.said
}

struct Doubts<'a> {
    lists: &'a Lists<'a>,
    nodes: &'a Nodes,
    said: Vec<String>,
}

/// Component type of floats.
const FLOAT: usize = 5126;

impl<'a> Doubts<'a> {
    fn say(&mut self, item: &Item<'_>, what: impl AsRef<str>) {
        self.said.push(item.fault(what).message);
    }

    /// What a reader found; a fault of what nobody uses is a doubt.
    fn found<T>(&mut self, found: Read<Option<T>>) -> Option<T> {
        found.unwrap_or_else(|fault| {
            self.said.push(fault.message);
            None
        })
    }

    /// The accessor of a key; a doubt where it does not exist.
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
        let (lists, nodes) = (self.lists, self.nodes);
        // The joints were read before, for the rig.
        let items = list(skin, "joints").unwrap_or_default();
        let joints: Vec<usize> = items.iter().filter_map(|item| super::lists::count(item).ok()).collect();
        if let Some(matrices) = self.accessor(skin, "inverseBindMatrices") {
            if !self.has_format(matrices, "MAT4", &[FLOAT]) {
                self.say(skin, "its `inverseBindMatrices` are not MAT4 of floats");
            }
            let count = self.found(count_of(matrices, "count")).unwrap_or(0);
            if count < joints.len() {
                self.say(skin, format!("{} joints need as many `inverseBindMatrices`, found {count}", joints.len()));
            }
        }
        let shared = joints.iter().map(|&joint| nodes.path(joint)).reduce(|shared, path| {
            let same = shared.iter().zip(&path).take_while(|(a, b)| a == b).count();
            shared[..same].to_vec()
        });
        let shared = shared.unwrap_or_default();
        if shared.is_empty() {
            self.say(skin, "its joints have no root in common");
        }
        match self.found(index_of(skin, "skeleton", &lists.nodes, "node")) {
            Some(root) if !shared.contains(&root) => {
                self.say(skin, format!("its `skeleton`, node {root}, does not carry all of its joints"));
            }
            _ => {}
        }
    }

    fn animation(&mut self, animation: &Item<'_>) {
        let samplers = list(animation, "samplers").unwrap_or_default();
        for sampler in &samplers {
            let Some(input) = self.accessor(sampler, "input") else { continue };
            if !self.has_format(input, "SCALAR", &[FLOAT]) {
                self.say(sampler, "its times are not SCALAR floats");
            }
            if get(input, "min").is_none() || get(input, "max").is_none() {
                self.say(sampler, "its times lack `min` and `max`");
            }
            let is_cubic = word(sampler, "interpolation").is_ok_and(|word| word == Some("CUBICSPLINE"));
            if is_cubic && self.found(count_of(input, "count")).unwrap_or(0) < 2 {
                self.say(sampler, "a CUBICSPLINE needs two keys or more");
            }
        }
        let mut targets = HashSet::new();
        for channel in list(animation, "channels").unwrap_or_default() {
            self.channel(&channel, &mut targets);
        }
    }

    /// What a channel moves; `targets` are those of the channels before.
    fn channel(&mut self, channel: &Item<'_>, targets: &mut HashSet<(usize, &'a str)>) {
        let lists = self.lists;
        let Some(target) = get(channel, "target") else { return };
        let node = index_of(&target, "node", &lists.nodes, "node").ok().flatten();
        let (Some(node), Some(path)) = (node, self.path(channel)) else { return };
        if !targets.insert((node, path)) {
            self.say(channel, format!("another channel moves the {path} of node {node}"));
        }
        let moved = &self.nodes.nodes[node];
        match path {
            "weights" if !moved.mesh.is_some_and(|mesh| has_morphs(&lists.meshes[mesh])) => {
                self.say(channel, format!("node {node} has no morph targets that `weights` could move"));
            }
            "weights" => self.say(channel, "morph targets are not shown"),
            "translation" | "rotation" | "scale" if get(&lists.nodes[node], "matrix").is_some() => {
                self.say(channel, format!("node {node} has a `matrix` and cannot be moved"));
            }
            _ => {}
        }
    }

    /// The path of a channel's target, as one of the words of the specification.
    fn path(&mut self, channel: &Item<'_>) -> Option<&'static str> {
        let target = get(channel, "target")?;
        let path = self.found(word(&target, "path"))?;
        let known = ["translation", "rotation", "scale", "weights"].into_iter().find(|known| *known == path);
        if known.is_none() && get(&target, "extensions").is_none() {
            self.say(channel, "what it moves is not known, and left out");
        }
        known
    }

    /// Who shows a skin must show its joints as well.
    fn scene(&mut self, scene: &Item<'_>) {
        let lists = self.lists;
        let roots: HashSet<usize> =
            list(scene, "nodes").unwrap_or_default().iter().filter_map(|item| super::lists::count(item).ok()).collect();
        let shown = |node: usize| self.nodes.path(node).iter().any(|above| roots.contains(above));
        let lost = (0..lists.nodes.len()).find(|&at| {
            let skin = self.nodes.nodes[at].skin.filter(|_| shown(at));
            let joints = skin.map(|skin| list(&lists.skins[skin], "joints").unwrap_or_default()).unwrap_or_default();
            joints.iter().filter_map(|item| super::lists::count(item).ok()).any(|joint| !shown(joint))
        });
        if let Some(at) = lost {
            self.say(scene, format!("it shows node {at}, and not the joints of its skin"));
        }
    }
}

fn has_morphs(mesh: &Item<'_>) -> bool {
    let primitives = list(mesh, "primitives").unwrap_or_default();
    primitives.iter().any(|primitive| !list(primitive, "targets").unwrap_or_default().is_empty())
}
