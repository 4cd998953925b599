//! Animations of a glTF file.

use super::data::Data;
use super::lists::{index, require, word};
use super::morphs::Weights;
use super::nodes::Nodes;
use crate::motion::keys::{Interpolation, Property, Track, WeightTrack};
use crate::syntax_tree::fault::{Fault, Read};
use crate::syntax_tree::fields::Item;
use glam::DVec4;
use std::ops::Range;

/// Largest deviation of a key from rest at which a node counts as not moving, relative to the figure.
pub(crate) const REST_TOLERANCE: f64 = 1e-3;

/// Largest deviation of a key from rest that is rounding, relative to the value and to the figure.
pub(crate) const ROUNDING: f64 = 5e-7;

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

/// The clips, and a sentence about each one that cannot be read: the figure and its other clips do not depend on it. `weights` are
/// those of the nodes.
pub(crate) fn read_clips(data: &Data<'_>, weights: &Weights) -> (Vec<Clip>, Vec<String>) {
    let (mut clips, mut unread) = (Vec::new(), Vec::new());
    for (at, item) in data.lists.animations.iter().enumerate() {
        match read_clip(data, item, at, weights) {
            Ok(clip) => clips.push(clip),
            Err(fault) => {
                let message = format!("a clip is left out: {}", fault.message);
                unread.push(data.warning(Fault { message, ..fault }));
            }
        }
    }
    (clips, unread)
}

fn read_clip(data: &Data<'_>, item: &Item<'_>, at: usize, weights: &Weights) -> Read<Clip> {
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
    // A clip starts at 0. Keys before that are not shown, but the way from the last of them to the next is.
    if times.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(sampler.fault("the times of its keys must be ascending"));
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

/// Which properties of each node clips change.
pub(crate) struct Moved {
    pub placed: Vec<bool>,
    pub turned: Vec<bool>,
    pub scaled: Vec<bool>,
}

impl Moved {
    /// By these tracks, where they deviate from rest by more than a tolerance relative to the figure.
    pub fn by<'a>(nodes: &Nodes, tracks: impl Iterator<Item = &'a Track>, tolerance: f64) -> Self {
        let none = || vec![false; nodes.nodes.len()];
        let mut moved = Moved { placed: none(), turned: none(), scaled: none() };
        let size = nodes.size();
        for track in tracks.filter(|track| deviation(nodes, track, size) > tolerance) {
            let list = match track.property {
                Property::Place => &mut moved.placed,
                Property::Rotation => &mut moved.turned,
                Property::Scale => &mut moved.scaled,
            };
            list[track.node] = true;
        }
        moved
    }

    pub fn has(&self, node: usize) -> bool {
        self.placed[node] || self.turned[node] || self.scaled[node]
    }
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
