//! Animations of a glTF file.

use super::data::Data;
use super::lists::{index, require, word};
use super::morphs::Weights;
use super::nodes::Nodes;
use super::rig::Rig;
use crate::motion::keys::{Interpolation, NodeTree, Property, Track, WeightTrack};
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use fabrik3d_ik::Kind;
use glam::DVec4;
use std::ops::Range;

/// Largest deviation of a key from rest at which a node counts as not moving, relative to the figure.
const REST_TOLERANCE: f64 = 1e-3;

/// Largest deviation of a key from rest that is rounding, relative to the value and to the figure.
const ROUNDING: f64 = 5e-7;

/// A clip whose tracks refer to the nodes of the document.
pub(crate) struct Clip {
    pub name: String,
    pub tracks: Vec<Track>,
    pub weights: Vec<WeightTrack>,
    /// Time of the last key in seconds, also of what nothing here reads.
    pub end: f64,
}

/// Name of an animation without a name; `at` counts from 0.
pub(crate) fn unnamed(at: usize) -> String {
    format!("clip{at}")
}

/// Reads the clips. `weights` are those of the nodes.
pub(crate) fn read_clips(data: &Data<'_>, weights: &Weights) -> Read<Vec<Clip>> {
    let clip = |(at, item): (usize, &Item<'_>)| {
        let name = word(item, "name")?.filter(|name| !name.trim().is_empty());
        let name = name.map_or_else(|| unnamed(at), str::to_owned);
        let mut clip = Clip { name, tracks: Vec::new(), weights: Vec::new(), end: 0.0 };
        let (channels, samplers) = (require(item, "channels")?.list()?, require(item, "samplers")?.list()?);
        for channel in &channels {
            let sampler = &samplers[index(&require(channel, "sampler")?, &samplers, "sampler")?];
            let last = read_channel(data, channel, sampler, weights, &mut clip)?;
            clip.end = clip.end.max(last);
        }
        Ok(clip)
    };
    data.lists.animations.iter().enumerate().map(clip).collect()
}

/// Time of the last key of a sampler, if it can be read.
fn last_time(data: &Data<'_>, sampler: &Item<'_>) -> Option<f64> {
    let input = data.accessor(sampler, "input").ok()??;
    let [last] = *data.floats::<1>(&input).ok()?.last()?;
    Some(f64::from(last)).filter(|last| last.is_finite())
}

/// What a channel changes of its node.
enum Changed {
    Property(Property),
    Weights(Range<usize>),
}

/// Adds a channel to a clip, unless it changes nothing here (extensions, weights of a mesh without morph targets). Returns the
/// time of its last key.
fn read_channel(
    data: &Data<'_>,
    channel: &Item<'_>,
    sampler: &Item<'_>,
    weights: &Weights,
    clip: &mut Clip,
) -> Read<f64> {
    let target = require(channel, "target")?;
    let node = target.get("node").map(|node| index(&node, &data.lists.nodes, "node")).transpose()?;
    let changed = match (word(&target, "path")?, node) {
        (Some("translation"), Some(_)) => Changed::Property(Property::Place),
        (Some("rotation"), Some(_)) => Changed::Property(Property::Rotation),
        (Some("scale"), Some(_)) => Changed::Property(Property::Scale),
        (Some("weights"), Some(node)) if !weights.of[node].is_empty() => Changed::Weights(weights.of[node].clone()),
        _ => return Ok(last_time(data, sampler).unwrap_or(0.0)),
    };
    let interpolation = match word(sampler, "interpolation")? {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        Some(_) => return Err(sampler.fault("`interpolation` is not one of LINEAR, STEP and CUBICSPLINE")),
    };
    let input = data.accessor(sampler, "input")?.ok_or_else(|| sampler.fault("lacks the key `input`"))?;
    let output = data.accessor(sampler, "output")?.ok_or_else(|| sampler.fault("lacks the key `output`"))?;
    let times: Vec<f32> = data.floats::<1>(&input)?.into_iter().flatten().collect();
    if times.windows(2).any(|pair| pair[0] > pair[1]) || times[0] < 0.0 {
        return Err(sampler.fault("the times of its keys must be ascending and not negative"));
    }
    let check = |found: usize, per_value: usize| {
        let needed = times.len() * interpolation.values_per_key() * per_value;
        let message = || format!("{} times need {needed} values, found {found}", times.len());
        if found == needed { Ok(()) } else { Err(sampler.fault(message())) }
    };
    let last = times.last().map_or(0.0, |&last| last.into());
    match (changed, node) {
        (Changed::Weights(range), _) => {
            let values: Vec<f32> = data.floats::<1>(&output)?.into_iter().flatten().collect();
            check(values.len(), range.len()).map_err(|fault| {
                fault.hint(format!("its node has {} morph targets: each key has a value for each", range.len()))
            })?;
            clip.weights.push(WeightTrack { range, interpolation, times, values });
        }
        (Changed::Property(property), Some(node)) => {
            let values: Vec<[f32; 4]> = match property {
                Property::Rotation => data.floats::<4>(&output)?,
                _ => data.floats::<3>(&output)?.into_iter().map(|[x, y, z]| [x, y, z, 0.0]).collect(),
            };
            check(values.len(), 1)?;
            clip.tracks.push(Track { node, property, interpolation, times, values });
        }
        _ => {}
    }
    Ok(last)
}

/// Whether a clip translates the node of a joint, or without a parent joint, changes a node above it.
pub(crate) fn moves(clips: &[Clip], nodes: &Nodes, joint: usize, parent: Option<usize>) -> bool {
    let above: Vec<usize> = nodes.ancestors(joint).filter(|_| parent.is_none()).collect();
    let size = nodes.size();
    clips.iter().flat_map(|clip| &clip.tracks).any(|track| {
        let Track { node, property, .. } = *track;
        (above.contains(&node) || (node == joint && property == Property::Place))
            && deviation(nodes, track, size) > REST_TOLERANCE
    })
}

/// Largest deviation of a track from rest, relative to the size of the figure and to the value.
fn deviation(nodes: &Nodes, track: &Track, size: f64) -> f64 {
    let Track { node, property, .. } = *track;
    let local = &nodes.nodes[node].local;
    let (rest, scale) = match property {
        Property::Place => (local.place.extend(0.0), size.max(local.place.length())),
        Property::Rotation => (DVec4::from_array(local.rotation.to_array()), 1.0),
        Property::Scale => (local.scale.extend(0.0), 1.0),
    };
    track.deviation(rest) / scale
}

/// The joints that a clip moves on their parents, except for the free ones: it translates them, changes a node between
/// both in any way, or scales the parent or a node above it.
pub(crate) fn moved_joints(nodes: &Nodes, rig: &Rig, clip: &Clip) -> Vec<usize> {
    let count = nodes.nodes.len();
    let (mut placed, mut turned, mut scaled) = (vec![false; count], vec![false; count], vec![false; count]);
    let size = nodes.size();
    for track in clip.tracks.iter().filter(|track| deviation(nodes, track, size) > ROUNDING) {
        let Track { node, property, .. } = *track;
        match property {
            Property::Place => placed[node] = true,
            Property::Rotation => turned[node] = true,
            Property::Scale => scaled[node] = true,
        }
    }
    // Whether a child of the node is moved on the nearest joint above it, or on the world without one.
    let mut moves_children = vec![false; count];
    let mut moved = Vec::new();
    for &at in &nodes.order {
        let parent = nodes.nodes[at].parent;
        scaled[at] |= parent.is_some_and(|parent| scaled[parent]);
        let is_moved = placed[at] || parent.is_some_and(|parent| moves_children[parent]);
        let joint = rig.joint[at];
        moves_children[at] = scaled[at] || (joint.is_none() && (is_moved || turned[at]));
        moved.extend(joint.filter(|&joint| is_moved && rig.joints[joint].kind != Kind::Free));
    }
    moved.sort_unstable();
    moved
}

/// The nodes of a document, parents first, and the index of each in that list.
pub(crate) fn node_tree(nodes: &Nodes, rig: &Rig) -> (NodeTree, Vec<usize>) {
    let mut place = vec![0; nodes.nodes.len()];
    nodes.order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
    let entry = |&node: &usize| (nodes.nodes[node].parent.map(|parent| place[parent]), nodes.nodes[node].local);
    let joints = rig.nodes.iter().zip(&rig.turn).map(|(&node, &turn)| (place[node], turn)).collect();
    (NodeTree { nodes: nodes.order.iter().map(entry).collect(), joints }, place)
}
