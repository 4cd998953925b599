//! Nodes and scenes.

use super::Checked;
use super::findings::Findings;
use crate::formats::gltf::lists::{get, list};
use crate::syntax_tree::fields::Item;
use glam::{DMat4, DQuat};

/// Largest deviation of the length of a quaternion from 1: that of components with 8 bits.
pub(super) const UNIT_TOLERANCE: f64 = 0.00769;

/// Largest deviation of a matrix from one that translates, rotates and scales, relative to its longest axis.
const SHEAR_TOLERANCE: f64 = 5e-5;

/// Checks the nodes.
pub(super) fn check(checked: &Checked<'_>, findings: &mut Findings) {
    for (item, node) in checked.lists.nodes.iter().zip(&checked.nodes.nodes) {
        transform(item, node.local.matrix.as_ref(), findings);
        if let Some(mesh) = node.mesh.map(|mesh| &checked.lists.meshes[mesh]) {
            let is_skinned = primitives(mesh).iter().any(has_joints);
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
            weights(item, mesh, "NODE_WEIGHTS_INVALID", findings);
        }
    }
    for mesh in &checked.lists.meshes {
        weights(mesh, mesh, "MESH_INVALID_WEIGHTS_COUNT", findings);
    }
    for scene in &checked.lists.scenes {
        for root in super::numbers(scene, "nodes") {
            if let Some(parent) = checked.nodes.nodes[root].parent {
                let what = format!("node {root} is not a root: it is a child of node {parent}");
                findings.add("SCENE_NON_ROOT_NODE", scene, what);
            }
        }
    }
}

/// Checks the transform of a node; `matrix` is the one that the reader uses.
fn transform(item: &Item<'_>, matrix: Option<&DMat4>, findings: &mut Findings) {
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
    let rotation = get(item, "rotation").and_then(|rotation| rotation.numbers("").ok()).map(DQuat::from_array);
    if let Some(length) = rotation.map(DQuat::length).filter(|length| (length - 1.0).abs() > UNIT_TOLERANCE) {
        findings.add("ROTATION_NON_UNIT", item, format!("its `rotation` has length {length:.3}; it is normalized"));
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

/// Checks the number of `weights` of a node or a mesh.
fn weights(item: &Item<'_>, mesh: &Item<'_>, code: &'static str, findings: &mut Findings) {
    let Some(weights) = get(item, "weights").and_then(|weights| weights.list().ok()) else { return };
    let targets = primitives(mesh).first().map_or(0, |primitive| list(primitive, "targets").map_or(0, |all| all.len()));
    if weights.len() != targets {
        findings.add(code, item, format!("has {} `weights` for {targets} morph targets", weights.len()));
    }
}

fn primitives<'i>(mesh: &Item<'i>) -> Vec<Item<'i>> {
    list(mesh, "primitives").unwrap_or_default()
}

fn has_joints(primitive: &Item<'_>) -> bool {
    get(primitive, "attributes").is_some_and(|attributes| get(&attributes, "JOINTS_0").is_some())
}
