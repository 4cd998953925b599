//! Animations of a glTF file.

use super::data::Data;
use super::lists::{index, require, word};
use super::nodes::Nodes;
use super::rig::Rig;
use crate::motion::keys::{Interpolation, NodeTree, Property, Track};
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;

/// A clip whose tracks refer to the nodes of the document.
pub(crate) struct Clip {
    pub name: String,
    pub tracks: Vec<Track>,
}

/// Name of an animation without a name; `at` counts from 0.
pub(crate) fn unnamed(at: usize) -> String {
    format!("clip{at}")
}

pub(crate) fn read_clips(data: &Data<'_>) -> Read<Vec<Clip>> {
    let clip = |(at, item): (usize, &Item<'_>)| {
        let name = word(item, "name")?.filter(|name| !name.trim().is_empty());
        let mut tracks = Vec::new();
        let (channels, samplers) = (require(item, "channels")?.list()?, require(item, "samplers")?.list()?);
        for channel in &channels {
            let sampler = &samplers[index(&require(channel, "sampler")?, &samplers, "sampler")?];
            tracks.extend(read_track(data, channel, sampler)?);
        }
        Ok(Clip { name: name.map_or_else(|| unnamed(at), str::to_owned), tracks })
    };
    data.lists.animations.iter().enumerate().map(clip).collect()
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

/// The nodes of a document, parents first, and the index of each in that list.
pub(crate) fn node_tree(nodes: &Nodes, rig: &Rig) -> (NodeTree, Vec<usize>) {
    let mut place = vec![0; nodes.nodes.len()];
    nodes.order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
    let entry = |&node: &usize| (nodes.nodes[node].parent.map(|parent| place[parent]), nodes.nodes[node].local);
    let joints = rig.nodes.iter().zip(&rig.turn).map(|(&node, &turn)| (place[node], turn)).collect();
    (NodeTree { nodes: nodes.order.iter().map(entry).collect(), joints }, place)
}
