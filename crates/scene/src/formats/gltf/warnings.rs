//! Warnings that explain a picture that looks wrong: where a file breaks the specification and the readers have to choose.
//!
//! Each warning ends with the code by which the Khronos validator names the violation (its file ISSUES.md lists them). The
//! validator has the other rules; anything that would be misread is an error of the readers.

use super::lists::{Lists, count, count_of, get, index_of, list, word};
use super::nodes::Nodes;
use crate::syntax_tree::fields::Item;
use glam::DMat4;
use std::collections::HashSet;

/// Component type of 32-bit floats.
const FLOAT: usize = 5126;

/// Largest deviation of a matrix from one that translates, rotates and scales, relative to its longest axis.
const SHEAR_TOLERANCE: f64 = 5e-5;

/// Most warnings with the same code; the rest is counted.
const MOST: usize = 10;

/// One sentence for each violation. The readers of rig and clips run first, so the references that they follow are valid.
pub(super) fn warnings(lists: &Lists<'_>, nodes: &Nodes) -> Vec<String> {
    let checked = Checked { lists, nodes };
    let mut findings = Findings::default();
    check_nodes(&checked, &mut findings);
    lists.skins.iter().for_each(|skin| check_skin(&checked, skin, &mut findings));
    check_scene(&checked, &mut findings);
    lists.animations.iter().for_each(|animation| check_animation(&checked, animation, &mut findings));
    findings.into_sentences()
}

/// Warnings, each with the code by which the Khronos validator names the violation.
#[derive(Default)]
struct Findings {
    warnings: Vec<String>,
    /// How often each code was found.
    counts: Vec<(&'static str, usize)>,
}

impl Findings {
    /// Adds a warning about an object.
    fn add(&mut self, code: &'static str, item: &Item<'_>, what: impl AsRef<str>) {
        let at = self.counts.iter().position(|(known, _)| *known == code).unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        });
        self.counts[at].1 += 1;
        if self.counts[at].1 <= MOST {
            self.warnings.push(format!("{} ({code})", item.fault(what).message));
        }
    }

    /// The sentences, with one more for each code that was found too often.
    fn into_sentences(mut self) -> Vec<String> {
        for (code, count) in self.counts.into_iter().filter(|(_, count)| *count > MOST) {
            self.warnings.push(format!("{} more warnings are like the {MOST} above ({code})", count - MOST));
        }
        self.warnings
    }
}

/// The document that is checked.
struct Checked<'a> {
    lists: &'a Lists<'a>,
    nodes: &'a Nodes,
}

impl<'a> Checked<'a> {
    /// The accessor of a key, if it exists.
    fn accessor(&self, item: &Item<'_>, key: &str) -> Option<&'a Item<'a>> {
        let at = index_of(item, key, &self.lists.accessors, "accessor").ok().flatten()?;
        Some(&self.lists.accessors[at])
    }
}

fn has_format(accessor: &Item<'_>, kind: &str, components: &[usize]) -> bool {
    let component = count_of(accessor, "componentType").ok().flatten();
    word(accessor, "type") == Ok(Some(kind)) && component.is_some_and(|component| components.contains(&component))
}

/// Indices of nodes, already checked by the readers.
fn numbers(item: &Item<'_>, key: &str) -> Vec<usize> {
    list(item, key).unwrap_or_default().iter().filter_map(|item| count(item).ok()).collect()
}

fn check_nodes(checked: &Checked<'_>, findings: &mut Findings) {
    for (item, node) in checked.lists.nodes.iter().zip(&checked.nodes.nodes) {
        check_transform(item, node.local.matrix.as_ref(), findings);
        let Some(mesh) = node.mesh.map(|mesh| &checked.lists.meshes[mesh]) else { continue };
        let is_skinned = list(mesh, "primitives").unwrap_or_default().iter().any(has_joints);
        match node.skin {
            Some(_) if !is_skinned => {
                let what = "has a skin, but its mesh has no joints and stays rigid";
                findings.add("NODE_SKIN_WITH_NON_SKINNED_MESH", item, what);
            }
            None if is_skinned => {
                let what = "has no skin for the joints of its mesh, which stays rigid";
                findings.add("NODE_SKINNED_MESH_WITHOUT_SKIN", item, what);
            }
            _ => {}
        }
    }
}

/// Checks the transform of a node; `matrix` is the one that the reader uses.
fn check_transform(item: &Item<'_>, matrix: Option<&DMat4>, findings: &mut Findings) {
    let parts = ["translation", "rotation", "scale"];
    if let Some(part) = parts.into_iter().find(|part| get(item, part).is_some() && get(item, "matrix").is_some()) {
        let used = if matrix.is_some() { "only the matrix counts" } else { "the matrix is the identity and ignored" };
        findings.add("NODE_MATRIX_TRS", item, format!("has a `matrix` beside its `{part}`; {used}"));
    }
    if matrix.is_some_and(is_sheared) {
        let what =
            "its `matrix` shears or flattens; it is used as it is, but a joint only turns as near to it as it can";
        findings.add("NODE_MATRIX_NON_TRS", item, what);
    }
}

/// Whether a matrix does more than translate, rotate and scale.
fn is_sheared(matrix: &DMat4) -> bool {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
    let longest = axes.iter().map(|axis| axis.length()).fold(0.0, f64::max);
    let [x, y, z] = axes.map(|axis| axis.normalize_or_zero());
    let volume = x.dot(y.cross(z)).abs();
    let slope = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
    longest <= 0.0 || volume < SHEAR_TOLERANCE || slope > SHEAR_TOLERANCE
}

fn has_joints(primitive: &Item<'_>) -> bool {
    get(primitive, "attributes").is_some_and(|attributes| get(&attributes, "JOINTS_0").is_some())
}

fn check_skin(checked: &Checked<'_>, skin: &Item<'_>, findings: &mut Findings) {
    let Some(matrices) = checked.accessor(skin, "inverseBindMatrices") else {
        // The reader follows the reference only for skins that a mesh has.
        if get(skin, "inverseBindMatrices").is_some() {
            findings.add("UNRESOLVED_REFERENCE", skin, "its `inverseBindMatrices` are no accessor of the file");
        }
        return;
    };
    if !has_format(matrices, "MAT4", &[FLOAT]) {
        findings.add("SKIN_IBM_INVALID_FORMAT", skin, "its `inverseBindMatrices` are not MAT4 of floats");
    }
    let (joints, count) = (numbers(skin, "joints").len(), count_of(matrices, "count").ok().flatten().unwrap_or(0));
    if count < joints {
        let what = format!("{joints} joints need as many `inverseBindMatrices`, found {count}");
        findings.add("INVALID_IBM_ACCESSOR_COUNT", skin, what);
    }
}

/// Checks that the default scene has the joints of the skins that it uses.
fn check_scene(checked: &Checked<'_>, findings: &mut Findings) {
    let lists = checked.lists;
    let opens = index_of(&lists.root, "scene", &lists.scenes, "scene").ok().flatten().unwrap_or(0);
    let Some(scene) = lists.scenes.get(opens) else { return };
    let mut shown = vec![false; lists.nodes.len()];
    numbers(scene, "nodes").into_iter().for_each(|node| shown[node] = true);
    for &node in &checked.nodes.order {
        shown[node] |= checked.nodes.nodes[node].parent.is_some_and(|parent| shown[parent]);
    }
    let whole = |skin: &Item<'_>| numbers(skin, "joints").into_iter().all(|joint| shown[joint]);
    let whole: Vec<bool> = lists.skins.iter().map(whole).collect();
    let is_lost = |&at: &usize| shown[at] && checked.nodes.nodes[at].skin.is_some_and(|skin| !whole[skin]);
    if let Some(at) = (0..lists.nodes.len()).find(is_lost) {
        let what = format!("it contains node {at}, but not the joints of its skin");
        findings.add("NODE_SKIN_NO_SCENE", scene, what);
    }
}

fn check_animation(checked: &Checked<'_>, animation: &Item<'_>, findings: &mut Findings) {
    for sampler in list(animation, "samplers").unwrap_or_default() {
        if checked.accessor(&sampler, "input").is_some_and(|input| !has_format(input, "SCALAR", &[FLOAT])) {
            let what = "its times are not SCALAR floats";
            findings.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", &sampler, what);
        }
    }
    let mut targets = HashSet::new();
    for channel in list(animation, "channels").unwrap_or_default() {
        check_channel(checked.lists, &channel, &mut targets, findings);
    }
}

/// Checks the target of a channel; `targets` are those of the channels before.
fn check_channel<'a>(
    lists: &Lists<'a>,
    channel: &Item<'a>,
    targets: &mut HashSet<(usize, &'a str)>,
    findings: &mut Findings,
) {
    let Some(target) = get(channel, "target") else { return };
    let Ok(Some(path)) = word(&target, "path") else { return };
    let Some(node) = index_of(&target, "node", &lists.nodes, "node").ok().flatten() else { return };
    if !targets.insert((node, path)) {
        let what = format!("another channel also sets the {path} of node {node}; the last one is used");
        findings.add("ANIMATION_DUPLICATE_TARGETS", channel, what);
    }
    let moves = ["translation", "rotation", "scale"].contains(&path);
    if moves && get(&lists.nodes[node], "matrix").is_some() {
        let what = format!("node {node} has a `matrix`, which its channels replace");
        findings.add("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", channel, what);
    }
}
