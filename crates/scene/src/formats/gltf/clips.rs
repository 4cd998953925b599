//! Animations of a glTF file.

use super::data::Data;
use super::lists::{index, require, word};
use super::nodes::Nodes;
use super::rig::Rig;
use crate::motion::keys::{Interpolation, NodeTree, Property, Track};
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use fabrik3d_ik::Kind;
use glam::DVec4;

/// Largest deviation of a key from rest at which a node counts as not moving, relative to the figure.
const REST_TOLERANCE: f64 = 1e-3;

/// Largest deviation of a key from rest that is rounding, relative to the value and to the figure.
const ROUNDING: f64 = 5e-7;

/// A clip whose tracks refer to the nodes of the document.
pub(crate) struct Clip {
    pub name: String,
    pub tracks: Vec<Track>,
    /// Time of the last key in seconds, also of what moves no node, such as weights of morph targets.
    pub end: f64,
}

/// Name of an animation without a name; `at` counts from 0.
pub(crate) fn unnamed(at: usize) -> String {
    format!("clip{at}")
}

pub(crate) fn read_clips(data: &Data<'_>) -> Read<Vec<Clip>> {
    let clip = |(at, item): (usize, &Item<'_>)| {
        let name = word(item, "name")?.filter(|name| !name.trim().is_empty());
        let (mut tracks, mut end) = (Vec::new(), 0.0_f64);
        let (channels, samplers) = (require(item, "channels")?.list()?, require(item, "samplers")?.list()?);
        for channel in &channels {
            let sampler = &samplers[index(&require(channel, "sampler")?, &samplers, "sampler")?];
            match read_track(data, channel, sampler)? {
                Some(track) => {
                    end = end.max(track.times.last().map_or(0.0, |&last| last.into()));
                    tracks.push(track);
                }
                None => end = end.max(last_time(data, sampler).unwrap_or(0.0)),
            }
        }
        Ok(Clip { name: name.map_or_else(|| unnamed(at), str::to_owned), tracks, end })
    };
    data.lists.animations.iter().enumerate().map(clip).collect()
}

/// Time of the last key of a sampler, if it can be read.
fn last_time(data: &Data<'_>, sampler: &Item<'_>) -> Option<f64> {
    let input = data.accessor(sampler, "input").ok()??;
    let [last] = *data.floats::<1>(&input).ok()?.last()?;
    Some(f64::from(last)).filter(|last| last.is_finite())
}

/// Reads a channel; none if it does not move joints (morph weights, extensions).
fn read_track(data: &Data<'_>, channel: &Item<'_>, sampler: &Item<'_>) -> Read<Option<Track>> {
    let target = require(channel, "target")?;
    let property = match word(&target, "path")? {
        Some("translation") => Property::Place,
        Some("rotation") => Property::Rotation,
        Some("scale") => Property::Scale,
        _ => return Ok(None),
    };
    let Some(node) = target.get("node") else { return Ok(None) };
    let node = index(&node, &data.lists.nodes, "node")?;
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
    let values: Vec<[f32; 4]> = match property {
        Property::Rotation => data.floats::<4>(&output)?,
        _ => data.floats::<3>(&output)?.into_iter().map(|[x, y, z]| [x, y, z, 0.0]).collect(),
    };
    let each = if interpolation == Interpolation::Cubic { 3 } else { 1 };
    if values.len() != times.len() * each {
        let message = format!("{} times need {} values, found {}", times.len(), times.len() * each, values.len());
        return Err(sampler.fault(message));
    }
    Ok(Some(Track { node, property, interpolation, times, values }))
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
