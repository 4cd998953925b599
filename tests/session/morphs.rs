//! Weights of morph targets follow the clip that is played.

use crate::session_support::{apply, wait};
use fabrik3d_scene::Scene;
use fabrik3d_viewer::session::Session;
use serde_json::json;
use std::fmt::Write as _;

const TIMES: [f32; 3] = [0.0, 1.0, 2.0];
/// Two weights at each of these times.
const WEIGHTS: [f32; 6] = [0.2, 0.0, 1.0, 0.5, 0.0, 1.0];

/// A triangle with two morph targets, of which `clip` changes the weights; `still` does not.
fn triangle() -> Scene {
    let lists: [&[f32]; 5] =
        [&[0., 0., 0., 1., 0., 0., 0., 1., 0.], &[0., 0., 1., 0., 0., 1., 0., 0., 1.], &[1.0; 9], &TIMES, &WEIGHTS];
    let (mut uri, mut views, mut accessors) = ("data:application/octet-stream,".to_owned(), Vec::new(), Vec::new());
    let mut length = 0;
    for (at, list) in lists.iter().enumerate() {
        let bytes: Vec<u8> = list.iter().flat_map(|number| number.to_le_bytes()).collect();
        views.push(json!({"buffer": 0, "byteOffset": length, "byteLength": bytes.len()}));
        let (kind, width) = if at < 3 { ("VEC3", 3) } else { ("SCALAR", 1) };
        accessors.push(json!({"bufferView": at, "componentType": 5126, "count": list.len() / width, "type": kind}));
        length += bytes.len();
        bytes.iter().for_each(|byte| write!(uri, "%{byte:02x}").expect("text"));
    }
    let document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{
            "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}, {"POSITION": 2}]}],
            "weights": [0.25, 0.5]
        }],
        "animations": [
            {"name": "clip", "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
             "samplers": [{"input": 3, "output": 4}]},
            {"name": "still", "channels": [{"sampler": 0, "target": {"path": "weights"}}],
             "samplers": [{"input": 3, "output": 4}]}
        ],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": length, "uri": uri}],
    });
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("triangle.gltf");
    std::fs::write(&path, document.to_string()).expect("written");
    Scene::open(&path).expect("the scene reads")
}

fn weights(session: &Session) -> Vec<f32> {
    session.scene().weights(0, 0).to_vec()
}

#[test]
fn the_weights_are_those_of_the_clip_at_each_time() {
    let mut session = Session::new(triangle());
    assert_eq!(weights(&session), [0.25, 0.5], "as the file opens");
    for quarter in 0..=8_u8 {
        let seconds = f32::from(quarter) / 4.0;
        apply(&mut session, &format!("motion.seek {seconds}"));
        let (key, part) = if quarter < 4 { (0, seconds) } else { (1, seconds - 1.0) };
        let expected = [0, 1].map(|at| WEIGHTS[2 * key + at] * (1.0 - part) + WEIGHTS[2 * key + 2 + at] * part);
        let found = weights(&session);
        assert!(
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6),
            "{seconds}: {found:?}, not {expected:?}"
        );
        assert!(!session.is_edited_scene());
    }
    // Playing is seeking, step by step.
    apply(&mut session, "motion.seek 0.5");
    apply(&mut session, "motion.play");
    wait(&mut session, 0.25);
    assert!((weights(&session)[0] - 0.8).abs() < 1e-5, "{:?}", weights(&session));
    session.go_on_as(None);
    assert!(!session.is_edited_scene(), "as it was saved");
    // The other clip leaves the weights of the file, and undo brings the first one back.
    apply(&mut session, "motion.clip still");
    assert_eq!(weights(&session), [0.25, 0.5]);
    apply(&mut session, "undo");
    assert!((weights(&session)[0] - 0.8).abs() < 1e-5, "{:?}", weights(&session));
}
