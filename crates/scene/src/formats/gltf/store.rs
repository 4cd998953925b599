//! The document of a glTF file and the bytes of its only buffer, while animations are added.

use super::clips::unnamed;
use super::container::{encode_base64, glb};
use super::data::{Data, LARGEST, Stored};
use super::nodes::Nodes;
use crate::source::{LARGEST_FILE, read_bytes};
use glam::{DQuat, DVec3};
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

/// Key frames to be written: rotations of all nodes, positions of the nodes that move.
pub(crate) struct Tracks {
    pub times: Vec<f32>,
    pub rotations: Vec<(usize, Vec<DQuat>)>,
    pub places: Vec<(usize, Vec<DVec3>)>,
}

impl Tracks {
    /// Checks that no place is beyond what is read as glTF.
    pub fn check(&self) -> Result<(), String> {
        for (node, places) in &self.places {
            let far = |place: &DVec3| !place.to_array().iter().all(|number| (-LARGEST..=LARGEST).contains(number));
            if let Some(frame) = places.iter().position(far) {
                let farthest = places[frame].abs().max_element();
                return Err(format!(
                    "frame {frame} of node {node} is at {farthest:e}; in glTF, at most {LARGEST:e} is allowed"
                ));
            }
        }
        Ok(())
    }
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

    /// Adds elements of `width` numbers and returns their accessor.
    fn add(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * numbers.len()});
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let view = push(&mut self.value, "bufferViews", view);
        let count = numbers.len() / width;
        let accessor = json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": kind});
        push(&mut self.value, "accessors", accessor)
    }

    /// Adds the times of keys and returns their accessor.
    fn add_times(&mut self, times: &[f32]) -> usize {
        let input = self.add("SCALAR", 1, times);
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            self.value["accessors"][input]["min"] = json!([first]);
            self.value["accessors"][input]["max"] = json!([last]);
        }
        input
    }

    fn add_rotations(&mut self, rotations: &[DQuat]) -> usize {
        let numbers: Vec<f32> =
            rotations.iter().flat_map(|rotation| rotation.as_quat().normalize().to_array()).collect();
        self.add("VEC4", 4, &numbers)
    }

    fn add_places(&mut self, places: &[DVec3]) -> usize {
        let numbers: Vec<f32> = places.iter().flat_map(|place| place.as_vec3().to_array()).collect();
        self.add("VEC3", 3, &numbers)
    }

    /// Adds an animation, before all others or in place of the one with the same name.
    pub fn add_animation(&mut self, name: &str, tracks: &Tracks) {
        if tracks.times.is_empty() {
            return;
        }
        let input = self.add_times(&tracks.times);
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        let mut channel = |node: usize, path: &str, output: usize| {
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        };
        for (node, rotations) in &tracks.rotations {
            channel(*node, "rotation", self.add_rotations(rotations));
        }
        for (node, places) in &tracks.places {
            channel(*node, "translation", self.add_places(places));
        }
        let animation = json!({"name": name, "channels": channels, "samplers": samplers});
        if !self.value["animations"].is_array() {
            self.value["animations"] = json!([]);
        }
        let Some(all) = self.value["animations"].as_array_mut() else { return };
        // Animations without a name keep the name that their index gives them.
        for (at, other) in all.iter_mut().enumerate().filter(|(_, other)| !other["name"].is_string()) {
            other["name"] = json!(unnamed(at));
        }
        match all.iter_mut().find(|other| other["name"] == name) {
            Some(same) => *same = animation,
            None => all.insert(0, animation),
        }
    }

    /// Sets the rest transforms to the first frame, for programs that play no animation.
    pub fn pose_nodes(&mut self, tracks: &Tracks) {
        let nodes = &mut self.value["nodes"];
        for (node, rotation) in tracks.rotations.iter().filter_map(|(node, all)| Some((*node, all.first()?))) {
            nodes[node]["rotation"] = json!(rotation.as_quat().normalize().to_array());
        }
        for (node, place) in tracks.places.iter().filter_map(|(node, all)| Some((*node, all.first()?))) {
            nodes[node]["translation"] = json!(place.as_vec3().to_array());
        }
    }

    /// Adds keys with the old rest transforms to the existing animations, for nodes that they do not animate.
    pub fn keep_clips(&mut self, nodes: &Nodes, tracks: &Tracks) {
        let count = self.value["animations"].as_array().map_or(0, Vec::len);
        if count == 0 || tracks.times.is_empty() {
            return;
        }
        let standing = |node: usize| nodes.nodes[node].local.matrix().to_scale_rotation_translation();
        let rotations = tracks.rotations.iter().filter(|(node, all)| {
            all.first().is_some_and(|first| standing(*node).1.dot(*first).abs() < 1.0 - SAME_ROTATION)
        });
        let turned: Vec<usize> = rotations.map(|(node, _)| *node).collect();
        let moved: Vec<usize> = tracks.places.iter().map(|(node, _)| *node).collect();
        let input = self.add_times(&[0.0]);
        for animation in 0..count {
            for (path, nodes_to_key) in [("rotation", &turned), ("translation", &moved)] {
                for &node in nodes_to_key {
                    if self.animates(animation, node, path) {
                        continue;
                    }
                    let (_, rotation, place) = standing(node);
                    let output = match path {
                        "rotation" => self.add_rotations(&[rotation]),
                        _ => self.add_places(&[place]),
                    };
                    let of = &mut self.value["animations"][animation];
                    let sampler = json!({"input": input, "output": output, "interpolation": "STEP"});
                    let sampler = push(of, "samplers", sampler);
                    push(of, "channels", json!({"sampler": sampler, "target": {"node": node, "path": path}}));
                }
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

/// Largest deviation from 1 of the cosine of half the angle between two equal rotations.
const SAME_ROTATION: f64 = 1e-12;

/// Adds an element to a list of the document and returns its index.
pub(crate) fn push(value: &mut Value, list: &str, element: Value) -> usize {
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
        let Ok(picture) = read_bytes(&path, LARGEST_FILE) else { continue };
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
