//! What a glTF file holds that a written motion does not set stays in it.
#![allow(clippy::unwrap_used)]

use crate::document::Document;
use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Motion, OpenOptions, Scene};
use glam::DVec3;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The channels of the animations of a file: name of the animation, node and path.
fn channels(path: &Path) -> Vec<(String, u64, String)> {
    let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut channels = Vec::new();
    for animation in document["animations"].as_array().unwrap() {
        for channel in animation["channels"].as_array().unwrap() {
            let (name, target) = (animation["name"].as_str().unwrap_or_default(), &channel["target"]);
            channels.push((
                name.to_owned(),
                target["node"].as_u64().unwrap(),
                target["path"].as_str().unwrap().to_owned(),
            ));
        }
    }
    channels
}

fn positions(scene: &Scene, motion: &Motion, frame: usize) -> Vec<DVec3> {
    motion.frames(&scene.skeleton, frame).iter().map(|frame| frame.position).collect()
}

fn paths(folder: &Path) -> [PathBuf; 2] {
    ["a.gltf", "b.gltf"].map(|name| folder.join(name))
}

/// Weights, scales and nodes that are no joints keep their channels when a clip is written again, and the joints are where they were.
#[test]
fn a_clip_that_is_written_keeps_what_it_does_not_set() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = paths(folder.path());
    let mut random = Random::new(2);
    for case in 0..60 {
        let mut document = Document::new();
        let times: Vec<f32> = (0..5).map(|at| at as f32 / 20.0).collect();
        let mut place = || (random.ball() * 2.0).as_vec3().to_array().to_vec();
        let root = document.node(None, json!({"name": "root", "translation": place()}));
        // A helper between two joints, and one beside them.
        let arm = document.node(Some(root), json!({"name": "arm", "translation": place()}));
        let between = document.node(Some(arm), json!({"name": "between", "translation": place()}));
        let hand = document.node(Some(between), json!({"name": "hand", "translation": place()}));
        let beside = document.node(Some(hand), json!({"name": "beside", "translation": place()}));
        document.value["skins"] = json!([{"joints": [root, arm, hand]}]);
        for node in [root, arm, hand, beside] {
            let mut random = Random::new(case * 10 + node as u64);
            document.channel(node, "rotation", &times, || random.rotation().as_quat().to_array().to_vec());
        }
        let mut random = Random::new(case);
        for node in [beside, between] {
            document.channel(node, "translation", &times, || random.ball().as_vec3().to_array().to_vec());
        }
        for node in [arm, hand] {
            document.channel(node, "scale", &times, || vec![random.range(0.5, 2.0) as f32; 3]);
        }
        document.channel(beside, "weights", &[0.0, 3.0], || vec![random.unit() as f32]);
        document.write(&from);
        let scene = Scene::open(&from).unwrap();
        let clip = &scene.assets.motions[0];
        assert_eq!(clip.duration(), 3.0, "the weights last longest");
        scene.export(clip, &to, Some(&from)).unwrap();
        let written = channels(&to);
        for channel in channels(&from) {
            assert!(written.contains(&channel), "case {case}: {channel:?} is lost: {written:?}");
        }
        let extras: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
        assert_eq!(extras["animations"][0]["extras"]["kept"], json!(true));
        let again = Scene::open(&to).unwrap();
        for frame in 0..5 {
            let expected = positions(&scene, clip, frame);
            for (one, other) in positions(&again, &again.assets.motions[0], frame).iter().zip(&expected) {
                assert!(one.distance(*other) < 1e-4, "case {case}, frame {frame}: {one} {other}");
            }
        }
    }
}

/// Joints without a common root get no skin, and keep their rest pose.
#[test]
fn joints_of_several_roots_get_no_skin() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = paths(folder.path());
    for roots in 1..4 {
        let mut document = Document::new();
        document.value.as_object_mut().unwrap().remove("animations");
        for at in 0..roots {
            let root = document.node(None, json!({"name": format!("root{at}"), "translation": [at, 0, 0]}));
            document.node(Some(root), json!({"name": format!("tip{at}"), "translation": [0, 1, 0]}));
        }
        document.write(&from);
        let scene = Scene::open(&from).unwrap();
        let mut random = Random::new(1);
        let pose = |random: &mut Random| {
            let mut pose = scene.skeleton.rest_pose();
            pose.iter_mut().for_each(|joint| *joint = fabrik3d_ik::Coordinates::rotation(random.rotation()));
            scene.skeleton.project(&mut pose);
            pose
        };
        let motion = Motion::new("new", 0.1, vec![pose(&mut random), pose(&mut random)]);
        scene.export(&motion, &to, Some(&from)).unwrap();
        let written: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
        assert_eq!(written["skins"].is_array(), roots == 1, "{roots} roots");
        let again = Scene::open(&to).unwrap();
        let rest = |scene: &Scene| scene.skeleton.frames(&scene.skeleton.rest_pose());
        for (one, other) in rest(&again).iter().zip(rest(&scene)) {
            assert!(one.position.distance(other.position) < 1e-6, "{roots} roots");
        }
    }
}

/// A pose below a node with an uneven scale is written right, or refused: never beside.
#[test]
fn a_pose_below_an_uneven_scale_is_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = paths(folder.path());
    let mut random = Random::new(5);
    let (mut right, mut refused) = (0, 0);
    for case in 0..100 {
        let scale = if case % 2 == 0 { [2.0; 3] } else { [random.range(0.3, 3.0), random.range(0.3, 3.0), 1.0] };
        let mut document = Document::new();
        document.value.as_object_mut().unwrap().remove("animations");
        let mut above = document.node(None, json!({"name": "root", "scale": scale}));
        for name in ["upper", "lower", "tip"] {
            let rotation = random.rotation().as_quat().to_array();
            above = document.node(Some(above), json!({"name": name, "translation": [0, 1, 0], "rotation": rotation}));
        }
        document.value["skins"] = json!([{"joints": [0, 1, 2, 3]}]);
        document.write(&from);
        let scene = Scene::open(&from).unwrap();
        let mut pose = scene.skeleton.rest_pose();
        pose.iter_mut().skip(1).for_each(|joint| *joint = fabrik3d_ik::Coordinates::rotation(random.rotation()));
        scene.skeleton.project(&mut pose);
        match scene.export(&Motion::new("pose", 1.0, vec![pose.clone()]), &to, Some(&from)) {
            Err(error) => {
                assert!(error.to_string().contains("scale"), "{error}");
                refused += 1;
            }
            Ok(()) => {
                let document: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
                let mut world = glam::DMat4::IDENTITY;
                for (at, frame) in scene.skeleton.frames(&pose).iter().enumerate() {
                    let numbers = |key: &str, or: &[f64]| -> Vec<f64> {
                        let list = document["nodes"][at][key].as_array();
                        list.map_or(or.to_vec(), |list| list.iter().map(|number| number.as_f64().unwrap()).collect())
                    };
                    let (place, turn) = (numbers("translation", &[0.0; 3]), numbers("rotation", &[0.0, 0.0, 0.0, 1.0]));
                    world *= glam::DMat4::from_scale_rotation_translation(
                        DVec3::from_slice(&numbers("scale", &[1.0; 3])),
                        glam::DQuat::from_slice(&turn),
                        DVec3::from_slice(&place),
                    );
                    let apart = world.w_axis.truncate().distance(frame.position);
                    assert!(apart < 1e-3, "case {case}, scale {scale:?}: {apart}");
                }
                right += 1;
            }
        }
    }
    assert!(right >= 50 && refused > 0, "{right} right, {refused} refused");
}

/// A clip that moves nothing but morph targets lasts as long as they do, also after it was written.
#[test]
fn gathered_morphs_keep_their_clip() {
    let folder = tempfile::tempdir().unwrap();
    for (name, seconds) in [
        ("trials/characters/morphs/AnimatedMorphSphere.glb", 7.2),
        ("trials/characters/no-common-root/01_morphed_cube.gltf", 2.0),
    ] {
        let Some(from) = gathered(name) else { return };
        let scene = Scene::open_with(&from, &OpenOptions::default()).unwrap();
        let to = folder.path().join("out.gltf");
        scene.export(&scene.assets.motions[0], &to, Some(&from)).unwrap();
        let again = Scene::open(&to).unwrap();
        for scene in [&scene, &again] {
            assert!(
                (scene.assets.motions[0].duration() - seconds).abs() < 0.1,
                "{}",
                scene.assets.motions[0].duration()
            );
        }
        assert!(channels(&to).iter().any(|(_, _, path)| path == "weights"));
        let written: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
        assert!(written["skins"].as_array().is_none_or(Vec::is_empty));
    }
}
