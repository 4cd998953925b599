//! Clips: key frames of nodes, and the poses they stand for.

use super::data::{Data, accessor};
use super::lists::{Lists, get, index, require, word};
use super::nodes::{Nodes, Transform, rotation_of};
use super::rig::Rig;
use crate::formats::character::nearest_coordinates;
use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use fabrik3d_ik::{Isometry, Pose, Skeleton};
use glam::{DMat4, DQuat, DVec4};
use std::sync::Arc;

/// Key frames of a clip, for the nodes of a glTF file.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    stage: Arc<Stage>,
    tracks: Vec<Track>,
    end: f64,
}

/// The nodes at rest, shared by the clips of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    /// Nodes, parents first: the parent's place in this list, and the transform at rest.
    nodes: Vec<(Option<usize>, Transform)>,
    /// For each joint, its node in that list, and the rotation from its axes to the joint's frame.
    joints: Vec<(usize, DQuat)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Property {
    Place,
    Rotation,
    Scale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    Cubic,
}

/// One property of one node over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    /// Index in the stage's list.
    node: usize,
    property: Property,
    interpolation: Interpolation,
    /// Seconds, never falling.
    times: Vec<f32>,
    /// One value for each time; of cubic tracks three: tangent in, value, tangent out. Vectors have w = 0.
    values: Vec<[f32; 4]>,
}

/// A clip whose nodes are still those of the document.
pub(crate) struct Clip {
    pub name: String,
    pub tracks: Vec<Track>,
}

/// What an animation without a name is called; numbers count from 0.
pub(crate) fn unnamed(at: usize) -> String {
    format!("clip{at}")
}

/// Reads all animations.
pub(crate) fn read_clips(lists: &Lists<'_>, data: &Data<'_>) -> Read<Vec<Clip>> {
    let clip = |(at, item): (usize, &Item<'_>)| {
        let name = word(item, "name")?.filter(|name| !name.trim().is_empty());
        let mut tracks = Vec::new();
        let (channels, samplers) = (require(item, "channels")?.list()?, require(item, "samplers")?.list()?);
        for channel in &channels {
            let sampler = &samplers[index(&require(channel, "sampler")?, &samplers, "sampler")?];
            tracks.extend(read_track(lists, data, channel, sampler)?);
        }
        Ok(Clip { name: name.map_or_else(|| unnamed(at), str::to_owned), tracks })
    };
    lists.animations.iter().enumerate().map(clip).collect()
}

/// Reads a channel; none for what does not move joints: morph weights, extensions.
fn read_track(lists: &Lists<'_>, data: &Data<'_>, channel: &Item<'_>, sampler: &Item<'_>) -> Read<Option<Track>> {
    let target = require(channel, "target")?;
    let property = match word(&target, "path")? {
        Some("translation") => Property::Place,
        Some("rotation") => Property::Rotation,
        Some("scale") => Property::Scale,
        _ => return Ok(None),
    };
    let Some(node) = get(&target, "node") else { return Ok(None) };
    let node = index(&node, &lists.nodes, "node")?;
    let interpolation = match word(sampler, "interpolation")? {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        Some(_) => return Err(sampler.fault("`interpolation` is not one of LINEAR, STEP and CUBICSPLINE")),
    };
    let input = accessor(lists, sampler, "input")?.ok_or_else(|| sampler.fault("lacks the key `input`"))?;
    let output = accessor(lists, sampler, "output")?.ok_or_else(|| sampler.fault("lacks the key `output`"))?;
    let times: Vec<f32> = data.floats::<1>(&input)?.into_iter().flatten().collect();
    if times.windows(2).any(|pair| pair[0] > pair[1]) || times[0] < 0.0 {
        return Err(sampler.fault("the times of its keys must not fall, nor be below 0"));
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

impl Track {
    /// The node, by its index in the document, and what is moved.
    pub fn target(&self) -> (usize, Property) {
        (self.node, self.property)
    }

    /// How far the values leave one that stays.
    pub fn deviation(&self, from: DVec4) -> f64 {
        let each = if self.interpolation == Interpolation::Cubic { 3 } else { 1 };
        let values = self.values.iter().skip(each / 2).step_by(each);
        values.map(|value| (value_of(value) - from).length()).fold(0.0, f64::max)
    }

    /// The value at a time; before the first key and after the last, that key's.
    fn sample(&self, seconds: f64) -> DVec4 {
        let after = self.times.partition_point(|&time| f64::from(time) <= seconds);
        let (last, each) = (self.times.len() - 1, if self.interpolation == Interpolation::Cubic { 3 } else { 1 });
        let key = |at: usize| value_of(&self.values[at * each + each / 2]);
        let (Some(from), true) = (after.checked_sub(1), after <= last) else { return key(after.min(last)) };
        let span = f64::from(self.times[after]) - f64::from(self.times[from]);
        let part = (seconds - f64::from(self.times[from])) / span;
        match self.interpolation {
            Interpolation::Step => key(from),
            Interpolation::Linear if self.property == Property::Rotation => {
                let [a, b] = [from, after].map(|at| rotation(key(at)));
                DVec4::from_array(a.slerp(b, part).to_array())
            }
            Interpolation::Linear => key(from).lerp(key(after), part),
            Interpolation::Cubic => {
                let out = value_of(&self.values[from * 3 + 2]) * span;
                let into = value_of(&self.values[after * 3]) * span;
                let (t, t2, t3) = (part, part * part, part * part * part);
                key(from) * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + out * (t3 - 2.0 * t2 + t)
                    + key(after) * (3.0 * t2 - 2.0 * t3)
                    + into * (t3 - t2)
            }
        }
    }
}

fn value_of(value: &[f32; 4]) -> DVec4 {
    DVec4::from_array(value.map(f64::from))
}

/// A quaternion of any length as a rotation.
fn rotation(value: DVec4) -> DQuat {
    let quaternion = DQuat::from_vec4(value);
    if quaternion.length_squared() > 1e-12 { quaternion.normalize() } else { DQuat::IDENTITY }
}

impl Stage {
    /// The nodes of a document, and where each of them stands in the list.
    pub fn new(nodes: &Nodes, rig: &Rig) -> (Self, Vec<usize>) {
        let mut place = vec![0; nodes.nodes.len()];
        nodes.order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let entry = |&node: &usize| (nodes.nodes[node].parent.map(|parent| place[parent]), nodes.nodes[node].local);
        let joints = rig.nodes.iter().zip(&rig.turn).map(|(&node, &turn)| (place[node], turn)).collect();
        (Stage { nodes: nodes.order.iter().map(entry).collect(), joints }, place)
    }
}

impl Keys {
    /// The key frames of a clip on a stage whose nodes stand at `place`.
    pub(crate) fn new(stage: Arc<Stage>, place: &[usize], mut tracks: Vec<Track>) -> Self {
        tracks.iter_mut().for_each(|track| track.node = place[track.node]);
        let last = tracks.iter().filter_map(|track| track.times.last());
        let end = last.fold(0.0, |end: f64, &time| end.max(f64::from(time)));
        Keys { stage, tracks, end }
    }

    /// Time of the last key, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The pose at a time. Joints keep their distances: of inner joints only the rotations are taken.
    pub(crate) fn pose(&self, skeleton: &Skeleton, seconds: f64) -> Pose {
        let mut locals: Vec<Transform> = self.stage.nodes.iter().map(|(_, local)| *local).collect();
        for track in &self.tracks {
            let value = track.sample(seconds);
            let local = &mut locals[track.node];
            // A node with a matrix cannot be animated; if one is, its channels count.
            local.matrix = None;
            match track.property {
                Property::Place => local.place = value.truncate(),
                Property::Rotation => local.rotation = rotation(value),
                Property::Scale => local.scale = value.truncate(),
            }
        }
        let mut world: Vec<DMat4> = Vec::with_capacity(locals.len());
        for ((parent, _), local) in self.stage.nodes.iter().zip(&locals) {
            world.push(parent.map_or(DMat4::IDENTITY, |parent| world[parent]) * local.matrix());
        }
        let frame = |&(node, turn): &(usize, DQuat)| {
            Isometry::new(world[node].w_axis.truncate(), (rotation_of(&world[node]) * turn).normalize())
        };
        let frames: Vec<Isometry> = self.stage.joints.iter().map(frame).collect();
        pose_of(skeleton, &frames)
    }
}

/// The pose whose joints turn as these frames do; joints that are free are also where those are.
pub(crate) fn pose_of(skeleton: &Skeleton, frames: &[Isometry]) -> Pose {
    let coordinates = |(at, joint): (usize, &fabrik3d_ik::Joint)| {
        let parent = joint.parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        let rest = skeleton.rest_frame(at, parent);
        let turn = (rest.rotation.conjugate() * frames[at].rotation).normalize();
        nearest_coordinates(&joint.kind, rest.local(frames[at].position), turn)
    };
    skeleton.joints().iter().enumerate().map(coordinates).collect()
}
