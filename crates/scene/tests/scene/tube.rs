//! A small textured character: a tapered tube on a chain of bones, as glTF.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used)]

use image::{ImageFormat, Rgba, RgbaImage};
use serde_json::{Value, json};
use std::io::Cursor;

/// Number of bones, their distance, corners per ring, number of rings.
pub const BONES: usize = 5;
pub const LENGTH: f32 = 0.5;
const SIDES: usize = 24;
const RINGS: usize = 33;

/// Radius at a height.
pub fn radius(height: f32) -> f32 {
    0.22 - 0.06 * height
}

/// Height of the last bone, where the tube ends.
pub fn top() -> f32 {
    LENGTH * (BONES - 1) as f32
}

/// The texture: a chequered band below, stripes above, and an edge that distinguishes top from bottom.
pub fn picture() -> Vec<u8> {
    let paint = |x: u32, y: u32| match (y < 4, (x / 8 + y / 8) % 2, y < 32) {
        (true, ..) => [0xd5, 0x5e, 0x00],
        (_, 0, _) => [0xf5, 0xf1, 0xe6],
        (_, _, true) => [0x00, 0x72, 0xb2],
        (_, _, false) => [0x00, 0x9e, 0x73],
    };
    png(&RgbaImage::from_fn(64, 64, |x, y| {
        let [r, g, b] = paint(x, y);
        Rgba([r, g, b, 255])
    }))
}

/// Encodes an image as PNG.
pub fn png(picture: &RgbaImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// A document with its binary data.
pub struct Model {
    pub json: Value,
    pub binary: Vec<u8>,
}

impl Model {
    /// The tube. Its image is the last buffer view.
    pub fn tube(picture: &[u8]) -> Self {
        let mut model = Model { json: skeleton(), binary: Vec::new() };
        let (mut places, mut normals, mut uvs, mut joints, mut weights) = (vec![], vec![], vec![], vec![], vec![]);
        for ring in 0..RINGS {
            let up = ring as f32 / (RINGS - 1) as f32;
            let along = up * (BONES - 1) as f32;
            // Midway between joints a vertex follows one bone; at a joint it follows two bones equally.
            let joint = along.round().clamp(1.0, (BONES - 1) as f32);
            let share = (2.0 * (along - joint) + 0.5).clamp(0.0, 1.0);
            for side in 0..=SIDES {
                let around = side as f32 / SIDES as f32;
                let (sin, cos) = (around * std::f32::consts::TAU).sin_cos();
                let r = radius(up * top());
                places.extend([r * cos, up * top(), r * sin]);
                normals.extend([cos, 0.0, sin]);
                uvs.extend([around, 1.0 - up]);
                joints.extend([joint as u8 - 1, joint as u8, 0, 0]);
                weights.extend([1.0 - share, share, 0.0, 0.0]);
            }
        }
        let row = SIDES as u16 + 1;
        let mut corners: Vec<u16> = Vec::new();
        for (ring, side) in (0..RINGS as u16 - 1).flat_map(|ring| (0..SIDES as u16).map(move |side| (ring, side))) {
            let a = ring * row + side;
            corners.extend([a, a + row, a + 1, a + 1, a + row, a + row + 1]);
        }
        let matrices = (0..BONES).flat_map(|bone| {
            let mut matrix = glam::Mat4::IDENTITY;
            matrix.w_axis.y = -LENGTH * bone as f32;
            matrix.to_cols_array()
        });
        let attributes = json!({
            "POSITION": model.places(&places), "NORMAL": model.floats("VEC3", 3, &normals),
            "TEXCOORD_0": model.floats("VEC2", 2, &uvs), "JOINTS_0": model.bytes("VEC4", 4, &joints),
            "WEIGHTS_0": model.floats("VEC4", 4, &weights),
        });
        let indices = model.shorts("SCALAR", 1, &corners, false);
        let binds = model.floats("MAT4", 16, &matrices.collect::<Vec<f32>>());
        model.json["meshes"] = json!([{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}]);
        model.json["skins"][0]["inverseBindMatrices"] = json!(binds);
        let view = model.view(picture);
        model.json["images"] = json!([{"bufferView": view, "mimeType": "image/png", "name": "scales"}]);
        model
    }

    /// Adds bytes and returns the index of their buffer view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len()});
        self.binary.extend_from_slice(bytes);
        push(&mut self.json["bufferViews"], view)
    }

    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8], normalized: bool) -> usize {
        let view = self.view(bytes);
        let accessor = json!({
            "bufferView": view, "componentType": component, "count": count, "type": kind, "normalized": normalized,
        });
        push(&mut self.json["accessors"], accessor)
    }

    /// Adds positions with their bounds, which the format requires.
    fn places(&mut self, places: &[f32]) -> usize {
        let accessor = self.floats("VEC3", 3, places);
        let axis = |axis: usize| places.iter().copied().skip(axis).step_by(3);
        let bounds = |first: f32, choose: fn(f32, f32) -> f32| [0, 1, 2].map(|at| axis(at).fold(first, choose));
        self.json["accessors"][accessor]["min"] = json!(bounds(f32::MAX, f32::min));
        self.json["accessors"][accessor]["max"] = json!(bounds(f32::MIN, f32::max));
        accessor
    }

    pub fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len() / width, &bytes, false)
    }

    pub fn shorts(&mut self, kind: &str, width: usize, values: &[u16], normalized: bool) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(kind, 5123, values.len() / width, &bytes, normalized)
    }

    pub fn bytes(&mut self, kind: &str, width: usize, values: &[u8]) -> usize {
        self.accessor(kind, 5121, values.len() / width, values, kind == "VEC2")
    }

    /// The primitive of the tube.
    pub fn primitive(&mut self) -> &mut Value {
        &mut self.json["meshes"][0]["primitives"][0]
    }

    /// The bytes of a `.glb` file.
    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.binary.len()}]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.binary.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend(((12 + 16 + text.len() + binary.len()) as u32).to_le_bytes());
        for (kind, bytes) in [(0x4e4f_534a_u32, &text), (0x004e_4942, &binary)] {
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(bytes);
        }
        out
    }
}

/// The nodes, the skin and a material with a texture.
fn skeleton() -> Value {
    let bone = |at: usize| {
        let mut node =
            json!({"name": format!("bone{at}"), "translation": [0.0, if at == 0 { 0.0 } else { LENGTH }, 0.0]});
        if at + 1 < BONES {
            node["children"] = json!([at + 1]);
        }
        node
    };
    let mut nodes: Vec<Value> = (0..BONES).map(bone).collect();
    nodes.push(json!({"name": "tube", "mesh": 0, "skin": 0}));
    json!({
        "asset": {"version": "2.0", "generator": "fabrik3d tests"},
        "scene": 0, "scenes": [{"nodes": [0, BONES]}], "nodes": nodes,
        "skins": [{"joints": (0..BONES).collect::<Vec<_>>()}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "roughnessFactor": 0.6}}],
        "textures": [{"source": 0, "sampler": 0}],
        "samplers": [{"wrapS": 10497, "wrapT": 33071}],
        "bufferViews": [], "accessors": [],
    })
}

fn push(list: &mut Value, value: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(value);
    list.len() - 1
}
