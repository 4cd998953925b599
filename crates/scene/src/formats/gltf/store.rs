//! The document of a glTF file and the bytes of its only buffer, while animations are added.

use super::clips::unnamed;
use super::container::{encode_base64, glb};
use super::data::{Data, LARGEST, Stored};
use super::nodes::Nodes;
use crate::motion::Motion;
use crate::source::LARGEST_FILE;
use glam::{DMat4, DQuat, DVec4};
use serde_json::{Value, json};

/// Component type of 32-bit floats.
const FLOAT: u32 = 5126;

/// The two forms of a glTF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `.gltf`: JSON.
    Text,
    /// `.glb`: JSON and binary data.
    Binary,
}

/// The paths of rotations and places in the targets of channels.
pub(crate) const ROTATION: &str = "rotation";
pub(crate) const PLACE: &str = "translation";

/// Rotations or places of one node to be written.
pub(crate) struct Track {
    pub node: usize,
    /// [`ROTATION`] or [`PLACE`].
    pub path: &'static str,
    /// One value per frame. Places have w = 0.
    pub values: Vec<DVec4>,
}

/// Checks that no place is beyond what is read as glTF.
pub(crate) fn check_places(tracks: &[Track]) -> Result<(), String> {
    for Track { node, values, .. } in tracks.iter().filter(|track| track.path == PLACE) {
        let far = |place: &DVec4| !place.to_array().iter().all(|number| (-LARGEST..=LARGEST).contains(number));
        if let Some(frame) = values.iter().position(far) {
            let farthest = values[frame].truncate().abs().max_element();
            return Err(format!(
                "frame {frame} of node {node} is at {farthest:e}; in glTF, at most {LARGEST:e} is allowed"
            ));
        }
    }
    Ok(())
}

/// A value in single precision, as files have it.
fn rounded(path: &str, value: DVec4) -> impl Iterator<Item = f32> {
    let (numbers, count) = match path {
        ROTATION => (DQuat::from_vec4(value).as_quat().normalize().to_array(), 4),
        _ => (value.as_vec4().to_array(), 3),
    };
    numbers.into_iter().take(count)
}

/// A document and the bytes of its only buffer.
pub(crate) struct Store {
    pub value: Value,
    pub bytes: Vec<u8>,
}

impl Store {
    /// The bytes of the file.
    pub fn packed(mut self, form: Form) -> Vec<u8> {
        // A buffer must not be empty.
        self.bytes.resize(self.bytes.len().max(4), 0);
        let (value, bytes) = (&mut self.value, &self.bytes);
        value["buffers"][0]["byteLength"] = json!(bytes.len());
        if form == Form::Binary {
            return glb(&value.to_string(), bytes);
        }
        let data = format!("data:application/octet-stream;base64,{}", encode_base64(bytes));
        value["buffers"][0]["uri"] = json!(data);
        serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()).into_bytes()
    }

    /// Adds elements of a type and returns their accessor.
    fn add(&mut self, kind: &str, count: usize, numbers: &[f32]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * numbers.len()});
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let view = push(&mut self.value, "bufferViews", view);
        let accessor = json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": kind});
        push(&mut self.value, "accessors", accessor)
    }

    /// Sets the inverse bind matrices of the first skin. They tell the rest pose, also where no mesh uses the skin: nodes are in
    /// the first frame of a motion.
    pub fn bind_skin(&mut self, inverse_binds: &[DMat4]) {
        let numbers: Vec<f32> = inverse_binds.iter().flat_map(|matrix| matrix.as_mat4().to_cols_array()).collect();
        self.value["skins"][0]["inverseBindMatrices"] = json!(self.add("MAT4", inverse_binds.len(), &numbers));
    }

    /// Adds the times of keys and returns their accessor.
    fn add_times(&mut self, times: &[f32]) -> usize {
        let input = self.add("SCALAR", times.len(), times);
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            self.value["accessors"][input]["min"] = json!([first]);
            self.value["accessors"][input]["max"] = json!([last]);
        }
        input
    }

    fn add_values(&mut self, path: &str, values: &[DVec4]) -> usize {
        let numbers: Vec<f32> = values.iter().flat_map(|value| rounded(path, *value)).collect();
        self.add(if path == ROTATION { "VEC4" } else { "VEC3" }, values.len(), &numbers)
    }

    /// Adds an animation before all others. It replaces the one with the same name, except for the channels of this one that it has not
    /// itself: weights, scales, and nodes that are no joints.
    pub fn add_animation(&mut self, motion: &Motion, tracks: &[Track]) {
        if motion.is_empty() {
            return;
        }
        let times = (0..motion.len()).map(|frame| (frame as f64 * motion.frame_time) as f32);
        let input = self.add_times(&times.collect::<Vec<f32>>());
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for Track { node, path, values } in tracks {
            let output = self.add_values(path, values);
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        }
        let animation = json!({"name": motion.name, "channels": channels, "samplers": samplers});
        if !self.value["animations"].is_array() {
            self.value["animations"] = json!([]);
        }
        let Some(all) = self.value["animations"].as_array_mut() else { return };
        // Animations without a name keep the name that their index gives them.
        let has_no_name = |other: &Value| other.as_object().is_some_and(|own| !own.contains_key("name"));
        for (at, other) in all.iter_mut().enumerate().filter(|(_, other)| has_no_name(other)) {
            other["name"] = json!(unnamed(at));
        }
        let same = all.iter().position(|other| other["name"] == motion.name).map(|at| all.remove(at));
        let animation = same.map_or(animation.clone(), |same| merged(same, animation));
        all.insert(0, animation);
    }

    /// Sets the rest transforms to the first frame, for programs that play no animation.
    pub fn pose_nodes(&mut self, tracks: &[Track]) {
        for Track { node, path, values } in tracks {
            if let Some(first) = values.first() {
                self.value["nodes"][*node][path] = json!(rounded(path, *first).collect::<Vec<f32>>());
            }
        }
    }

    /// Adds keys with the old rest transforms to the existing animations, for nodes that they do not animate.
    pub fn keep_clips(&mut self, nodes: &Nodes, tracks: &[Track]) {
        let count = self.value["animations"].as_array().map_or(0, Vec::len);
        if count == 0 {
            return;
        }
        let changed = |track: &Track| {
            let (_, rotation, place) = nodes.nodes[track.node].local.matrix().to_scale_rotation_translation();
            let rest = if track.path == ROTATION { DVec4::from(rotation) } else { place.extend(0.0) };
            let differs = |first: &DVec4| rest.dot(*first).abs() < 1.0 - SAME_ROTATION;
            let counts = track.path == PLACE || track.values.first().is_some_and(differs);
            counts.then_some((track.node, track.path, rest))
        };
        let changed: Vec<(usize, &str, DVec4)> = tracks.iter().filter_map(changed).collect();
        let input = self.add_times(&[0.0]);
        for animation in 0..count {
            for &(node, path, rest) in &changed {
                let is_kept = self.value["animations"][animation].is_object();
                if !is_kept || self.animates(animation, node, path) {
                    continue;
                }
                let output = self.add_values(path, &[rest]);
                let of = &mut self.value["animations"][animation];
                let sampler = json!({"input": input, "output": output, "interpolation": "STEP"});
                let sampler = push(of, "samplers", sampler);
                push(of, "channels", json!({"sampler": sampler, "target": {"node": node, "path": path}}));
            }
        }
    }

    fn animates(&self, animation: usize, node: usize, path: &str) -> bool {
        let channels = self.value["animations"][animation]["channels"].as_array();
        channels
            .into_iter()
            .flatten()
            .any(|channel| channel["target"]["node"].as_u64() == Some(node as u64) && channel["target"]["path"] == path)
    }
}

/// An animation with the channels of another one, and those of its own that this one has not.
fn merged(mut old: Value, new: Value) -> Value {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let (mut channels, mut samplers) = (list(&new, "channels"), list(&new, "samplers"));
    let target = |channel: &Value| (channel["target"]["node"].as_u64(), channel["target"]["path"].clone());
    let set: Vec<_> = channels.iter().map(target).collect();
    let old_samplers = list(&old, "samplers");
    for mut channel in list(&old, "channels") {
        let sampler = channel["sampler"].as_u64().and_then(|at| old_samplers.get(at as usize)).cloned();
        if let Some(sampler) = sampler.filter(|_| !set.contains(&target(&channel))) {
            channel["sampler"] = json!(samplers.len());
            samplers.push(sampler);
            channels.push(channel);
        }
    }
    (old["channels"], old["samplers"]) = (json!(channels), json!(samplers));
    old
}

/// Largest deviation from 1 of the cosine of half the angle between two equal rotations.
const SAME_ROTATION: f64 = 1e-12;

/// Adds an element to a list of the document and returns its index.
fn push(value: &mut Value, list: &str, element: Value) -> usize {
    if !value[list].is_array() {
        value[list] = json!([]);
    }
    match value[list].as_array_mut() {
        Some(items) => {
            items.push(element);
            items.len() - 1
        }
        None => 0,
    }
}

/// Extension of buffer views that refers to buffers.
const COMPRESSED: &str = "EXT_meshopt_compression";

/// Moves the buffers of a document and its image files into one buffer, number 0, and returns the bytes. An image that
/// cannot be read stays in its file.
pub(crate) fn gather(value: &mut Value, data: &Data<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let starts: Vec<usize> = (0..data.lists.buffers.len()).map(|at| append(&mut bytes, data.buffer(at))).collect();
    for view in value["bufferViews"].as_array_mut().into_iter().flatten() {
        move_into(view, &starts);
        if view["extensions"].get(COMPRESSED).is_some() {
            move_into(&mut view["extensions"][COMPRESSED], &starts);
        }
    }
    value["buffers"] = json!([{"byteLength": 0}]);
    for (at, image) in data.lists.images.iter().enumerate() {
        let Ok(Stored::File(path)) = data.picture(image) else { continue };
        let Ok(picture) = data.files.read(&path, LARGEST_FILE) else { continue };
        let Ok(format) = image::guess_format(&picture) else { continue };
        let start = append(&mut bytes, &picture);
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": picture.len()});
        let view = push(value, "bufferViews", view);
        let Some(image) = value["images"][at].as_object_mut() else { continue };
        image.remove("uri");
        image.insert("bufferView".to_owned(), json!(view));
        image.insert("mimeType".to_owned(), json!(format.to_mime_type()));
    }
    bytes
}

/// Appends bytes, aligned for every component type, and returns their offset.
fn append(bytes: &mut Vec<u8>, more: &[u8]) -> usize {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend_from_slice(more);
    bytes.len() - more.len()
}

/// Redirects a reference to a part of a buffer to the common buffer.
fn move_into(reference: &mut Value, starts: &[usize]) {
    let buffer = reference["buffer"].as_u64().and_then(|at| starts.get(at as usize));
    let Some(start) = buffer else { return };
    let offset = reference["byteOffset"].as_u64().unwrap_or(0) as usize;
    reference["buffer"] = json!(0);
    reference["byteOffset"] = json!(start + offset);
}
