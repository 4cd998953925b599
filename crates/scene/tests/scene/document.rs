//! glTF documents made by tests.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::path::Path;

/// A document without nodes, and the bytes of its buffer.
pub(crate) struct Document {
    pub value: Value,
    bytes: Vec<u8>,
}

impl Document {
    pub fn new() -> Self {
        let value = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "accessors": [], "bufferViews": [],
            "animations": [{"name": "clip", "channels": [], "samplers": [], "extras": {"kept": true}}],
        });
        Document { value, bytes: Vec::new() }
    }

    pub fn list(&mut self, key: &str) -> &mut Vec<Value> {
        self.value[key].as_array_mut().unwrap()
    }

    pub fn accessor(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * numbers.len()});
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.list("bufferViews").push(view);
        let view = self.list("bufferViews").len() - 1;
        let accessor = json!({"bufferView": view, "componentType": 5126, "count": numbers.len() / width, "type": kind});
        self.list("accessors").push(accessor);
        self.list("accessors").len() - 1
    }

    /// Adds a channel with a key at each of these times.
    pub fn channel(&mut self, node: usize, path: &str, times: &[f32], mut value: impl FnMut() -> Vec<f32>) {
        let values: Vec<Vec<f32>> = times.iter().map(|_| value()).collect();
        let (kind, width) = [("", 0), ("SCALAR", 1), ("VEC2", 2), ("VEC3", 3), ("VEC4", 4)][values[0].len()];
        let output = self.accessor(kind, width, &values.concat());
        self.sampled(node, path, times, (output, "LINEAR"));
    }

    /// Adds a channel with keys at these times, whose values are those of an accessor.
    pub fn sampled(&mut self, node: usize, path: &str, times: &[f32], (output, interpolation): (usize, &str)) {
        let input = self.accessor("SCALAR", 1, times);
        let animation = &mut self.value["animations"][0];
        let samplers = animation["samplers"].as_array_mut().unwrap();
        samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
        let sampler = samplers.len() - 1;
        let channel = json!({"sampler": sampler, "target": {"node": node, "path": path}});
        animation["channels"].as_array_mut().unwrap().push(channel);
    }

    /// Adds an accessor that is zero but for some elements.
    pub fn sparse(&mut self, count: usize, elements: &[(u32, [f32; 3])]) -> usize {
        let mut view = |bytes: Vec<u8>| {
            let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
            self.bytes.extend(bytes);
            self.list("bufferViews").push(view);
            self.list("bufferViews").len() - 1
        };
        let indices = view(elements.iter().flat_map(|(at, _)| at.to_le_bytes()).collect());
        let values = view(elements.iter().flat_map(|(_, value)| value.map(f32::to_le_bytes).concat()).collect());
        let sparse = json!({
            "count": elements.len(), "indices": {"bufferView": indices, "componentType": 5125}, "values": {"bufferView": values},
        });
        self.list("accessors").push(json!({"componentType": 5126, "count": count, "type": "VEC3", "sparse": sparse}));
        self.list("accessors").len() - 1
    }

    pub fn node(&mut self, parent: Option<usize>, node: Value) -> usize {
        self.list("nodes").push(node);
        let at = self.list("nodes").len() - 1;
        let children = match parent {
            Some(parent) => &mut self.value["nodes"][parent]["children"],
            None => &mut self.value["scenes"][0]["nodes"],
        };
        if !children.is_array() {
            *children = json!([]);
        }
        children.as_array_mut().unwrap().push(json!(at));
        at
    }

    pub fn write(&self, path: &Path) {
        let mut value = self.value.clone();
        std::fs::write(path.with_extension("bin"), &self.bytes).unwrap();
        value["buffers"] =
            json!([{"byteLength": self.bytes.len(), "uri": path.with_extension("bin").file_name().unwrap().to_str()}]);
        std::fs::write(path, value.to_string()).unwrap();
    }
}
