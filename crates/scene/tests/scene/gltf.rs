//! glTF: skeletons, skins and clips agree with matrices computed with a reference reader (the `gltf` crate), and both
//! readers open exported motion.
#![allow(clippy::unwrap_used)]

use crate::gathered;

use fabrik3d_ik::Kind;
use fabrik3d_ik::{Coordinates, Isometry};
use fabrik3d_scene::{EffectorMode, Motion, Scene, Syntax};
use gathered::gathered;
use glam::{DMat4, Mat4, Quat, Vec3};
use glam::{DQuat, DVec3};
use gltf::animation::util::ReadOutputs;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A document and its buffers, read by the reference reader.
struct Reference {
    document: gltf::Document,
    buffers: Vec<Vec<u8>>,
}

impl Reference {
    fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
        let mut blob = blob;
        let buffer = |buffer: gltf::Buffer<'_>| match buffer.source() {
            gltf::buffer::Source::Bin => blob.take().unwrap(),
            gltf::buffer::Source::Uri(uri) => match uri.split_once(";base64,") {
                Some((_, text)) => base64(text),
                None => std::fs::read(path.parent().unwrap().join(uri)).unwrap(),
            },
        };
        let buffers = document.buffers().map(buffer).collect();
        Reference { document, buffers }
    }

    /// World matrices of all nodes, with `locals` as their local matrices.
    fn world(&self, locals: &HashMap<usize, Mat4>) -> HashMap<usize, DMat4> {
        let mut world = HashMap::new();
        let roots = self.document.scenes().flat_map(|scene| scene.nodes().collect::<Vec<_>>());
        let mut waiting: Vec<(gltf::Node<'_>, DMat4)> = roots.map(|node| (node, DMat4::IDENTITY)).collect();
        while let Some((node, above)) = waiting.pop() {
            let own = Mat4::from_cols_array_2d(&node.transform().matrix());
            let here = above * locals.get(&node.index()).unwrap_or(&own).as_dmat4();
            world.insert(node.index(), here);
            waiting.extend(node.children().map(|child| (child, here)));
        }
        world
    }

    /// Local matrices of the animated nodes at a key of a clip whose channels all have the same linear or step keys.
    fn locals_at_key(&self, clip: usize, time: f32) -> Option<HashMap<usize, Mat4>> {
        let mut parts: HashMap<usize, (Vec3, Quat, Vec3)> = HashMap::new();
        for channel in self.document.animations().nth(clip)?.channels() {
            let node = channel.target().node();
            let (t, r, s) = node.transform().decomposed();
            let part = parts.entry(node.index()).or_insert((t.into(), Quat::from_array(r), s.into()));
            let reader = channel.reader(|buffer| Some(&self.buffers[buffer.index()]));
            let key = reader.read_inputs()?.position(|input| (input - time).abs() < 1e-6)?;
            match reader.read_outputs()? {
                ReadOutputs::Translations(mut values) => part.0 = values.nth(key)?.into(),
                ReadOutputs::Rotations(values) => part.1 = Quat::from_array(values.into_f32().nth(key)?).normalize(),
                ReadOutputs::Scales(mut values) => part.2 = values.nth(key)?.into(),
                ReadOutputs::MorphTargetWeights(_) => {}
            }
        }
        let matrix = |(t, r, s): (Vec3, Quat, Vec3)| Mat4::from_scale_rotation_translation(s, r, t);
        Some(parts.into_iter().map(|(node, part)| (node, matrix(part))).collect())
    }

    /// Deformed vertices of the first skinned mesh: the weighted sum of joint matrices, as in the specification.
    fn deformed(&self, world: &HashMap<usize, DMat4>) -> Vec<DVec3> {
        let node = self.document.nodes().find(|node| node.skin().is_some() && node.mesh().is_some()).unwrap();
        let skin = node.skin().unwrap();
        let reader = skin.reader(|buffer| Some(&self.buffers[buffer.index()]));
        let binds = reader.read_inverse_bind_matrices().map_or_else(
            || vec![DMat4::IDENTITY; skin.joints().count()],
            |binds| binds.map(|bind| Mat4::from_cols_array_2d(&bind).as_dmat4()).collect(),
        );
        let bones: Vec<DMat4> = skin.joints().zip(binds).map(|(joint, bind)| world[&joint.index()] * bind).collect();
        let primitive = node.mesh().unwrap().primitives().next().unwrap();
        let reader = primitive.reader(|buffer| Some(&self.buffers[buffer.index()]));
        let joints = reader.read_joints(0).unwrap().into_u16();
        let weights = reader.read_weights(0).unwrap().into_f32();
        let vertex = |((position, joints), weights): (([f32; 3], [u16; 4]), [f32; 4])| {
            let sum: f32 = weights.iter().sum();
            let moved = joints.iter().zip(weights).map(|(&joint, weight)| {
                let place = bones[joint as usize].transform_point3(Vec3::from_array(position).as_dvec3());
                place * f64::from(weight / sum)
            });
            moved.sum()
        };
        reader.read_positions().unwrap().zip(joints).zip(weights).map(vertex).collect()
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values: Vec<usize> = text.trim_end_matches('=').chars().map(|digit| DIGITS.find(digit).unwrap()).collect();
    let bits: Vec<u8> = values.iter().flat_map(|value| (0..6).rev().map(move |bit| (value >> bit & 1) as u8)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit)).collect()
}

/// Vertices of the first skin as this library deforms them.
fn deformed(scene: &Scene, frames: &[Isometry]) -> Vec<DVec3> {
    let skin = &scene.assets.skins[0];
    let bones = skin.bones(frames);
    let mesh = &scene.assets.meshes[skin.mesh];
    let vertex = |(position, influence): (&Vec3, &fabrik3d_scene::Influence)| {
        let shares = influence.joints.iter().zip(influence.weights);
        let moved = shares.map(|(&joint, weight)| {
            bones[usize::from(joint)].transform_point3(position.as_dvec3()) * f64::from(weight)
        });
        moved.sum()
    };
    mesh.positions.iter().zip(&mesh.influences).map(vertex).collect()
}

const CHARACTERS: [&str; 5] = [
    "gltf/CesiumMan/CesiumMan.glb",
    "gltf/Fox/Fox.glb",
    "gltf/RiggedSimple/RiggedSimple.glb",
    "gltf/RiggedSimple/embedded/RiggedSimple.gltf",
    "gltf/SimpleSkin/SimpleSkin.gltf",
];

/// A character of the project: its clips move, turn and scale joints.
fn puppet() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/puppet.gltf")
}

fn skinned() -> Vec<PathBuf> {
    CHARACTERS.iter().filter_map(|name| gathered(name)).collect()
}

fn characters() -> Vec<PathBuf> {
    skinned().into_iter().chain([puppet()]).collect()
}

/// The node of each joint of the scene, by name or by the default name of nodes.
fn nodes_of(scene: &Scene, reference: &Reference) -> Vec<usize> {
    let find = |name: &str| {
        let named = reference.document.nodes().find(|node| node.name() == Some(name));
        named.map(|node| node.index()).or_else(|| name.strip_prefix("node")?.parse().ok())
    };
    scene.skeleton.joints().iter().map(|joint| find(&joint.name).unwrap()).collect()
}

fn size(frames: &[Isometry]) -> f64 {
    frames.iter().map(|frame| frame.position.distance(frames[0].position)).fold(0.1, f64::max)
}

fn assert_near(found: &[DVec3], expected: &[DVec3], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(found.distance(*expected) <= tolerance, "{what}, {at}: {found} is not {expected} within {tolerance}");
    }
}

#[test]
fn rest_poses_match_the_reference_matrices() {
    for path in characters() {
        let what = path.display().to_string();
        let (scene, reference) = (Scene::open(&path).unwrap(), Reference::open(&path));
        let world = reference.world(&HashMap::new());
        let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
        let positions: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
        let expected: Vec<DVec3> =
            nodes_of(&scene, &reference).iter().map(|node| world[node].w_axis.truncate()).collect();
        let size = size(&frames);
        assert_near(&positions, &expected, 1e-6 * size, &what);
        if !scene.assets.skins.is_empty() {
            assert_near(&deformed(&scene, &frames), &reference.deformed(&world), 1e-5 * size, &what);
        }
    }
}

/// Whatever the clip does to the joints, it is written as it was read, at any rate.
#[test]
fn links_that_a_clip_lengthens_survive_conversion() {
    let scene = Scene::open(puppet()).unwrap();
    let (motion, skeleton) = (&scene.assets.motions[1], &scene.skeleton);
    let rest = skeleton.frames(&scene.start);
    let moved: Vec<&str> = motion.moved_joints().iter().map(|&joint| skeleton.joints()[joint].name.as_str()).collect();
    assert_eq!(
        moved,
        ["puppet:Hair1", "puppet:Hair2", "puppet:Hair3", "puppet:LeftForeArm", "puppet:RightHand", "puppet:LeftFoot"]
    );
    assert_eq!(scene.assets.motions[0].moved_joints(), [0_usize; 0]);
    for fps in [20.0, 37.0] {
        let resampled = motion.at_rate(skeleton, fps);
        let folder = tempfile::tempdir().unwrap();
        for form in ["glb", "gltf"] {
            let path = folder.path().join(format!("puppet.{form}"));
            scene.export(&resampled, &path, Some(&puppet())).unwrap();
            let again = Scene::open(&path).unwrap();
            let written = again.assets.motions.iter().find(|other| other.name == motion.name).unwrap();
            for frame in 0..resampled.len() {
                let expected = resampled.frames(skeleton, frame);
                let time = frame as f64 / fps;
                let found = written.skeleton_at(&again.skeleton, time);
                let found = found.frames(&written.pose_at(&again.skeleton, time));
                for joint in 0..skeleton.len() {
                    let gap = found[joint].position.distance(expected[joint].position);
                    assert!(
                        gap < 1e-5 * size(&rest),
                        "{form}, {}, frame {frame}: {gap}",
                        skeleton.joints()[joint].name
                    );
                }
            }
        }
    }
}

#[test]
fn a_known_body_gets_effectors_where_an_animator_takes_it() {
    let scene = Scene::open(puppet()).unwrap();
    let described: Vec<(&str, EffectorMode)> =
        scene.effectors.iter().map(|effector| (effector.name.trim_start_matches("puppet:"), effector.hold)).collect();
    let (free, pinned) = (EffectorMode::Free, EffectorMode::Pinned);
    let expected = [
        ("LeftHand", free),
        ("RightHand", free),
        ("Head", free),
        ("LeftFoot", pinned),
        ("LeftToeBase", pinned),
        ("RightFoot", pinned),
        ("RightToeBase", pinned),
        ("Hips", free),
    ];
    assert_eq!(described, expected);
    // The clip moves the root; the hips move besides.
    let free: Vec<&str> =
        scene.skeleton.joints().iter().filter(|joint| joint.kind == Kind::Free).map(|joint| &joint.name[7..]).collect();
    assert_eq!(free, ["Root", "Hips"]);
    let hand = &scene.effectors[0].effector;
    let top = scene.skeleton.ancestors(hand.joint).nth(hand.chain_length.unwrap() - 1).unwrap();
    assert_eq!(scene.skeleton.joints()[top].name, "puppet:Hips", "a hand moves the hips, but not the root");
}

#[test]
fn clips_match_the_reference_matrices() {
    for path in characters() {
        let (scene, reference) = (Scene::open(&path).unwrap(), Reference::open(&path));
        let nodes = nodes_of(&scene, &reference);
        assert_eq!(scene.assets.motions.len(), reference.document.animations().count());
        for (at, motion) in scene.assets.motions.iter().enumerate() {
            let what = format!("{}, {}", path.display(), motion.name);
            let animation = reference.document.animations().nth(at).unwrap();
            let channel = animation.channels().next().unwrap();
            let reader = channel.reader(|buffer| Some(&reference.buffers[buffer.index()]));
            let times: Vec<f32> = reader.read_inputs().unwrap().collect();
            let mut compared = 0;
            for &time in &times {
                let Some(locals) = reference.locals_at_key(at, time) else { continue };
                let world = reference.world(&locals);
                let skeleton = motion.skeleton_at(&scene.skeleton, f64::from(time));
                let frames = skeleton.frames(&motion.pose_at(&scene.skeleton, f64::from(time)));
                let size = size(&frames);
                let positions: Vec<DVec3> = frames.iter().map(|frame| frame.position).collect();
                let expected: Vec<DVec3> = nodes.iter().map(|node| world[node].w_axis.truncate()).collect();
                assert_near(&positions, &expected, 1e-5 * size, &what);
                if !scene.assets.skins.is_empty() {
                    assert_near(&deformed(&scene, &frames), &reference.deformed(&world), 1e-5 * size, &what);
                }
                compared += 1;
            }
            assert!(compared > 0, "{what}: no key to compare");
        }
    }
}

/// Poses in which every joint rotates a little with time.
fn waving(scene: &Scene) -> Motion {
    let pose = |frame: usize| {
        let turn = |at: usize| {
            let angle = 0.3 * (frame as f64 * 0.4 + at as f64).sin();
            DQuat::from_scaled_axis(DVec3::new(angle, -0.5 * angle, 0.2 * angle))
        };
        let joint = |(at, joint): (usize, &fabrik3d_ik::Joint)| match joint.kind {
            Kind::Free => Coordinates::free(DVec3::new(0.01, 0.02, 0.03) * frame as f64, turn(at)),
            Kind::Hinge { .. } | Kind::Slide { .. } => Coordinates::scalar(0.1 * frame as f64),
            Kind::Fixed => Coordinates::default(),
            _ => Coordinates::rotation(turn(at)),
        };
        let mut pose: Vec<Coordinates> = scene.skeleton.joints().iter().enumerate().map(joint).collect();
        scene.skeleton.project(&mut pose);
        pose
    };
    Motion::new("waving", 0.1, (0..6).map(pose).collect())
}

#[test]
fn motion_added_to_a_character_opens_in_both_readers() {
    for path in skinned() {
        let what = path.display().to_string();
        let scene = Scene::open(&path).unwrap();
        let motion = waving(&scene);
        // In both formats, and in another folder than the original file.
        for extension in ["gltf", "glb"] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join(format!("{}.{extension}", scene.name));
            scene.export(&motion, &out, Some(&path)).unwrap_or_else(|error| panic!("{error}"));
            let (again, reference) = (Scene::open(&out).unwrap(), Reference::open(&out));
            let clip = 0;
            assert_eq!(again.assets.motions[clip].name, "waving", "{what}");
            assert_eq!(again.assets.meshes, scene.assets.meshes, "{what}: the skin is still the same");
            let nodes = nodes_of(&scene, &reference);
            for frame in 0..motion.len() {
                let time = frame as f64 * motion.frame_time;
                let before = scene.skeleton.frames(&motion.pose(&scene.skeleton, frame));
                let after = again.skeleton.frames(&again.assets.motions[clip].pose_at(&again.skeleton, time));
                let world = reference.world(&reference.locals_at_key(clip, time as f32).unwrap());
                let places = |frames: &[Isometry]| frames.iter().map(|frame| frame.position).collect::<Vec<DVec3>>();
                let there: Vec<DVec3> = nodes.iter().map(|node| world[node].w_axis.truncate()).collect();
                let size = size(&before);
                assert_near(&places(&after), &places(&before), 1e-5 * size, &format!("{what}, this library"));
                assert_near(&there, &places(&before), 1e-5 * size, &format!("{what}, reference reader"));
                assert_near(
                    &reference.deformed(&world),
                    &deformed(&scene, &before),
                    1e-4 * size,
                    &format!("{what}, skin"),
                );
            }
        }
    }
}

/// An exported clip replaces the original clip of the same name and keeps the body.
#[test]
fn an_exported_clip_replaces_the_original() {
    for file in ["gltf/Fox/Fox.glb", "gltf/CesiumMan/CesiumMan.glb"] {
        let Some(path) = gathered(file) else { return };
        let scene = Scene::open(&path).unwrap();
        let names = |scene: &Scene| scene.assets.motions.iter().map(|motion| motion.name.clone()).collect::<Vec<_>>();
        for clip in &scene.assets.motions {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join(format!("{}.glb", clip.name));
            scene.export(clip, &out, Some(&path)).unwrap();
            let again = Scene::open(&out).unwrap();
            let others = names(&scene).into_iter().filter(|name| *name != clip.name);
            let expected: Vec<String> = [clip.name.clone()].into_iter().chain(others).collect();
            assert_eq!(names(&again), expected, "the new clip is the first one");
            assert_eq!(again.assets.meshes, scene.assets.meshes);
            for after in &again.assets.motions {
                let before = scene.assets.motions.iter().find(|motion| motion.name == after.name).unwrap();
                for time in [0.0, 0.37 * before.duration(), 0.9 * before.duration()] {
                    let places = |scene: &Scene, motion: &Motion| -> Vec<DVec3> {
                        let frames = scene.skeleton.frames(&motion.pose_at(&scene.skeleton, time));
                        frames.iter().map(|frame| frame.position).collect()
                    };
                    assert_near(
                        &places(&again, after),
                        &places(&scene, before),
                        0.02,
                        &format!("{} at {time}", before.name),
                    );
                }
            }
        }
    }
}

#[test]
fn a_skeleton_without_a_body_opens_in_both_readers() {
    let own = [
        "scenes/human-arm.toml",
        "scenes/hexapod.toml",
        "scenes/crane.toml",
        "models/arm.urdf",
        "models/two-joints.bvh",
    ];
    for (name, extension) in own.into_iter().zip(["glb", "gltf"].into_iter().cycle()) {
        let scene =
            Scene::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets").join(name)).unwrap();
        let motion = waving(&scene);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join(format!("{}.{extension}", scene.name));
        scene.export(&motion, &out, None).unwrap();
        let (again, reference) = (Scene::open(&out).unwrap(), Reference::open(&out));
        assert_eq!(again.assets.motions.len(), 1, "{name}");
        let up = if scene.up == fabrik3d_scene::Up::Z {
            DQuat::from_rotation_x(-90_f64.to_radians())
        } else {
            DQuat::IDENTITY
        };
        for frame in 0..motion.len() {
            let time = (frame as f64 * motion.frame_time) as f32;
            let world = reference.world(&reference.locals_at_key(0, time).unwrap());
            let frames = scene.skeleton.frames(&motion.pose(&scene.skeleton, frame));
            let expected: Vec<DVec3> = frames.iter().map(|frame| up * frame.position).collect();
            let there: Vec<DVec3> = (0..frames.len()).map(|node| world[&node].w_axis.truncate()).collect();
            assert_near(&there, &expected, 1e-5 * (1.0 + size(&frames)), name);
        }
    }
}

#[test]
fn limits_files_apply_to_characters() {
    let Some(path) = gathered("gltf/Fox/Fox.glb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("Fox.glb");
    std::fs::copy(path, &copy).unwrap();
    let name = Scene::open(&copy).unwrap().skeleton.joints()[3].name.clone();
    let limits = folder.path().join("Fox.limits.toml");
    std::fs::write(&limits, format!("[[joint]]\nname = {name:?}\nkind = \"ball\"\nswing = 20\ntwist = [-5, 5]\n"))
        .unwrap();
    let scene = Scene::open(&copy).unwrap();
    assert!(matches!(scene.skeleton.joints()[3].kind, Kind::Ball { swing: Some(_), twist: Some(_) }));
    for motion in &scene.assets.motions {
        for frame in 0..motion.len() {
            let pose = motion.pose(&scene.skeleton, frame);
            let mut inside = pose.clone();
            scene.skeleton.project(&mut inside);
            let apart = pose[3].tilt()[0] - inside[3].tilt()[0];
            assert!(apart.abs() < 1e-12, "{}, frame {frame}: {apart}", motion.name);
        }
    }
    assert!(scene.warnings().is_empty(), "{:?}", scene.warnings());
    assert_eq!(scene.assets.limits_text.as_deref(), Some(&*std::fs::read_to_string(&limits).unwrap()));
    std::fs::write(&limits, "[[joint]]\nname = \"nose\"\nkind = \"fixed\"\n").unwrap();
    let error = Scene::open(&copy).unwrap_err().to_string();
    assert!(error.contains("Fox.limits.toml:") && error.contains("there is no joint `nose`"), "{error}");
}

#[test]
fn link_axes_are_z() {
    for path in characters() {
        let scene = Scene::open(&path).unwrap();
        let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
        for (at, frame) in frames.iter().enumerate() {
            if let [child] = scene.skeleton.children(at) {
                let link = frames[*child].position - frame.position;
                if let Some(link) = link.try_normalize() {
                    assert!((frame.rotation * DVec3::Z).distance(link) < 1e-6, "{}, {at}", path.display());
                }
            }
        }
    }
}

/// A written pose becomes the rest transforms for every reader, and the existing clips do not change.
#[test]
fn a_written_pose_becomes_the_rest_pose_and_clips_do_not_change() {
    for name in ["gltf/Fox/Fox.glb", "gltf/CesiumMan/CesiumMan.glb", "gltf/SimpleSkin/SimpleSkin.gltf"] {
        let Some(path) = gathered(name) else { continue };
        let scene = Scene::open(&path).unwrap();
        let mut random = fabrik3d_ik::random::Random::new(11);
        let mut pose = scene.start.clone();
        for (joint, at) in scene.skeleton.joints().iter().zip(&mut pose) {
            if joint.kind == Kind::UNLIMITED_BALL {
                *at = Coordinates::rotation(DQuat::from_scaled_axis(random.direction() * 0.7));
            }
        }
        let expected = scene.skeleton.frames(&pose);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join(path.file_name().unwrap());
        // Copy the separate buffer files as well.
        for entry in std::fs::read_dir(path.parent().unwrap()).unwrap().flatten() {
            let _ = std::fs::copy(entry.path(), folder.path().join(entry.file_name()));
        }
        scene.export(&Motion::new("pose", 1.0 / 30.0, vec![pose]), &out, Some(&path)).unwrap();

        let (before, after) = (Reference::open(&path), Reference::open(&out));
        let world = after.world(&HashMap::new());
        let size = expected.iter().map(|frame| frame.position.length()).fold(0.0, f64::max);
        for node in after.document.nodes() {
            let Some(joint) = node.name().and_then(|name| scene.skeleton.find(name)) else { continue };
            let place = world[&node.index()].w_axis.truncate();
            let off = place.distance(expected[joint].position);
            assert!(off < 1e-4 * size, "{name}, {:?}: {off}", node.name());
        }
        let read = Scene::open(&out).unwrap();
        for (frame, expected) in read.skeleton.frames(&read.start).iter().zip(&expected) {
            assert!(frame.position.distance(expected.position) < 1e-4 * size, "{name}: the project's reader");
        }
        for clip in 0..before.document.animations().count() {
            let time = 0.0;
            let (Some(here), Some(there)) = (before.locals_at_key(clip, time), after.locals_at_key(clip + 1, time))
            else {
                continue;
            };
            let (here, there) = (before.world(&here), after.world(&there));
            for (node, matrix) in &here {
                let off = matrix.w_axis.distance(there[node].w_axis);
                assert!(off < 1e-4 * size, "{name}, clip {clip}, node {node}: {off}");
            }
        }
    }
}

/// Warnings that name a path in the document: violations of the specification.
fn violations(path: &Path) -> Vec<String> {
    let assets = Scene::open(path).map(|scene| scene.assets.clone()).unwrap_or_default();
    assets.warnings.iter().filter(|warning| warning.starts_with('`')).cloned().collect()
}

/// Errors of the Khronos validator about skins and animations that change a picture.
const VISIBLE: [&str; 9] = [
    "ANIMATION_CHANNEL_TARGET_NODE_MATRIX",
    "ANIMATION_DUPLICATE_TARGETS",
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT",
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
    "INVALID_IBM_ACCESSOR_COUNT",
    "NODE_SKIN_NO_SCENE",
    "SKIN_IBM_INVALID_FORMAT",
    "UNRESOLVED_REFERENCE",
];

/// Files whose picture is right all the same: skins that no mesh has, nodes outside of the scene, which are shown, a node above
/// all joints of a skin, which has no effect, and times that are not floats, which are read.
const INVISIBLE: [&str; 6] = [
    "ibm_invalid_count.gltf",
    "ibm_invalid_format.gltf",
    "unresolved_ibm.gltf",
    "no_joints_in_scene.gltf",
    "unresolved_skeleton.gltf",
    "sampler_input_format_invalid.gltf",
];

/// These errors give at least a warning here; files that the validator accepts give none.
#[test]
fn validator_errors_give_an_error_or_a_warning() {
    let Some(folder) = gathered("edge/gltf/validator") else { return };
    let (mut rejected, mut silent) = (0, Vec::new());
    for part in ["skin", "animation"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "gltf") {
                continue;
            }
            let report = std::fs::read_to_string(path.with_extension("gltf.report.json")).unwrap();
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            let codes = report["issues"]["messages"].as_array().unwrap().iter().map(|issue| issue["code"].as_str());
            let is_visible = codes.flatten().any(|code| VISIBLE.contains(&code));
            rejected += u64::from(is_visible);
            let has_warning = Scene::open(&path).map_or(true, |scene| !scene.assets.warnings.is_empty());
            if is_visible && !has_warning && !INVISIBLE.iter().any(|name| path.ends_with(name)) {
                silent.push(path.clone());
            }
            if report["issues"]["numErrors"] == 0 && report["issues"]["numWarnings"] == 0 {
                assert_eq!(violations(&path), [""; 0], "{}", path.display());
            }
        }
    }
    assert!(silent.is_empty() && rejected > 10, "{rejected} rejected; without a warning: {silent:?}");
    for name in ["Fox/Fox.glb", "CesiumMan/CesiumMan.glb", "RiggedSimple/RiggedSimple.glb"] {
        let Some(path) = gathered(&format!("gltf/{name}")) else { continue };
        assert_eq!(violations(&path), [""; 0], "{name}");
    }
}

/// The scene of a character has no other sign of its unit.
#[test]
fn a_character_and_its_scene_are_in_metres() {
    let scene = Scene::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/models/mannequin.glb")).expect("reads");
    let saved = Scene::parse(&scene.to_toml(), Syntax::Toml, "saved.toml").expect("reads");
    assert_eq!([scene.length_unit(), saved.length_unit()], [Some("m"); 2]);
    let other =
        Scene::parse("unit = \"mm\"\n[[joint]]\nname = \"a\"\n", Syntax::Toml, "other.toml").expect_err("no such unit");
    assert!(other.to_string().contains("unit"), "{other}");
}
