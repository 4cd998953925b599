//! Warnings that explain a picture that looks wrong: where a file breaks the specification and the readers have to choose.
//!
//! Each warning ends with the code by which the Khronos validator names the violation (its file ISSUES.md lists them). The
//! validator has the other rules; anything that would be misread is an error of the readers.

use super::data::Data;
use super::lists::{Lists, index_of, list, word};
use super::nodes::{Node, Nodes};
use crate::printable::short;
use crate::references::plain;
use crate::syntax_tree::fault::Fault;
use crate::syntax_tree::fields::Item;
use glam::DMat4;
use std::collections::{BTreeMap, HashSet};

/// Largest deviation of a matrix from one that translates, rotates and scales, relative to its longest axis.
const SHEAR_TOLERANCE: f64 = 5e-5;

/// Most warnings with the same code; the rest is counted.
const MOST: usize = 10;

/// One sentence for each violation. The reader of the rig runs first, so the references that it follows are valid.
pub(super) fn warnings(data: &Data<'_>, nodes: &Nodes) -> Vec<String> {
    let lists = data.lists;
    let mut warnings = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut add = |code: &'static str, item: &Item<'_>, what: &str| {
        let count = counts.entry(code).or_default();
        *count += 1;
        if *count <= MOST {
            warnings.push(format!("{} ({code})", item.fault(what).message));
        }
    };
    for (item, node) in lists.nodes.iter().zip(&nodes.nodes) {
        check_transform(item, node.local.matrix.as_ref(), &mut add);
        check_skin(lists, item, node, &mut add);
    }
    for animation in &lists.animations {
        let mut targets = HashSet::new();
        for channel in list(animation, "channels").unwrap_or_default() {
            check_channel((lists, &nodes.nodes), &channel, &mut targets, &mut add);
        }
    }
    for (code, count) in counts.into_iter().filter(|(_, count)| *count > MOST) {
        warnings.push(format!("{} more warnings are like the {MOST} above ({code})", count - MOST));
    }
    warnings.extend(missing_elements(data));
    let files = lists.buffers.iter().chain(&lists.images);
    warnings.extend(files.filter_map(|file| {
        let uri = word(file, "uri").ok()?.filter(|uri| leaves_folder(&plain(uri)))?;
        Some(file.fault(format!("its `uri` is {}, outside of the folder of this file", short(uri))).message)
    }));
    warnings
}

/// The accessors whose elements the file does not have. Where something here reads them, that is an error of the reader.
fn missing_elements(data: &Data<'_>) -> Vec<String> {
    let faults = data.lists.accessors.iter().filter_map(|accessor| data.check(accessor).err());
    let remedy = "other programs may refuse the file: export it again";
    let mut warnings: Vec<String> =
        faults.map(|fault| Fault { place: None, ..fault }.hint(remedy).warning("")).collect();
    let more = warnings.len().saturating_sub(MOST);
    warnings.truncate(MOST);
    warnings.extend((more > 0).then(|| format!("{more} more accessors have elements that are not in the file")));
    warnings
}

/// Whether a relative path leads out of the folder that it begins in.
fn leaves_folder(path: &str) -> bool {
    let mut depths = path.split('/').filter(|part| !["", "."].contains(part)).scan(0, |depth, part| {
        *depth += if part == ".." { -1 } else { 1 };
        Some(*depth)
    });
    depths.any(|depth| depth < 0)
}

/// Checks the transform of a node; `matrix` is the one that the reader uses.
fn check_transform(item: &Item<'_>, matrix: Option<&DMat4>, add: &mut impl FnMut(&'static str, &Item<'_>, &str)) {
    let parts = ["translation", "rotation", "scale"];
    if let Some(part) = parts.into_iter().find(|part| item.get(part).is_some() && item.get("matrix").is_some()) {
        let used = if matrix.is_some() { "only the matrix counts" } else { "the matrix is the identity and ignored" };
        add("NODE_MATRIX_TRS", item, &format!("has a `matrix` beside its `{part}`; {used}"));
    }
    if matrix.is_some_and(is_sheared) {
        let what =
            "its `matrix` shears or flattens; it is used as it is, but a joint only turns as near to it as it can";
        add("NODE_MATRIX_NON_TRS", item, what);
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

/// Checks that a node has a skin if its mesh has joints, and no other.
fn check_skin(lists: &Lists<'_>, item: &Item<'_>, node: &Node, add: &mut impl FnMut(&'static str, &Item<'_>, &str)) {
    let Some(mesh) = node.mesh.map(|mesh| &lists.meshes[mesh]) else { return };
    let has_joints = |primitive: &Item<'_>| {
        primitive.get("attributes").is_some_and(|attributes| attributes.get("JOINTS_0").is_some())
    };
    match (node.skin.is_some(), list(mesh, "primitives").unwrap_or_default().iter().any(has_joints)) {
        (true, false) => {
            let what = "has a skin, but its mesh has no joints and stays rigid";
            add("NODE_SKIN_WITH_NON_SKINNED_MESH", item, what);
        }
        (false, true) => {
            let what = "has no skin for the joints of its mesh, which stays rigid";
            add("NODE_SKINNED_MESH_WITHOUT_SKIN", item, what);
        }
        _ => {}
    }
}

/// Checks the target of a channel; `targets` are those of the channels before.
fn check_channel<'a>(
    (lists, nodes): (&Lists<'a>, &[Node]),
    channel: &Item<'a>,
    targets: &mut HashSet<(usize, &'a str)>,
    add: &mut impl FnMut(&'static str, &Item<'_>, &str),
) {
    let Some(target) = channel.get("target") else { return };
    let Ok(Some(path)) = word(&target, "path") else { return };
    let Some(node) = index_of(&target, "node", &lists.nodes, "node").ok().flatten() else { return };
    if !targets.insert((node, path)) {
        let what = format!("another channel also sets the {path} of node {node}; the last one is used");
        add("ANIMATION_DUPLICATE_TARGETS", channel, &what);
    }
    let has_targets = |mesh: usize| {
        let primitives = list(&lists.meshes[mesh], "primitives").unwrap_or_default();
        primitives.iter().any(|primitive| primitive.get("targets").is_some())
    };
    if path == "weights" && !nodes[node].mesh.is_some_and(has_targets) {
        let what = format!("node {node} shows no mesh with morph targets, so its weights change nothing");
        add("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", channel, &what);
    }
    let moves = ["translation", "rotation", "scale"].contains(&path);
    if moves && lists.nodes[node].get("matrix").is_some() {
        let what = format!("node {node} has a `matrix`, which its channels replace");
        add("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", channel, &what);
    }
}
