//! Motion back into glTF: added to the file that a character came from, or as a bare skeleton.

use super::bundle;
use super::container;
use super::container::{Container, glb};
use super::data::{Data, encode_base64};
use super::keys;
use super::lists::Lists;
use super::nodes;
use super::nodes::{Nodes, rotation_of};
use super::rig;
use super::rig::Rig;
use crate::error::SceneError;
use crate::motion::Motion;
use crate::syntax_tree::fault::Fault;
use crate::syntax_tree::parse::parse_json;
use crate::{Scene, Up};
use fabrik3d_ik::{Isometry, Skeleton};
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use std::path::Path;

/// Component type of 32-bit floats.
const FLOAT: u32 = 5126;

/// The two forms of a glTF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `.gltf`: JSON.
    Text,
    /// `.glb`.
    Binary,
}

/// Key frames to be written: for each node the rotations and, if it moves, the places.
struct Tracks {
    times: Vec<f32>,
    rotations: Vec<(usize, Vec<DQuat>)>,
    places: Vec<(usize, Vec<DVec3>)>,
}

/// The contents of `original`, a glTF file, with a motion of the scene read from it as one animation more, the first one,
/// since that is what programs play, or in place of the one of the same name, standing as it does in the motion's first
/// frame. What its other animations leave alone stays as it was in them. All data are in the one file that comes of it, in
/// either form.
pub(crate) fn extended(
    scene: &Scene,
    motion: &Motion,
    original: &[u8],
    origin: &str,
    folder: &Path,
    form: Form,
) -> Result<Vec<u8>, SceneError> {
    let Container { json, binary, .. } = container::open(original, origin)?;
    let fault = |fault: Fault| fault.in_text(origin, json);
    let document = parse_json(json).map_err(fault)?;
    let lists = Lists::new(&document).map_err(fault)?;
    let data = Data::new(&lists, binary, folder, json.len()).map_err(fault)?;
    let nodes = nodes::read_nodes(&lists).map_err(fault)?;
    let rig = rig::build(&lists, &nodes, |_, _| false).map_err(fault)?;
    let names = |joints: &[fabrik3d_ik::Joint]| joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    if names(&rig.joints) != names(scene.skeleton.joints()) {
        return Err(SceneError::new(origin, "the joints of this file are not those of the scene")
            .with_hint("give the file that the scene was read from"));
    }
    let tracks = node_tracks(&scene.skeleton, motion, &nodes, &rig);
    let mut value: Value =
        serde_json::from_str(json).map_err(|error| SceneError::new(origin, format!("this is not JSON: {error}")))?;
    if !motion.is_empty() {
        split_matrices(&mut value, &nodes, &tracks);
    }
    let bytes = bundle::gather(&mut value, &lists, &data);
    let mut store = Store { value, bytes };
    // A clip of its own leaves the character as it stands.
    if scene.assets.motions.iter().all(|own| own.name != motion.name) {
        store.keep_clips(&nodes, &tracks);
        store.pose_nodes(&tracks);
    }
    store.add_animation(&motion.name, &tracks);
    Ok(store.packed(form))
}

/// Nodes that are animated cannot have a matrix: it is taken apart.
fn split_matrices(value: &mut Value, nodes: &Nodes, tracks: &Tracks) {
    let animated = tracks.rotations.iter().map(|(node, _)| *node).chain(tracks.places.iter().map(|(node, _)| *node));
    for node in animated {
        if nodes.nodes[node].local.matrix.is_none() {
            continue;
        }
        let local = nodes.nodes[node].local.matrix();
        let (scale, rotation, place) = local.to_scale_rotation_translation();
        let entry = &mut value["nodes"][node];
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("matrix");
            entry.insert("scale".to_owned(), json!(scale.to_array()));
            entry.insert("rotation".to_owned(), json!(rotation.to_array()));
            entry.insert("translation".to_owned(), json!(place.to_array()));
        }
    }
}

/// The motion as key frames of the nodes that are joints.
fn node_tracks(skeleton: &Skeleton, motion: &Motion, nodes: &Nodes, rig: &Rig) -> Tracks {
    let mut tracks = Tracks {
        times: Vec::with_capacity(motion.len()),
        rotations: rig.nodes.iter().map(|&node| (node, Vec::with_capacity(motion.len()))).collect(),
        places: Vec::new(),
    };
    let free = |joint: usize| matches!(skeleton.joints()[joint].kind, fabrik3d_ik::Kind::Free);
    let moving: Vec<usize> = (0..skeleton.len()).filter(|&joint| free(joint)).collect();
    tracks.places = moving.iter().map(|&joint| (rig.nodes[joint], Vec::with_capacity(motion.len()))).collect();
    for frame in 0..motion.len() {
        let frames = skeleton.frames(&motion.pose(skeleton, frame));
        tracks.times.push((frame as f64 * motion.frame_time) as f32);
        let mut world = vec![DMat4::IDENTITY; nodes.nodes.len()];
        for &at in &nodes.order {
            let node = &nodes.nodes[at];
            let above = node.parent.map_or(DMat4::IDENTITY, |parent| world[parent]);
            let Some(joint) = rig.joint[at] else {
                world[at] = above * node.local.matrix();
                continue;
            };
            let (scale, _, rest_place) = node.local.matrix().to_scale_rotation_translation();
            let wanted = frames[joint].rotation * rig.turn[joint].conjugate();
            // A local rotation turns the polar factor of what is above by just as much.
            let mirrored = scale.x * scale.y * scale.z < 0.0;
            let own = if mirrored { rotation_of(&DMat4::from_scale(scale)) } else { DQuat::IDENTITY };
            let rotation = (rotation_of(&above).conjugate() * wanted * own.conjugate()).normalize();
            let place = match moving.iter().position(|&other| other == joint) {
                Some(slot) => {
                    let place = above.inverse().transform_point3(frames[joint].position);
                    tracks.places[slot].1.push(place);
                    place
                }
                None => rest_place,
            };
            tracks.rotations[joint].1.push(rotation);
            world[at] = above * DMat4::from_scale_rotation_translation(scale, rotation, place);
        }
    }
    tracks
}

/// The skeleton alone with a motion of it, as GLB or as JSON: one node a joint, and one at the tip of each effector.
pub(crate) fn skeleton_only(scene: &Scene, motion: &Motion, form: Form) -> Vec<u8> {
    let skeleton = &scene.skeleton;
    let joints = skeleton.joints();
    let start = skeleton.frames(&if motion.is_empty() { scene.start.clone() } else { motion.pose(skeleton, 0) });
    let local = |frames: &[Isometry], joint: usize| {
        let parent = joints[joint].parent.map_or(Isometry::IDENTITY, |parent| frames[parent]);
        let rotation = (parent.rotation.conjugate() * frames[joint].rotation).normalize();
        (parent.local(frames[joint].position), rotation)
    };
    let mut children: Vec<Vec<usize>> = (0..joints.len()).map(|joint| skeleton.children(joint).to_vec()).collect();
    let mut tips = Vec::new();
    for effector in scene.effectors.iter().filter(|effector| effector.effector.tip != DVec3::ZERO) {
        children[effector.effector.joint].push(joints.len() + tips.len());
        tips.push(json!({"name": format!("{}.tip", effector.name), "translation": effector.effector.tip.to_array()}));
    }
    let mut nodes: Vec<Value> = (0..joints.len())
        .map(|joint| {
            let (place, rotation) = local(&start, joint);
            let mut node = json!({
                "name": joints[joint].name, "translation": place.to_array(), "rotation": rotation.to_array(),
            });
            if !children[joint].is_empty() {
                node["children"] = json!(children[joint]);
            }
            node
        })
        .collect();
    nodes.extend(tips);
    let roots: Vec<usize> = (0..joints.len()).filter(|&joint| joints[joint].parent.is_none()).collect();
    // One node above all: skins need a common root, and glTF has +Y up.
    let turn = if scene.up == Up::Z { DQuat::from_rotation_x(-90_f64.to_radians()) } else { DQuat::IDENTITY };
    nodes.push(json!({"name": scene.name, "children": roots, "rotation": turn.to_array()}));
    let top = nodes.len() - 1;
    let value = json!({
        "asset": {"version": "2.0", "generator": "fabrik3d"},
        "scene": 0,
        "scenes": [{"nodes": [top]}],
        "nodes": nodes,
        "skins": [{"joints": (0..joints.len()).collect::<Vec<_>>(), "skeleton": top}],
        "buffers": [{"byteLength": 0}],
    });
    let mut tracks = Tracks { times: Vec::new(), rotations: Vec::new(), places: Vec::new() };
    tracks.rotations = (0..joints.len()).map(|joint| (joint, Vec::new())).collect();
    tracks.places = (0..joints.len()).map(|joint| (joint, Vec::new())).collect();
    for frame in 0..motion.len() {
        let frames = skeleton.frames(&motion.pose(skeleton, frame));
        tracks.times.push((frame as f64 * motion.frame_time) as f32);
        for joint in 0..joints.len() {
            let (place, rotation) = local(&frames, joint);
            tracks.rotations[joint].1.push(rotation);
            tracks.places[joint].1.push(place);
        }
    }
    let still = |places: &[DVec3], joint: usize| {
        let rest = local(&start, joint).0;
        places.iter().all(|place| place.distance(rest) <= 1e-12 * (1.0 + rest.length()))
    };
    tracks.places.retain(|(joint, places)| !still(places, *joint));
    let mut store = Store { value, bytes: Vec::new() };
    store.add_animation(&motion.name, &tracks);
    store.packed(form)
}

/// A document, and the bytes of its one buffer.
struct Store {
    value: Value,
    bytes: Vec<u8>,
}

impl Store {
    /// As the bytes of a file.
    fn packed(mut self, form: Form) -> Vec<u8> {
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

    /// Adds numbers, so many an element; their accessor.
    fn add(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * numbers.len()});
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let view = push(&mut self.value, "bufferViews", view);
        let count = numbers.len() / width;
        let accessor = json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": kind});
        push(&mut self.value, "accessors", accessor)
    }

    /// Adds the times of keys; their accessor.
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

    /// Adds the key frames, before all others or in place of those of the same name.
    fn add_animation(&mut self, name: &str, tracks: &Tracks) {
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
        // Whoever is counted has that for a name, and keeps it.
        for (at, other) in all.iter_mut().enumerate().filter(|(_, other)| !other["name"].is_string()) {
            other["name"] = json!(keys::unnamed(at));
        }
        match all.iter_mut().find(|other| other["name"] == name) {
            Some(same) => *same = animation,
            None => all.insert(0, animation),
        }
    }

    /// Lets the nodes stand as in the first frame, so that programs which play no animation show it too.
    fn pose_nodes(&mut self, tracks: &Tracks) {
        let nodes = &mut self.value["nodes"];
        for (node, rotation) in tracks.rotations.iter().filter_map(|(node, all)| Some((*node, all.first()?))) {
            nodes[node]["rotation"] = json!(rotation.as_quat().normalize().to_array());
        }
        for (node, place) in tracks.places.iter().filter_map(|(node, all)| Some((*node, all.first()?))) {
            nodes[node]["translation"] = json!(place.as_vec3().to_array());
        }
    }

    /// Gives the animations that are there a key for every node that they leave as it stands: it will stand otherwise.
    fn keep_clips(&mut self, nodes: &Nodes, tracks: &Tracks) {
        let count = self.value["animations"].as_array().map_or(0, Vec::len);
        if count == 0 || tracks.times.is_empty() {
            return;
        }
        let standing = |node: usize| nodes.nodes[node].local.matrix().to_scale_rotation_translation();
        let rotations = tracks.rotations.iter().filter(|(node, all)| {
            all.first().is_some_and(|first| standing(*node).1.dot(*first).abs() < 1.0 - SAME_TURN)
        });
        let turned: Vec<usize> = rotations.map(|(node, _)| *node).collect();
        let moved: Vec<usize> = tracks.places.iter().map(|(node, _)| *node).collect();
        let input = self.add_times(&[0.0]);
        for animation in 0..count {
            for (path, wanted) in [("rotation", &turned), ("translation", &moved)] {
                for &node in wanted {
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

/// How far the cosine of half the angle between two rotations may be from 1 for them to be the same.
const SAME_TURN: f64 = 1e-12;

/// Adds an element to a list of the document, or of a part of it; its index.
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
