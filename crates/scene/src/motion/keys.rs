//! Key frames of the nodes of a glTF file, and the poses that they describe.

use super::transform::{Transform, polar_rotation};
use crate::coordinates::nearest_pose;
use fabrik3d_ik::{Isometry, Pose, Skeleton};
use glam::{DMat4, DQuat, DVec3, DVec4};
use std::sync::Arc;

/// The key frames of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    tree: Arc<NodeTree>,
    tracks: Vec<Track>,
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
        let each = if self.interpolation == Interpolation::Cubic { 3 } else { 1 };
        self.values.iter().skip(each / 2).step_by(each).map(value_of)
    }

    /// The value at a time, clamped to the first and last key.
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
        (mut tracks, end): (Vec<Track>, f64),
        moved: Vec<usize>,
    ) -> Self {
        tracks.iter_mut().for_each(|track| track.node = place[track.node]);
        Keys { tree, tracks, moved, end }
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
