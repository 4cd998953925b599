//! Key frames of the nodes of a glTF file, and the poses that they describe.

use super::transform::{Transform, polar_rotation};
use crate::coordinates::nearest_pose;
use fabrik3d_ik::maths;
use fabrik3d_ik::{Isometry, Pose, Skeleton};
use glam::{DMat4, DQuat, DVec3, DVec4};
use std::ops::Range;
use std::sync::Arc;

/// The key frames of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    tree: Arc<NodeTree>,
    tracks: Vec<Track>,
    /// The weights of morphs over time.
    weights: Vec<WeightTrack>,
    /// The joints that leave their places on their parents in this clip, ascending: it translates them, or scales what they
    /// are fastened to. Free joints are not among them, their poses tell where they are.
    pub(crate) moved: Vec<usize>,
    /// Time of the last key, seconds.
    pub(crate) end: f64,
}

/// The nodes at rest; the clips of a file share them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeTree {
    /// Parent index and rest transform of each node, parents first.
    pub nodes: Vec<(Option<usize>, Transform)>,
    /// For each joint, the index of its node and the rotation from the node's axes to the joint's frame.
    pub joints: Vec<(usize, DQuat)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Property {
    Place,
    Rotation,
    Scale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Interpolation {
    Step,
    Linear,
    Cubic,
}

/// One property of one node over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    /// Index of the node.
    pub node: usize,
    pub property: Property,
    pub interpolation: Interpolation,
    /// Times of the keys in seconds, ascending.
    pub times: Vec<f32>,
    /// One value per key; for cubic tracks three: in-tangent, value, out-tangent. Vectors have w = 0.
    pub values: Vec<[f32; 4]>,
}

/// The weights of the morphs that a node shows over time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightTrack {
    /// Which of the weights of the scene they are.
    pub range: Range<usize>,
    pub interpolation: Interpolation,
    /// Times of the keys in seconds, ascending.
    pub times: Vec<f32>,
    /// As many values per key as there are weights; for cubic tracks three times: in-tangents, values, out-tangents.
    pub values: Vec<f32>,
}

impl WeightTrack {
    /// Sets its weights to their values at a time.
    fn apply(&self, seconds: f64, weights: &mut [f32]) {
        let shares = shares(self.interpolation, &self.times, seconds);
        let own = weights.get_mut(self.range.clone()).unwrap_or_default();
        let width = self.range.len();
        for (at, weight) in own.iter_mut().enumerate() {
            let parts = shares.map(|(key, share)| f64::from(self.values[key * width + at]) * share);
            *weight = parts.into_iter().sum::<f64>() as f32;
        }
    }
}

impl Interpolation {
    /// Stored values per key.
    pub fn values_per_key(self) -> usize {
        if self == Interpolation::Cubic { 3 } else { 1 }
    }
}

/// The stored values that make up the value at a time, each with its share. Before the first key and after the last one, the
/// value is that of the key.
fn shares(interpolation: Interpolation, times: &[f32], seconds: f64) -> [(usize, f64); 4] {
    let after = times.partition_point(|&time| f64::from(time) <= seconds);
    let (last, each) = (times.len() - 1, interpolation.values_per_key());
    let value = |key: usize| key * each + each / 2;
    let only = |key: usize| [(value(key), 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
    let (Some(from), true) = (after.checked_sub(1), after <= last) else { return only(after.min(last)) };
    let span = f64::from(times[after]) - f64::from(times[from]);
    let t = (seconds - f64::from(times[from])) / span;
    let (t2, t3) = (t * t, t * t * t);
    match interpolation {
        Interpolation::Step => only(from),
        Interpolation::Linear => [(from, 1.0 - t), (after, t), (0, 0.0), (0, 0.0)],
        Interpolation::Cubic => [
            (value(from), 2.0 * t3 - 3.0 * t2 + 1.0),
            (value(from) + 1, (t3 - 2.0 * t2 + t) * span),
            (value(after), 3.0 * t2 - 2.0 * t3),
            (value(after) - 1, (t3 - t2) * span),
        ],
    }
}

impl Track {
    /// Sets the property of the node, whose transform is `local`, to its value at a time.
    pub fn apply(&self, seconds: f64, local: &mut Transform) {
        let value = self.sample(seconds);
        // The specification forbids animating a node with a matrix. If a file does, the tracks replace the matrix.
        local.matrix = None;
        match self.property {
            Property::Place => local.place = value.truncate(),
            Property::Rotation => local.rotation = rotation(value),
            Property::Scale => local.scale = value.truncate(),
        }
    }

    /// Largest distance of the values from a constant.
    pub fn deviation(&self, from: DVec4) -> f64 {
        self.key_values().map(|value| (value - from).length()).fold(0.0, f64::max)
    }

    /// The value at each key, without tangents.
    pub fn key_values(&self) -> impl Iterator<Item = DVec4> {
        let each = self.interpolation.values_per_key();
        self.values.iter().skip(each / 2).step_by(each).map(value_of)
    }

    /// The value at a time, clamped to the first and last key.
    fn sample(&self, seconds: f64) -> DVec4 {
        let shares = shares(self.interpolation, &self.times, seconds);
        let [(from, _), (after, part), ..] = shares;
        if self.interpolation == Interpolation::Linear && self.property == Property::Rotation && part > 0.0 {
            let [a, b] = [from, after].map(|at| rotation(value_of(&self.values[at])));
            return DVec4::from_array(maths::part_way(a, b, part).to_array());
        }
        shares.into_iter().map(|(at, share)| value_of(&self.values[at]) * share).sum()
    }
}

fn value_of(value: &[f32; 4]) -> DVec4 {
    DVec4::from_array(value.map(f64::from))
}

/// The rotation of a quaternion of any length.
fn rotation(value: DVec4) -> DQuat {
    let quaternion = DQuat::from_vec4(value);
    if quaternion.length_squared() > 1e-12 { quaternion.normalize() } else { DQuat::IDENTITY }
}

impl Keys {
    /// The key frames of a clip, and the time of its last key. `place` maps the nodes of the tracks to those of the tree.
    pub(crate) fn new(
        tree: Arc<NodeTree>,
        place: &[usize],
        (mut tracks, weights, end): (Vec<Track>, Vec<WeightTrack>, f64),
        moved: Vec<usize>,
    ) -> Self {
        tracks.iter_mut().for_each(|track| track.node = place[track.node]);
        Keys { tree, tracks, weights, moved, end }
    }

    /// Sets the weights that the clip changes to their values at a time; `weights` are all those of the scene.
    pub(crate) fn set_weights(&self, seconds: f64, weights: &mut [f32]) {
        self.weights.iter().for_each(|track| track.apply(seconds, weights));
    }

    /// Whether the clip changes weights.
    pub(crate) fn has_weights(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The pose at a time. Where the moved joints are is not part of it: see [`Keys::offsets`].
    pub(crate) fn pose(&self, skeleton: &Skeleton, seconds: f64) -> Pose {
        nearest_pose(skeleton, &self.frames(seconds))
    }

    /// The moved joints at a time, each with its place in the frame of its parent.
    pub(crate) fn offsets(&self, skeleton: &Skeleton, seconds: f64) -> Vec<(usize, DVec3)> {
        if self.moved.is_empty() {
            return Vec::new();
        }
        let frames = self.frames(seconds);
        let offset = |&joint: &usize| {
            let parent = skeleton.joints()[joint].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
            (joint, parent.local(frames[joint].position))
        };
        self.moved.iter().map(offset).filter(|(_, offset)| offset.is_finite()).collect()
    }

    /// The frames of the joints at a time.
    fn frames(&self, seconds: f64) -> Vec<Isometry> {
        let mut locals: Vec<Transform> = self.tree.nodes.iter().map(|(_, local)| *local).collect();
        for track in &self.tracks {
            track.apply(seconds, &mut locals[track.node]);
        }
        let mut world: Vec<DMat4> = Vec::with_capacity(locals.len());
        for ((parent, _), local) in self.tree.nodes.iter().zip(&locals) {
            world.push(parent.map_or(DMat4::IDENTITY, |parent| world[parent]) * local.matrix());
        }
        let frame = |&(node, turn): &(usize, DQuat)| {
            Isometry::new(world[node].w_axis.truncate(), (polar_rotation(&world[node]) * turn).normalize())
        };
        self.tree.joints.iter().map(frame).collect()
    }
}
