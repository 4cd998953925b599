//! A recorded person is the same person, however the file lays its links at rest.
#![allow(clippy::unwrap_used)]

use crate::bvh::Plain;
use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{EffectorMode, OpenOptions, Scene, upright};
use glam::{DMat3, DQuat, DVec3, EulerRot};
use std::fmt::Write;

/// The same recording with other axes in each joint: its links lie along x at rest, turned about it at random. The ends of hands,
/// head and toes are left out.
fn laid_along_x(plain: &Plain, random: &mut Random) -> String {
    let count = plain.names.len();
    let children = |joint: usize| (0..count).filter(move |&at| plain.parents[at] == Some(joint));
    let axes = |joint: usize| {
        let link: DVec3 = children(joint).map(|child| plain.offsets[child]).sum();
        let along = DQuat::from_rotation_arc(DVec3::X, link.try_normalize().unwrap_or(DVec3::X));
        along * DQuat::from_rotation_x(random.range(-3.0, 3.0))
    };
    let axes: Vec<DQuat> = (0..count).map(axes).collect();
    let mut text = String::from("HIERARCHY\n");
    let mut open: Vec<usize> = Vec::new();
    for joint in 0..count {
        while open.last().copied() != plain.parents[joint] {
            open.pop();
            text += "}\n";
        }
        let (word, moves, offset) = match plain.parents[joint] {
            None => ("ROOT", "6 Xposition Yposition Zposition", DVec3::ZERO),
            Some(parent) => ("JOINT", "3", axes[parent].conjugate() * plain.offsets[joint]),
        };
        let [x, y, z] = offset.to_array();
        let name = &plain.names[joint];
        write!(text, "{word} {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {moves} Zrotation Yrotation Xrotation\n")
            .unwrap();
        open.push(joint);
        if children(joint).next().is_none() {
            text += "End Site\n{\nOFFSET 0 0 0\n}\n";
        }
    }
    text += &"}\n".repeat(open.len());
    write!(text, "MOTION\nFrames: {}\nFrame Time: 0.01\n", plain.frames.len()).unwrap();
    for frame in 0..plain.frames.len() {
        let placed = plain.placed(frame, false);
        let [x, y, z] = placed[0].w_axis.truncate().to_array();
        write!(text, "{x} {y} {z}").unwrap();
        let turned = |joint: usize| DQuat::from_mat3(&DMat3::from_mat4(placed[joint])) * axes[joint];
        for joint in 0..count {
            let above = plain.parents[joint].map_or(DQuat::IDENTITY, turned);
            let (z, y, x) = (above.conjugate() * turned(joint)).to_euler(EulerRot::ZYX);
            write!(text, " {} {} {}", z.to_degrees(), y.to_degrees(), x.to_degrees()).unwrap();
        }
        text += "\n";
    }
    text
}

fn pinned(scene: &Scene) -> Vec<&str> {
    let pinned = scene.effectors.iter().filter(|effector| effector.hold == EffectorMode::Pinned);
    pinned.map(|effector| effector.name.as_str()).collect()
}

#[test]
fn a_recorded_person_stands_however_its_links_lie_at_rest() {
    let Some(path) = gathered("bvh/pybvh/bvh_example.bvh") else { return };
    let (plain, usual) = (Plain::read(&std::fs::read_to_string(&path).unwrap()), Scene::open(&path).unwrap());
    for seed in 0..8 {
        let text = laid_along_x(&plain, &mut Random::new(seed));
        let scene = Scene::from_bytes(text.into_bytes(), "laid.bvh", &OpenOptions::default()).unwrap();
        assert_eq!(pinned(&scene), pinned(&usual));
        assert_eq!(scene.assets.human_limits, usual.assets.human_limits);
        let size = plain.offsets.iter().map(|offset| offset.length()).sum::<f64>();
        for frame in 0..plain.frames.len() {
            let mut pose = scene.assets.motions[0].pose(&scene.skeleton, frame);
            // What was recorded is within the limits, but for angles that count as rounding errors.
            scene.skeleton.project(&mut pose);
            let frames = scene.skeleton.frames(&pose);
            for (own, expected) in frames.iter().zip(plain.placed(frame, false)) {
                let apart = own.position.distance(expected.w_axis.truncate());
                assert!(apart < 1e-5 * size, "seed {seed}, frame {frame}: {apart}");
            }
        }
    }
}

/// The rest pose of a recording that is written as glTF is the same.
#[test]
fn a_recording_rests_in_gltf_as_in_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let recordings =
        ["bvh/pybvh/bvh_example.bvh", "bvh/pybvh/standard_skeleton.bvh", "bvh/cmu/01_01_playground_hops.bvh"];
    let own = ["walk.bvh", "two-joints.bvh"].map(|name| own.join(name));
    for path in recordings.into_iter().filter_map(gathered).chain(own) {
        let scene = Scene::open(&path).unwrap();
        for extension in ["glb", "gltf"] {
            let out = folder.path().join(format!("out.{extension}"));
            scene.export(&scene.assets.motions[0], &out, None).unwrap();
            let again = Scene::open(&out).unwrap();
            let turn = upright(scene.up, again.up);
            let rest = [&scene, &again].map(|scene| scene.skeleton.frames(&scene.skeleton.rest_pose()));
            let size = rest[0].iter().map(|frame| frame.position.distance(rest[0][0].position)).fold(0.0, f64::max);
            let other = |at: usize| again.skeleton.find(&scene.skeleton.joints()[at].name).unwrap();
            for (joint, described) in scene.skeleton.joints().iter().enumerate() {
                let Some(parent) = described.parent else { continue };
                let link = turn * (rest[0][joint].position - rest[0][parent].position);
                let same = rest[1][other(joint)].position - rest[1][other(parent)].position;
                let off = link.distance(same) / size;
                assert!(
                    off < 1e-5,
                    "{}, {extension}: {} rests {off} elsewhere: {link}, {same}",
                    path.display(),
                    described.name
                );
            }
        }
    }
}
