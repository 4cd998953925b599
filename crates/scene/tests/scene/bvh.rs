//! BVH: poses agree with an independent reader, and written files round-trip.
#![allow(clippy::unwrap_used)]

use crate::gathered;
use crate::written;

use fabrik3d_ik::Joint;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Coordinates, Kind};
use fabrik3d_scene::{Motion, OpenOptions, Retarget, Scene, Syntax, Up};
use gathered::gathered;
use glam::{DMat4, dvec3};
use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};

/// An independent, minimal reader: words in order, matrices multiplied as the format description says.
pub struct Plain {
    pub names: Vec<String>,
    pub parents: Vec<Option<usize>>,
    pub offsets: Vec<DVec3>,
    channels: Vec<Vec<String>>,
    pub frames: Vec<Vec<f64>>,
}

impl Plain {
    pub fn read(text: &str) -> Self {
        let (head, motion) = text.split_once("MOTION").unwrap();
        let words: Vec<&str> = head.split_whitespace().collect();
        let mut plain = Plain {
            names: Vec::new(),
            parents: Vec::new(),
            offsets: Vec::new(),
            channels: Vec::new(),
            frames: Vec::new(),
        };
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut last = None;
        for (at, &word) in words.iter().enumerate() {
            match word {
                "ROOT" | "JOINT" => {
                    let name = words[at + 1..].iter().take_while(|&&word| word != "{");
                    plain.names.push(name.copied().collect::<Vec<_>>().join(" "));
                    plain.parents.push(open.last().copied().flatten());
                    plain.channels.push(Vec::new());
                    last = Some(plain.names.len() - 1);
                }
                "Site" if words[at - 1] == "End" => last = None,
                "{" => open.push(last),
                "}" => drop(open.pop()),
                "OFFSET" if open.last().unwrap().is_some() => {
                    let [x, y, z] = [1, 2, 3].map(|i| words[at + i].parse().unwrap());
                    plain.offsets.push(dvec3(x, y, z));
                }
                "CHANNELS" => {
                    let count: usize = words[at + 1].parse().unwrap();
                    let names = words[at + 2..at + 2 + count].iter().map(|name| (*name).to_owned());
                    plain.channels[open.last().unwrap().unwrap()] = names.collect();
                }
                _ => {}
            }
        }
        let lines = motion.lines().filter(|line| !line.contains(':') && !line.trim().is_empty());
        plain.frames = lines.map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect();
        plain
    }

    /// World positions of all joints. `whole`: position channels include the offset.
    fn positions(&self, frame: usize, whole: bool) -> Vec<DVec3> {
        self.placed(frame, whole).iter().map(|matrix| matrix.w_axis.truncate()).collect()
    }

    /// The joints in the world.
    pub fn placed(&self, frame: usize, whole: bool) -> Vec<DMat4> {
        let mut numbers = self.frames[frame].iter();
        let mut placed: Vec<DMat4> = Vec::new();
        for i in 0..self.names.len() {
            let (mut place, mut turn) = (DVec3::ZERO, DMat4::IDENTITY);
            for channel in &self.channels[i] {
                let value = *numbers.next().unwrap();
                let radians = value.to_radians();
                match channel.as_str() {
                    "Xposition" => place.x = value,
                    "Yposition" => place.y = value,
                    "Zposition" => place.z = value,
                    "Xrotation" => turn *= DMat4::from_rotation_x(radians),
                    "Yrotation" => turn *= DMat4::from_rotation_y(radians),
                    "Zrotation" => turn *= DMat4::from_rotation_z(radians),
                    other => panic!("{other}"),
                }
            }
            let offset = if whole && self.channels[i].len() == 6 { DVec3::ZERO } else { self.offsets[i] };
            let local = DMat4::from_translation(offset + place) * turn;
            placed.push(self.parents[i].map_or(local, |parent| placed[parent] * local));
        }
        placed
    }
}

fn own() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/models/two-joints.bvh")
}

fn motion(scene: &Scene) -> &Motion {
    &scene.assets.motions[0]
}

#[test]
fn joint_positions_match_an_independent_reader() {
    let files = [
        ("bvh/cmu/01_01_playground_hops.bvh", 97, false),
        ("bvh/pybvh/bvh_example.bvh", 5, false),
        // Its positions include the root's offset.
        ("bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", 83, true),
        ("edge/bvh/rotation_first_root.bvh", 1, false),
    ];
    let gathered = files.iter().filter_map(|&(name, step, whole)| Some((gathered(name)?, step, whole)));
    for (path, step, whole) in gathered.chain([(own(), 1, false)]) {
        let plain = Plain::read(&std::fs::read_to_string(&path).unwrap());
        let scene = Scene::open(&path).unwrap();
        assert_eq!(motion(&scene).len(), plain.frames.len());
        let size = plain.offsets.iter().map(|offset| offset.length()).sum::<f64>();
        for frame in (0..plain.frames.len()).step_by(step) {
            let placed = scene.skeleton.frames(&motion(&scene).pose(&scene.skeleton, frame));
            for (i, expected) in plain.positions(frame, whole).into_iter().enumerate() {
                let joint = scene.skeleton.find(&plain.names[i]).unwrap();
                let apart = placed[joint].position.distance(expected);
                assert!(apart < 1e-9 * size, "{}, frame {frame}, {}: {apart}", path.display(), plain.names[i]);
            }
        }
    }
}

#[test]
fn link_axes_are_z_for_any_axes_in_the_file() {
    let scene = Scene::open(own()).unwrap();
    let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
    for (joint, length) in [(0, 0.3), (1, 0.25)] {
        assert!((frames[joint].rotation * DVec3::Z - DVec3::Y).length() < 1e-12);
        let end = if joint == 0 { frames[1].position } else { frames[1].point(scene.effectors[0].effector.tip) };
        assert!(end.distance(frames[joint].position + DVec3::Y * length) < 1e-12);
    }
}

fn bvh_text(scene: &Scene, motion: &Motion) -> String {
    String::from_utf8(written(scene, motion, "bvh").unwrap()).unwrap()
}

/// Writes, reads with both readers, and compares all joints in all frames.
fn assert_round_trip(scene: &Scene, motion: &Motion, what: &str) {
    let text = bvh_text(scene, motion);
    let path = std::env::temp_dir().join(format!("fabrik3d-{}-{what}.bvh", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let again = Scene::open(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
    std::fs::remove_file(&path).unwrap();
    let recorded = &again.assets.motions[0];
    assert_eq!(recorded.len(), motion.len(), "{what}");
    let plain = Plain::read(&text);
    assert!((recorded.frame_time - motion.frame_time).abs() < 1e-9, "{what}");
    for frame in 0..motion.len() {
        let before = scene.skeleton.frames(&motion.pose(&scene.skeleton, frame));
        let after = again.skeleton.frames(&recorded.pose(&again.skeleton, frame));
        for (name, place) in plain.names.iter().zip(plain.positions(frame, false)) {
            let apart = before[scene.skeleton.find(name).unwrap()].position.distance(place);
            assert!(apart < 1e-6, "{what}, frame {frame}, {name}, by the independent reader: {apart}");
        }
        for (joint, placed) in scene.skeleton.joints().iter().zip(&before) {
            let same = again.skeleton.find(&joint.name).unwrap();
            let apart = placed.position.distance(after[same].position);
            assert!(apart < 1e-6, "{what}, frame {frame}, {}: {apart}", joint.name);
        }
        for effector in &scene.effectors {
            let tip = before[effector.effector.joint].point(effector.effector.tip);
            let found = again
                .effectors
                .iter()
                .any(|other| after[other.effector.joint].point(other.effector.tip).distance(tip) < 1e-6);
            assert!(found, "{what}, frame {frame}: the tip of {}", effector.name);
        }
    }
}

#[test]
fn recorded_files_round_trip() {
    let names = ["bvh/pybvh/bvh_example.bvh", "edge/bvh/rotation_first_root.bvh", "bvh/bvh_anim/test_simple.bvh"];
    for path in names.iter().filter_map(|name| gathered(name)).chain([own()]) {
        let scene = Scene::open(&path).unwrap();
        assert_round_trip(&scene, motion(&scene), path.file_stem().unwrap().to_str().unwrap());
    }
}

/// Hands, head, feet, toes and hips lead a known body. Where its links end, effectors can be added, and both writers keep the
/// ends.
#[test]
fn a_known_body_has_effectors_on_its_parts_and_end_sites_of_its_own() {
    for name in ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh"] {
        let Some(path) = gathered(name) else { continue };
        let text = std::fs::read_to_string(&path).unwrap();
        let mut scene = Scene::open(&path).unwrap();
        let names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
        let ends = ["LeftHand", "RightHand", "Head", "LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase", "Hips"];
        assert_eq!(names, ends, "{name}");
        let joint = |effector: usize| scene.skeleton.joints()[scene.effectors[effector].effector.joint].name.as_str();
        assert!((0..ends.len()).all(|at| joint(at) == ends[at]), "{name}: effectors sit on the joints of their names");
        let count = text.matches("End Site").count();
        assert_eq!((scene.assets.end_sites.len(), scene.link_ends().count()), (count, count), "{name}");
        assert_eq!(bvh_text(&scene, motion(&scene)).matches("End Site").count(), count, "{name}");
        for syntax in [Syntax::Toml, Syntax::Json] {
            let read = Scene::parse(&scene.to_text(syntax), syntax, name).unwrap();
            assert_eq!(read.assets.end_sites, scene.assets.end_sites, "{name}: scene files keep End Sites");
            assert_eq!((&read.skeleton, &read.effectors), (&scene.skeleton, &scene.effectors), "{name}");
        }
        for end in scene.assets.end_sites.clone() {
            assert_eq!(scene.find_place(&end.name), Some((end.joint, end.tip)));
            let at = scene.add_effector(&end.name, None).unwrap();
            let frame = scene.skeleton.frames(&scene.start)[end.joint];
            let target = scene.effectors[at].target.position.unwrap();
            assert!(target.distance(frame.point(end.tip)) < 1e-9, "{name}, {}", end.name);
        }
        assert_eq!(scene.link_ends().count(), count, "{name}: an effector on an End Site adds no link");
        let glb = written(&scene, motion(&scene), "glb").unwrap();
        let text = String::from_utf8_lossy(&glb);
        let has_node = |name: &str| text.contains(&format!("\"name\":\"{name}\""));
        assert!(scene.assets.end_sites.iter().all(|end| has_node(&end.name)), "{name}: glTF has a node per End Site");
    }
}

/// In a figure whose parts are not known, every End Site has an effector, named after its joint.
#[test]
fn an_unknown_figure_has_effectors_on_its_end_sites() {
    let scene = Scene::open(own()).unwrap();
    let [end] = &scene.assets.end_sites[..] else { panic!("one End Site") };
    let [effector] = &scene.effectors[..] else { panic!("one effector") };
    assert_eq!((effector.effector.joint, effector.effector.tip), (end.joint, end.tip));
    assert_eq!(end.name, format!("{}_End", effector.name));
    assert_eq!(scene.link_ends().count(), 1);
}

#[test]
fn channels_keep_their_order() {
    let files = ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh", "edge/bvh/rotation_first_root.bvh"];
    for path in files.iter().filter_map(|name| gathered(name)).chain([own()]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let scene = Scene::open(&path).unwrap();
        let before = Plain::read(&text);
        let slower = motion(&scene).at_rate(&scene.skeleton, 10.0);
        for written in [bvh_text(&scene, motion(&scene)), bvh_text(&scene, &slower)] {
            let after = Plain::read(&written);
            assert_eq!((before.names.len(), &before.channels), (after.names.len(), &after.channels));
        }
    }
}

/// All orders of three rotations, and of rotations and positions; also for joints with a constant position.
#[test]
fn every_channel_order_round_trips() {
    let turns = ["X Y Z", "X Z Y", "Y X Z", "Y Z X", "Z X Y", "Z Y X"];
    let rotations = |order: &str| order.split(' ').map(|axis| format!(" {axis}rotation")).collect::<String>();
    let places = " Yposition Xposition Zposition";
    for (at, order) in turns.into_iter().enumerate() {
        let (root, inner) = (rotations(order), rotations(turns[(at + 2) % 6]));
        let root = if at % 2 == 0 { format!("{places}{root}") } else { format!("{root}{places}") };
        let text = format!(
            "HIERARCHY\nROOT hip\n{{\nOFFSET 0 0 0\nCHANNELS 6{root}\nJOINT knee\n{{\nOFFSET 0 2 0\nCHANNELS 6{places}{inner}\n\
             JOINT ankle\n{{\nOFFSET 0 1 0.5\nCHANNELS 1 Xrotation\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n}}\n}}\n\
             MOTION\nFrames: 3\nFrame Time: 0.1\n"
        );
        let mut random = Random::new(at as u64);
        let frame = |_| {
            let mut number = || 60.0 * random.ball().x;
            let root: Vec<f64> = (0..6).map(|_| number()).collect();
            format!(
                "{} 0 0 0 {} {} {} {}\n",
                root.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
                number(),
                number(),
                number(),
                number()
            )
        };
        let text = text + &(0..3).map(frame).collect::<String>();
        let path = std::env::temp_dir().join(format!("fabrik3d-{}-order-{at}.bvh", std::process::id()));
        std::fs::write(&path, &text).unwrap();
        let scene = Scene::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let again = Plain::read(&bvh_text(&scene, motion(&scene)));
        let source = Plain::read(&text);
        assert_eq!(again.channels[..2], source.channels[..2]);
        // One channel cannot represent every rotation, so the ankle gets the usual three.
        assert_eq!(again.channels[2], ["Zrotation", "Xrotation", "Yrotation"]);
        for (before, after) in source.frames.iter().zip(&again.frames) {
            // The degrees are unchanged, since no middle angle exceeds a right angle.
            let apart = before[..12].iter().zip(after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "{order}: {before:?} {after:?}");
        }
        assert_round_trip(&scene, motion(&scene), &format!("order-{at}-again"));
    }
}

#[test]
fn random_poses_of_own_scenes_round_trip() {
    for name in ["human-arm", "tree", "hexapod", "robot-arm", "crane"] {
        let path =
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/scenes").join(format!("{name}.toml"));
        let scene = Scene::open(path).unwrap();
        let mut random = Random::new(7);
        let pose = |_| {
            let mut pose: Vec<Coordinates> =
                scene.skeleton.joints().iter().map(|joint| any(&mut random, joint)).collect();
            scene.skeleton.project(&mut pose);
            pose
        };
        let motion = Motion::new("random", 0.1, (0..20).map(pose).collect());
        assert_round_trip(&scene, &motion, name);
    }
}

fn any(random: &mut Random, joint: &Joint) -> Coordinates {
    let turn = DQuat::from_scaled_axis(random.ball() * 3.0);
    match joint.kind {
        Kind::Ball { swing: None, twist: None } => Coordinates::rotation(turn),
        Kind::Ball { .. } => Coordinates::ball([random.ball().x * 2.0, random.ball().y * 2.0], random.ball().z * 3.0),
        Kind::Hinge { .. } | Kind::Slide { .. } => Coordinates::scalar(random.ball().x * 3.0),
        Kind::Fixed => Coordinates::default(),
        Kind::Free => Coordinates::free(random.ball() + DVec3::X * 3.0, turn),
    }
}

#[test]
fn poses_between_frames_are_interpolated() {
    let scene = Scene::open(own()).unwrap();
    let motion = motion(&scene);
    assert!((motion.duration() - 1.0).abs() < 1e-12);
    let between = motion.pose_at(&scene.skeleton, 0.125 * 0.5);
    let elbow = scene.skeleton.frames(&between)[1].position;
    let expected = DVec3::new(-5_f64.to_radians().sin(), 5_f64.to_radians().cos(), 0.0) * 0.3;
    assert!(elbow.distance(expected) < 1e-9, "{elbow} {expected}");
    assert_eq!(motion.pose_at(&scene.skeleton, -1.0), motion.pose(&scene.skeleton, 0));
    assert_eq!(motion.pose_at(&scene.skeleton, 99.0), motion.pose(&scene.skeleton, 8));
    assert_eq!(motion.len(), 9);
}

/// glTF holds 32-bit floats. A motion beyond them is refused instead of written as infinity, which no reader accepts.
#[test]
fn motion_beyond_the_numbers_of_gltf_is_not_written_as_gltf() {
    for (place, is_written) in [(1.0, true), (1e29, true), (1e31, false), (1e60, false)] {
        let text = format!(
            "HIERARCHY\nROOT hip\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
             JOINT knee\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n}}\n\
             MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0 0 0 0\n0 {place:e} 0 0 0 0 0 0 0\n"
        );
        let scene = Scene::from_bytes(text.into_bytes(), "far.bvh", &OpenOptions::default()).unwrap();
        match written(&scene, motion(&scene), "glb") {
            Ok(bytes) => {
                assert!(is_written, "{place:e}");
                Scene::from_bytes(bytes, "far.glb", &OpenOptions::default()).unwrap();
            }
            Err(error) => {
                let said = error.to_string();
                assert!(!is_written && said.contains("frame 1") && said.contains("1e30"), "{place:e}: {said}");
            }
        }
    }
}

#[test]
fn frames_that_the_header_does_not_count_are_read() {
    let text = std::fs::read_to_string(own()).unwrap();
    let expected = Scene::open(own()).unwrap();
    let count = motion(&expected).len();
    let text = text.replace(&format!("Frames: {count}"), &format!("Frames: {}", count - 1));
    let scene = Scene::from_bytes(text.into_bytes(), "two-joints.bvh", &OpenOptions::default()).unwrap();
    assert_eq!(motion(&scene), motion(&expected));
    let warning = format!("the file says {} frames, but {count} lines of numbers follow; all are read", count - 1);
    assert_eq!(scene.assets.warnings, [warning]);
}

/// A joint of a file that a test writes: parent, name, offset, and whether it has position channels.
type Written = (Option<usize>, String, DVec3, bool);

/// The text of a file, whose frames are the values of all channels. Rotations are Z, X, Y.
fn text_of(joints: &[Written], frames: &[Vec<f64>]) -> String {
    let mut text = String::from("HIERARCHY\n");
    let mut open: Vec<usize> = Vec::new();
    for (at, (parent, name, offset, moves)) in joints.iter().enumerate() {
        while open.last() != parent.as_ref() {
            open.pop();
            text += "}\n";
        }
        let word = if parent.is_some() { "JOINT" } else { "ROOT" };
        let places = if *moves { "6 Xposition Yposition Zposition" } else { "3" };
        let [x, y, z] = offset.to_array();
        text += &format!("{word} {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {places} Zrotation Xrotation Yrotation\n");
        open.push(at);
        if !joints.iter().any(|(parent, ..)| *parent == Some(at)) {
            text += "End Site\n{\nOFFSET 0.2 0.5 1\n}\n";
        }
    }
    text += &"}\n".repeat(open.len());
    text += &format!("MOTION\nFrames: {}\nFrame Time: 0.02\n", frames.len());
    for frame in frames {
        let numbers: Vec<String> = frame.iter().map(f64::to_string).collect();
        text += &(numbers.join(" ") + "\n");
    }
    text
}

/// Positions are whole or displacements in all joints of a file alike, wherever its roots start, and whatever a few joints do.
#[test]
fn positions_include_offsets_in_all_joints_of_a_file_or_in_none() {
    let mut random = Random::new(12);
    for case in 0..200 {
        let whole = case % 2 == 0;
        let count = 4 + random.index(12);
        let mut joints: Vec<Written> = vec![(None, "j0".to_owned(), random.ball() * 20.0, true)];
        for at in 1..count {
            // A joint on the one before it, or on the one above that.
            let above = joints[at - 1].0.filter(|_| random.index(3) == 0);
            let parent = Some(above.unwrap_or(at - 1));
            joints.push((parent, format!("j{at}"), random.ball() * 20.0, at < 3 || random.index(4) > 0));
        }
        // One joint below the root starts elsewhere, as the hips below a joint at the origin.
        let stray = (count > 7).then_some(1);
        let start = random.ball() * 500.0;
        let frames: Vec<Vec<f64>> = (0..5)
            .map(|_| {
                let mut values = Vec::new();
                for (at, (parent, _, offset, moves)) in joints.iter().enumerate() {
                    let place = if parent.is_none() || stray == Some(at) {
                        start + random.ball() * 30.0
                    } else {
                        random.ball() * 0.5 + if whole { *offset } else { DVec3::ZERO }
                    };
                    values.extend(moves.then_some(place.to_array()).into_iter().flatten());
                    values.extend((0..3).map(|_| random.range(-170.0, 170.0)));
                }
                values
            })
            .collect();
        let text = text_of(&joints, &frames);
        let plain = Plain::read(&text);
        let scene = Scene::from_bytes(text.into_bytes(), "a.bvh", &OpenOptions::default()).unwrap();
        for frame in 0..frames.len() {
            let placed = scene.skeleton.frames(&motion(&scene).pose(&scene.skeleton, frame));
            for (own, expected) in placed.iter().zip(plain.positions(frame, whole)) {
                assert!(own.position.distance(expected) < 1e-6, "case {case}, whole {whole}: {own:?} {expected}");
            }
        }
    }
}

/// A person with arms aside, by names that are known; the root is far away.
fn person(root: DVec3) -> Vec<Written> {
    let side = |side: &str, x: f64, joints: &mut Vec<Written>| {
        let parts = [
            ("Arm", 2, dvec3(2.0 * x, 0.0, 0.0)),
            ("ForeArm", 0, dvec3(3.0 * x, 0.0, 0.0)),
            ("Hand", 0, dvec3(3.0 * x, 0.0, 0.0)),
        ];
        let legs =
            [("UpLeg", 1, dvec3(x, -0.5, 0.0)), ("Leg", 0, dvec3(0.0, -4.0, 0.0)), ("Foot", 0, dvec3(0.0, -4.0, 0.0))];
        for (name, on, offset) in parts.into_iter().chain(legs) {
            let parent = match on {
                2 => 1,
                1 => 0,
                _ => joints.len() - 1,
            };
            joints.push((Some(parent), format!("{side}{name}"), offset, false));
        }
    };
    let mut joints: Vec<Written> = vec![
        (None, "Hips".to_owned(), root, true),
        (Some(0), "Spine".to_owned(), dvec3(0.0, 3.0, 0.0), false),
        (Some(1), "Head".to_owned(), dvec3(0.0, 2.0, 0.0), false),
    ];
    side("Left", 1.0, &mut joints);
    side("Right", -1.0, &mut joints);
    // Children follow their parents, each limb as a whole.
    let order = [0, 1, 2, 3, 4, 5, 9, 10, 11, 6, 7, 8, 12, 13, 14];
    let place = |old: usize| order.iter().position(|at| *at == old).unwrap();
    order.map(|at| (joints[at].0.map(place), joints[at].1.clone(), joints[at].2, joints[at].3)).into()
}

/// Up is where a person has its hips above its feet in the recording, wherever it walks and however it lies in its file.
#[test]
fn the_recorded_motion_says_what_is_up() {
    let mut random = Random::new(4);
    for case in 0..100 {
        let up = if case % 2 == 0 { Up::Y } else { Up::Z };
        let root = random.ball() * 400.0;
        let joints = person(root);
        let stands = if up == Up::Y { DQuat::IDENTITY } else { DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2) };
        let (way, heading) = (random.ball() * 300.0, random.range(-3.0, 3.0));
        let frames: Vec<Vec<f64>> = (0..20)
            .map(|frame| {
                let turn = DQuat::from_axis_angle(up.axis(), heading + f64::from(frame) * 0.05) * stands;
                let (z, x, y) = turn.to_euler(glam::EulerRot::ZXY);
                let mut values = (root + way * f64::from(frame)).to_array().to_vec();
                values.extend([z, x, y].map(f64::to_degrees));
                values.extend((3..joints.len() * 3).map(|_| random.range(-20.0, 20.0)));
                values
            })
            .collect();
        let text = text_of(&joints, &frames);
        let scene = Scene::from_bytes(text.into_bytes(), "walk.bvh", &OpenOptions::default()).unwrap();
        assert!(scene.assets.unknown_body.is_none());
        assert_eq!(scene.up, up, "case {case}");
    }
}

/// The hips of this recording start away from their offset; its first joint stays at the origin.
#[test]
fn gathered_hips_that_start_elsewhere_are_where_they_were_recorded() {
    let Some(path) = gathered("trials/characters/offsets-in-positions/moved-start.bvh") else { return };
    let scene = Scene::open(path).unwrap();
    assert_eq!(scene.up, Up::Y);
    let (skeleton, motion) = (&scene.skeleton, motion(&scene));
    let hips = skeleton.find("Hips").unwrap();
    let placed = |frame: usize| skeleton.frames(&motion.pose(skeleton, frame));
    assert!(placed(4)[hips].position.distance(dvec3(-3.0, 95.0, -17.0)) < 1e-9);
    let length = |joint: usize, frame: usize| {
        let parent = skeleton.joints()[joint].parent.unwrap();
        let placed = placed(frame);
        placed[joint].position.distance(placed[parent].position)
    };
    for joint in (0..skeleton.len()).filter(|&at| at > hips) {
        for frame in 1..motion.len() {
            assert!((length(joint, frame) - length(joint, 0)).abs() < 1e-6, "{joint}, frame {frame}");
        }
    }
}

/// A joint of the same word above a part of a limb, as the one from the hips to a thigh, is not that part: neither where the parts are
/// recognised, nor where a figure follows another one.
#[test]
fn a_part_of_a_limb_is_the_joint_with_its_link() {
    let mut random = Random::new(21);
    let still = |count: usize| vec![vec![0.0; 3 * count + 3]];
    let open = |joints: &[Written]| {
        let text = text_of(joints, &still(joints.len()));
        Scene::from_bytes(text.into_bytes(), "person.bvh", &OpenOptions::default()).unwrap()
    };
    let usual = open(&person(DVec3::ZERO));
    let plain = |name: &str| name.trim_start_matches('_').to_owned();
    for case in 0..50 {
        let mut joints: Vec<Written> = Vec::new();
        // Where each joint of the person is in the list.
        let mut places = Vec::new();
        for (parent, name, offset, moves) in person(DVec3::ZERO) {
            let mut parent = parent.map(|parent: usize| places[parent]);
            let mut offset = offset;
            let has_twin =
                ["UpLeg", "Leg", "ForeArm", "Arm"].iter().any(|end| name.ends_with(end)) && random.index(2) == 0;
            if has_twin {
                let part = random.range(0.05, 0.3);
                joints.push((parent, format!("__{name}"), offset * part + random.ball() * 0.1, false));
                (parent, offset) = (Some(joints.len() - 1), offset * (1.0 - part));
            }
            joints.push((parent, name, offset, moves));
            places.push(joints.len() - 1);
        }
        let recorded = open(&joints);
        let limited = |scene: &Scene| -> Vec<String> {
            let joints = scene.assets.human_limits.joints.iter();
            // What is between the hips and a thigh, or in the middle of a straight part, has limits of its own.
            let names = joints.map(|&at| scene.skeleton.joints()[at].name.clone());
            names.filter(|name| !name.starts_with("__")).collect()
        };
        assert_eq!(limited(&recorded), limited(&usual), "case {case}");
        let retarget = Retarget::between(&recorded, &usual, &[]).unwrap();
        for (joint, partner) in usual.skeleton.joints().iter().zip(&retarget.partners) {
            let partner = &recorded.skeleton.joints()[partner.unwrap()].name;
            assert_eq!(*partner, joint.name, "case {case}: {}", plain(partner));
        }
    }
}

/// The hips of this recording have joints with the words of thighs and collar bones above those that are them.
#[test]
fn gathered_thighs_are_those_that_carry_shins() {
    let Some(path) = gathered("trials/characters/thigh-by-name/walk1.bvh") else { return };
    let mannequin = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/models/mannequin.glb");
    let (recorded, driven) = (Scene::open(path).unwrap(), Scene::open(mannequin).unwrap());
    let retarget = Retarget::between(&recorded, &driven, &[]).unwrap();
    let followed: Vec<&str> =
        retarget.partners.iter().flatten().map(|&at| recorded.skeleton.joints()[at].name.as_str()).collect();
    for name in ["UpLeg_L", "UpLeg_R", "LoLeg_L", "UpArm_L", "Clavicle_R"] {
        assert!(followed.contains(&name), "{name}: {followed:?}");
    }
    assert!(!followed.iter().any(|name| name.starts_with("__UpLeg") || name.starts_with("__Clavicle")), "{followed:?}");
}
