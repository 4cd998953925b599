//! Creates a puppet with the traits of characters that other programs export: a common prefix of all names, a root above
//! the hips that walks, chains of hair and fingers, and clips that translate and scale joints.
//!
//! `cargo run --example make_puppet [-- FILE]` writes `assets/models/puppet.gltf`. Units are metres. The puppet stands on
//! y = 0 and faces +z; its left side is at +x.

use glam::{DQuat, DVec3, dvec3};
use serde_json::{Value, json};
use std::error::Error;
use std::f64::consts::TAU;

/// Joints on the middle and the left: name, parent, position. Those whose names start with `Left` have a mirror image.
const JOINTS: [(&str, &str, [f64; 3]); 20] = [
    ("Root", "", [0.0, 0.0, 0.0]),
    ("Hips", "Root", [0.0, 0.98, 0.0]),
    ("Spine", "Hips", [0.0, 1.1, 0.0]),
    ("Chest", "Spine", [0.0, 1.25, 0.0]),
    ("Neck", "Chest", [0.0, 1.48, -0.01]),
    ("Head", "Neck", [0.0, 1.57, 0.0]),
    ("Hair1", "Head", [0.0, 1.72, -0.09]),
    ("Hair2", "Hair1", [0.0, 1.6, -0.14]),
    ("Hair3", "Hair2", [0.0, 1.48, -0.16]),
    ("LeftShoulder", "Chest", [0.04, 1.43, -0.01]),
    ("LeftArm", "LeftShoulder", [0.18, 1.42, -0.01]),
    ("LeftForeArm", "LeftArm", [0.45, 1.4, -0.02]),
    ("LeftHand", "LeftForeArm", [0.7, 1.39, 0.01]),
    ("LeftHandThumb1", "LeftHand", [0.73, 1.37, 0.05]),
    ("LeftHandIndex1", "LeftHand", [0.79, 1.39, 0.03]),
    ("LeftHandIndex2", "LeftHandIndex1", [0.83, 1.39, 0.03]),
    ("LeftUpLeg", "Hips", [0.09, 0.93, 0.0]),
    ("LeftLeg", "LeftUpLeg", [0.095, 0.5, 0.015]),
    ("LeftFoot", "LeftLeg", [0.1, 0.08, -0.02]),
    ("LeftToeBase", "LeftFoot", [0.105, 0.02, 0.1]),
];
const PREFIX: &str = "puppet:";
/// Seconds and frames of each clip.
const DURATION: f64 = 1.2;
const FRAMES: usize = 24;

/// A joint: name, parent, position relative to its parent.
struct Joint {
    name: String,
    parent: Option<usize>,
    place: DVec3,
}

/// Keys of one property of one joint.
type Track = (&'static str, &'static str, Vec<Vec<f64>>);

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "assets/models/puppet.gltf".to_owned());
    std::fs::write(&path, puppet()?)?;
    Ok(())
}

/// The text of the file.
pub fn puppet() -> Result<String, Box<dyn Error>> {
    let joints = joints();
    let clips = [("Walk", walk()), ("Stretch", stretch(&joints))];
    let times: Vec<f64> = (0..=FRAMES).map(|frame| DURATION * frame as f64 / FRAMES as f64).collect();
    let mut bytes = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |rows: &[Vec<f64>], kind: &str| {
        let start = bytes.len();
        bytes.extend(rows.iter().flatten().flat_map(|&value| (value as f32).to_le_bytes()));
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() - start }));
        let mut accessor =
            json!({ "bufferView": views.len() - 1, "componentType": 5126, "count": rows.len(), "type": kind });
        if kind == "SCALAR" {
            accessor["min"] = json!([rows[0][0] as f32]);
            accessor["max"] = json!([rows[rows.len() - 1][0] as f32]);
        }
        accessors.push(accessor);
        accessors.len() - 1
    };
    let input = add(&times.iter().map(|&time| vec![time]).collect::<Vec<_>>(), "SCALAR");
    let mut animations = Vec::new();
    for (name, tracks) in clips {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for (joint, path, rows) in tracks {
            let joint = format!("{PREFIX}{joint}");
            let node = joints.iter().position(|other| other.name == joint).ok_or("a clip moves an unknown joint")?;
            let output = add(&rows, if path == "rotation" { "VEC4" } else { "VEC3" });
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
            samplers.push(json!({ "input": input, "output": output }));
        }
        animations.push(json!({ "name": name, "channels": channels, "samplers": samplers }));
    }
    let node = |(at, joint): (usize, &Joint)| {
        let mut node = json!({ "name": joint.name, "translation": joint.place.to_array().map(|value| value as f32) });
        let children: Vec<usize> = (0..joints.len()).filter(|&child| joints[child].parent == Some(at)).collect();
        if !children.is_empty() {
            node["children"] = children.into();
        }
        node
    };
    let document = json!({
        "asset": { "version": "2.0", "generator": "fabrik3d, examples/make_puppet.rs" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": joints.iter().enumerate().map(node).collect::<Vec<Value>>(),
        "animations": animations,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{
            "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", base64(&bytes))
        }],
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn joints() -> Vec<Joint> {
    let mut list: Vec<(String, String, DVec3)> = Vec::new();
    for (name, parent, place) in JOINTS {
        list.push((name.to_owned(), parent.to_owned(), DVec3::from_array(place)));
    }
    for (name, parent, [x, y, z]) in JOINTS.iter().filter(|(name, ..)| name.starts_with("Left")) {
        list.push((name.replace("Left", "Right"), parent.replace("Left", "Right"), dvec3(-x, *y, *z)));
    }
    let find = |name: &str| list.iter().position(|(other, ..)| other == name);
    let joint = |(name, parent, place): &(String, String, DVec3)| {
        let parent = find(parent);
        let place = *place - parent.map_or(DVec3::ZERO, |parent| list[parent].2);
        Joint { name: format!("{PREFIX}{name}"), parent, place }
    };
    list.iter().map(joint).collect()
}

fn rows(value: impl Fn(f64) -> Vec<f64>) -> Vec<Vec<f64>> {
    (0..=FRAMES).map(|frame| value(frame as f64 / FRAMES as f64)).collect()
}

/// Steps forward: the root moves, the legs and arms swing.
fn walk() -> Vec<Track> {
    let swing = |amount: f64, shift: f64| {
        rows(move |phase| {
            DQuat::from_rotation_x(amount * (TAU * (phase + shift)).sin()).normalize().to_array().to_vec()
        })
    };
    let bend = |amount: f64, shift: f64| {
        rows(move |phase| {
            DQuat::from_rotation_x(amount * (TAU * (phase + shift)).cos().max(0.0)).normalize().to_array().to_vec()
        })
    };
    vec![
        ("Root", "translation", rows(|phase| vec![0.0, 0.0, 0.9 * phase])),
        ("LeftUpLeg", "rotation", swing(-0.45, 0.0)),
        ("RightUpLeg", "rotation", swing(-0.45, 0.5)),
        ("LeftLeg", "rotation", bend(0.8, 0.0)),
        ("RightLeg", "rotation", bend(0.8, 0.5)),
        ("LeftArm", "rotation", swing(0.3, 0.0)),
        ("RightArm", "rotation", swing(0.3, 0.5)),
    ]
}

/// The arms become longer, the head larger, and the feet leave the legs.
fn stretch(joints: &[Joint]) -> Vec<Track> {
    let pull = |name: &str, by: DVec3| {
        let rest = joints.iter().find(|joint| joint.name == format!("{PREFIX}{name}")).map(|joint| joint.place);
        let rest = rest.unwrap_or_default();
        rows(move |phase| (rest + by * 0.5 * (1.0 - (TAU * phase).cos())).to_array().to_vec())
    };
    let turn = rows(|phase| DQuat::from_rotation_z(0.6 * (TAU * phase).sin()).normalize().to_array().to_vec());
    vec![
        ("LeftArm", "rotation", turn),
        ("LeftForeArm", "translation", pull("LeftForeArm", dvec3(0.2, 0.0, 0.0))),
        ("RightHand", "translation", pull("RightHand", dvec3(-0.15, 0.05, 0.0))),
        ("LeftFoot", "translation", pull("LeftFoot", dvec3(0.05, 0.2, 0.1))),
        ("Head", "scale", rows(|phase| vec![1.0 + 0.25 * (1.0 - (TAU * phase).cos()); 3])),
    ]
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= group.len() { char::from(DIGITS[index]) } else { '=' });
        }
    }
    text
}
