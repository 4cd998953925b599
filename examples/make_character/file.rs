//! The character as a GLB file.

use crate::mesh::*;
use crate::skeleton::*;
use crate::walk::*;
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};

/// Linear base colours: the body, and the bands at its joints.
pub const COLORS: [[f64; 4]; 2] = [[0.62, 0.60, 0.56, 1.0], [0.035, 0.045, 0.06, 1.0]];

/// The binary part of the file, with a view and an accessor for each array.
#[derive(Default)]
pub struct Binary {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Binary {
    /// Appends an array and returns the index of its accessor.
    pub fn add(&mut self, bytes: &[u8], mut accessor: Value, target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        accessor["bufferView"] = self.views.len().into();
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Rows of floats, with their bounds.
    pub fn floats<const N: usize>(&mut self, kind: &str, rows: &[[f64; N]], target: Option<u32>) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|&value| (value as f32).to_le_bytes()).collect();
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|k| rows.iter().map(|row| row[k] as f32).reduce(pick).unwrap_or_default()).collect()
        };
        let (min, max) = (fold(f32::min), fold(f32::max));
        let accessor = json!({ "componentType": 5126, "count": rows.len(), "type": kind, "min": min, "max": max });
        self.add(&bytes, accessor, target)
    }
}

/// The four largest weights of a vertex in units of 1/255, and their joints.
pub fn influences(weights: &[f64; JOINTS.len()]) -> ([u8; 4], [u8; 4]) {
    let mut order: Vec<usize> = (0..JOINTS.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let joints: [usize; 4] = std::array::from_fn(|k| order[k]);
    let sum: f64 = joints.iter().map(|&joint| weights[joint]).sum();
    let mut shares = joints.map(|joint| (255.0 * weights[joint] / sum).round() as i32);
    shares[0] += 255 - shares.iter().sum::<i32>();
    // A joint without weight is written as joint 0.
    let named: [u8; 4] = std::array::from_fn(|k| if shares[k] > 0 { joints[k] as u8 } else { 0 });
    (named, shares.map(|share| share as u8))
}

pub fn glb(
    skeleton: &Skeleton,
    mesh: &Mesh,
    normals: &[DVec3],
    weights: &[[f64; JOINTS.len()]],
    frames: &[Frame],
) -> Vec<u8> {
    pub const VERTICES: Option<u32> = Some(34962);
    pub const INDICES: Option<u32> = Some(34963);
    let mut binary = Binary::default();
    let rows = |list: &[DVec3]| -> Vec<[f64; 3]> { list.iter().map(DVec3::to_array).collect() };
    let (joints, shares): (Vec<_>, Vec<_>) = weights.iter().map(influences).unzip();
    let count = mesh.positions.len();
    let joint_rows = json!({ "componentType": 5121, "count": count, "type": "VEC4" });
    let weight_rows = json!({ "componentType": 5121, "count": count, "type": "VEC4", "normalized": true });
    let attributes = json!({
        "POSITION": binary.floats("VEC3", &rows(&mesh.positions), VERTICES),
        "NORMAL": binary.floats("VEC3", &rows(normals), VERTICES),
        "JOINTS_0": binary.add(joints.as_flattened(), joint_rows, VERTICES),
        "WEIGHTS_0": binary.add(shares.as_flattened(), weight_rows, VERTICES),
    });
    let primitives: Vec<Value> = (0..COLORS.len())
        .map(|material| {
            let corners = mesh.triangles.iter().zip(&mesh.materials).filter(|(_, of)| usize::from(**of) == material);
            let corners: Vec<u16> = corners.flat_map(|(triangle, _)| triangle.map(|corner| corner as u16)).collect();
            let bytes: Vec<u8> = corners.iter().flat_map(|corner| corner.to_le_bytes()).collect();
            let accessor = json!({ "componentType": 5123, "count": corners.len(), "type": "SCALAR" });
            json!({ "attributes": attributes, "indices": binary.add(&bytes, accessor, INDICES), "material": material })
        })
        .collect();
    let binds: Vec<[f64; 16]> = (0..JOINTS.len())
        .map(|joint| {
            let frame = DMat4::from_rotation_translation(skeleton.axes[joint], skeleton.at[joint]);
            frame.inverse().to_cols_array()
        })
        .collect();
    let binds = binary.floats("MAT4", &binds, None);

    let times: Vec<[f64; 1]> = (0..frames.len()).map(|frame| [CYCLE * frame as f64 / FRAMES as f64]).collect();
    let input = binary.floats("SCALAR", &times, None);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |node: usize, path: &str, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    };
    let places: Vec<[f64; 3]> = frames.iter().map(|frame| frame.hips.to_array()).collect();
    channel(HIPS, "translation", binary.floats("VEC3", &places, None));
    for joint in 0..JOINTS.len() {
        let mut turns: Vec<DQuat> = frames.iter().map(|frame| skeleton.local(joint, frame.turns[joint])).collect();
        // Of the two quaternions of each rotation, choose the one closer to the previous frame.
        for frame in 1..turns.len() {
            if turns[frame].dot(turns[frame - 1]) < 0.0 {
                turns[frame] = -turns[frame];
            }
        }
        let turns: Vec<[f64; 4]> = turns.iter().map(|turn| turn.normalize().to_array()).collect();
        channel(joint, "rotation", binary.floats("VEC4", &turns, None));
    }

    let mut nodes: Vec<Value> = (0..JOINTS.len())
        .map(|joint| {
            let parent = JOINTS[joint].1;
            let place = match joint {
                HIPS => skeleton.at[HIPS],
                _ => skeleton.axes[parent].conjugate() * (skeleton.at[joint] - skeleton.at[parent]),
            };
            let single = |values: &[f64]| -> Vec<f32> { values.iter().map(|&value| value as f32).collect() };
            let turn = skeleton.local(joint, DQuat::IDENTITY).normalize();
            let children: Vec<usize> = (1..JOINTS.len()).filter(|&child| JOINTS[child].1 == joint).collect();
            let mut node = json!({
                "name": JOINTS[joint].0,
                "translation": single(&place.to_array()),
                "rotation": single(&turn.to_array()),
            });
            if !children.is_empty() {
                node["children"] = children.into();
            }
            node
        })
        .collect();
    nodes.push(json!({ "name": "Mannequin", "mesh": 0, "skin": 0 }));
    let materials: Vec<Value> = ["Body", "Joints"]
        .iter()
        .zip(COLORS)
        .map(|(name, color)| {
            let pbr = json!({ "baseColorFactor": color, "metallicFactor": 0, "roughnessFactor": 0.55 });
            json!({ "name": name, "pbrMetallicRoughness": pbr })
        })
        .collect();
    binary.bytes.resize(binary.bytes.len().next_multiple_of(4), 0);
    let document = json!({
        "asset": { "version": "2.0", "generator": "fabrik3d, examples/make_character.rs" },
        "scene": 0,
        "scenes": [{ "name": "Mannequin", "nodes": [HIPS, JOINTS.len()] }],
        "nodes": nodes,
        "meshes": [{ "name": "Mannequin", "primitives": primitives }],
        "materials": materials,
        "skins": [{
            "joints": (0..JOINTS.len()).collect::<Vec<_>>(), "inverseBindMatrices": binds, "skeleton": HIPS
        }],
        "animations": [{ "name": "Walk", "channels": channels, "samplers": samplers }],
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{ "byteLength": binary.bytes.len() }],
    });
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend(((12 + 8 + text.len() + 8 + binary.bytes.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &binary.bytes)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}
