//! Skins, and the scenes that show them.

use super::findings::Findings;
use super::trees::Trees;
use super::{Checked, FLOAT, has_format, numbers};
use crate::formats::gltf::data::accessor;
use crate::formats::gltf::lists::{count_of, get, index_of};
use crate::syntax_tree::fields::Item;
use std::collections::HashSet;

/// Largest deviation of the last row of a matrix from 0, 0, 0, 1.
const ROW_TOLERANCE: f32 = 1e-6;

/// Checks all skins, and that the default scene has the joints of the skins that it uses.
pub(super) fn check(checked: &Checked<'_>, findings: &mut Findings) {
    let trees = Trees::new(checked.nodes);
    for skin in &checked.lists.skins {
        check_skin(checked, &trees, skin, findings);
    }
    check_scene(checked, findings);
}

fn check_skin(checked: &Checked<'_>, trees: &Trees, skin: &Item<'_>, findings: &mut Findings) {
    let lists = checked.lists;
    let joints = numbers(skin, "joints");
    let distinct: HashSet<usize> = joints.iter().copied().collect();
    if distinct.len() < joints.len() {
        findings.add("DUPLICATE_ELEMENTS", skin, "lists a joint twice");
    }
    if let Some(matrices) = checked.accessor(skin, "inverseBindMatrices") {
        if !has_format(matrices, "MAT4", &[FLOAT]) {
            findings.add("SKIN_IBM_INVALID_FORMAT", skin, "its `inverseBindMatrices` are not MAT4 of floats");
        }
        let count = count_of(matrices, "count").ok().flatten().unwrap_or(0);
        if count < joints.len() {
            let what = format!("{} joints need as many `inverseBindMatrices`, found {count}", joints.len());
            findings.add("INVALID_IBM_ACCESSOR_COUNT", skin, what);
        }
        // Without a buffer view there is no data to judge: all numbers are 0.
        let reference = accessor(lists, skin, "inverseBindMatrices").ok().flatten();
        let reference = reference.filter(|_| get(matrices, "bufferView").is_some());
        let matrices = reference.and_then(|reference| checked.data.floats::<16>(&reference).ok()).unwrap_or_default();
        if let Some(at) = matrices.iter().position(|matrix| !is_affine(matrix)) {
            let what = format!("the last row of inverse bind matrix {at} is not 0, 0, 0, 1; it is taken as such");
            findings.add("ACCESSOR_INVALID_IBM", skin, what);
        }
    }
    if joints.iter().map(|&joint| trees.root[joint]).collect::<HashSet<usize>>().len() > 1 {
        findings.add("SKIN_NO_COMMON_ROOT", skin, "its joints have no common root");
    }
    match index_of(skin, "skeleton", &lists.nodes, "node").ok().flatten() {
        Some(top) if !joints.iter().all(|&joint| trees.is_below(joint, top)) => {
            let what = format!("its `skeleton`, node {top}, is not above all of its joints");
            findings.add("SKIN_SKELETON_INVALID", skin, what);
        }
        _ => {}
    }
}

/// Whether the last row of a matrix, given column by column, is 0, 0, 0, 1.
fn is_affine(matrix: &[f32; 16]) -> bool {
    let row = [3, 7, 11, 15].map(|at| matrix[at]);
    row.iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(found, expected)| (found - expected).abs() <= ROW_TOLERANCE)
}

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
