//! Animations.

use super::findings::Findings;
use super::nodes::UNIT_TOLERANCE;
use super::{Checked, FLOAT, has_format};
use crate::formats::gltf::clips::Clip;
use crate::formats::gltf::lists::{count_of, get, index_of, list, word};
use crate::motion::keys::{Property, Track};
use crate::syntax_tree::fields::Item;
use glam::DVec4;
use std::collections::HashSet;

/// Checks all animations. `clips` are what was read from them.
pub(super) fn check(checked: &Checked<'_>, clips: &[Clip], findings: &mut Findings) {
    // Whether each mesh has morph targets.
    let morphs: Vec<bool> = checked.lists.meshes.iter().map(has_morphs).collect();
    for (animation, clip) in checked.lists.animations.iter().zip(clips) {
        for sampler in list(animation, "samplers").unwrap_or_default() {
            check_sampler(checked, &sampler, findings);
        }
        let mut targets = HashSet::new();
        for channel in list(animation, "channels").unwrap_or_default() {
            check_channel(checked, &morphs, &channel, &mut targets, findings);
        }
        clip.tracks.iter().for_each(|track| check_track(animation, track, findings));
    }
}

fn check_sampler(checked: &Checked<'_>, sampler: &Item<'_>, findings: &mut Findings) {
    let Some(input) = checked.accessor(sampler, "input") else { return };
    if !has_format(input, "SCALAR", &[FLOAT]) {
        findings.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", sampler, "its times are not SCALAR floats");
    }
    if get(input, "min").is_none() || get(input, "max").is_none() {
        findings.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", sampler, "its times lack `min` and `max`");
    }
    let is_cubic = word(sampler, "interpolation").is_ok_and(|word| word == Some("CUBICSPLINE"));
    if is_cubic && count_of(input, "count").ok().flatten().unwrap_or(0) < 2 {
        let what = "a CUBICSPLINE needs at least two keys";
        findings.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", sampler, what);
    }
}

/// Checks the target of a channel; `targets` are those of the channels before.
fn check_channel<'a>(
    checked: &Checked<'a>,
    morphs: &[bool],
    channel: &Item<'a>,
    targets: &mut HashSet<(usize, &'a str)>,
    findings: &mut Findings,
) {
    let lists = checked.lists;
    let Some(target) = get(channel, "target") else { return };
    let Ok(Some(path)) = word(&target, "path") else { return };
    if !["translation", "rotation", "scale", "weights"].contains(&path) {
        if get(&target, "extensions").is_none() {
            findings.add("VALUE_NOT_IN_LIST", channel, "its target path is unknown and ignored");
        }
        return;
    }
    let Some(node) = index_of(&target, "node", &lists.nodes, "node").ok().flatten() else { return };
    if !targets.insert((node, path)) {
        let what = format!("another channel also sets the {path} of node {node}; the last one is used");
        findings.add("ANIMATION_DUPLICATE_TARGETS", channel, what);
    }
    match path {
        "weights" if !checked.nodes.nodes[node].mesh.is_some_and(|mesh| morphs[mesh]) => {
            let what = format!("node {node} has no morph targets for `weights`");
            findings.add("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", channel, what);
        }
        "translation" | "rotation" | "scale" if get(&lists.nodes[node], "matrix").is_some() => {
            let what = format!("node {node} has a `matrix`, which its channels replace");
            findings.add("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", channel, what);
        }
        _ => {}
    }
}

/// Checks the keys of a track.
fn check_track(animation: &Item<'_>, track: &Track, findings: &mut Findings) {
    let node = track.node;
    // Without a buffer view all times are 0; the validator does not judge them either.
    let has_times = track.times.iter().any(|time| *time != 0.0);
    if let Some(at) = track.times.windows(2).position(|pair| has_times && pair[0] == pair[1]) {
        let what = format!("keys {at} and {} of node {node} have the same time; the second one is used", at + 1);
        findings.add("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", animation, what);
    }
    if track.property != Property::Rotation {
        return;
    }
    let lengths: Vec<f64> = track.key_values().map(DVec4::length).collect();
    let odd = |length: &f64| (length - 1.0).abs() > UNIT_TOLERANCE;
    if let Some(first) = lengths.iter().position(odd) {
        let count = lengths.iter().filter(|length| odd(length)).count();
        let what = format!(
            "{count} of {} rotations of node {node} are not of length 1 and are normalized; the first is key {first}, \
             of length {:.3}",
            lengths.len(),
            lengths[first]
        );
        findings.add("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", animation, what);
    }
}

fn has_morphs(mesh: &Item<'_>) -> bool {
    let primitives = list(mesh, "primitives").unwrap_or_default();
    primitives.iter().any(|primitive| !list(primitive, "targets").unwrap_or_default().is_empty())
}
