//! Recorded motion: retargeted to other figures, and reconstructed from a few targets.
#![allow(clippy::unwrap_used)]

use crate::gathered;

use fabrik3d_ik::Coordinates;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Effector, Isometry, Joint, Kind, Pose, Skeleton};
use fabrik3d_measure::mocap::{Experiment, FrameStart, reconstruct};
use fabrik3d_scene::{Motion, Retarget, Scene, SceneBuilder, Up};
use fabrik3d_viewer::session::{Command, Session};
use gathered::gathered;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/two-joints.bvh")
}

/// Recordings: the project's own and sample files.
fn recordings() -> Vec<Scene> {
    let names = ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh"];
    let paths = names.iter().filter_map(|name| gathered(name)).chain([own()]);
    paths.map(|path| Scene::open(path).unwrap()).collect()
}

fn positions(skeleton: &Skeleton, motion: &Motion, frame: usize) -> Vec<DVec3> {
    skeleton.frames(&motion.pose(skeleton, frame)).iter().map(|frame| frame.position).collect()
}

/// The scene with another skeleton.
fn with(scene: &Scene, skeleton: &Skeleton) -> Scene {
    Scene { skeleton: skeleton.clone().into(), ..scene.clone() }
}

#[test]
fn retargeting_to_the_same_figure_changes_nothing() {
    for scene in recordings() {
        let motion = &scene.assets.motions[0];
        let retarget = Retarget::between(&scene, &scene, &[]).unwrap();
        assert!((retarget.scale - 1.0).abs() < 1e-12);
        for frame in (0..motion.len()).step_by(301) {
            let pose = retarget.pose(&scene.skeleton, (&motion.pose(&scene.skeleton, frame), &[]), &scene.skeleton);
            let same = Motion::new("same", 1.0, vec![pose]);
            let (found, expected) = (positions(&scene.skeleton, &same, 0), positions(&scene.skeleton, motion, frame));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.distance(*expected) < 1e-9, "{}, frame {frame}: {found} {expected}", scene.name);
            }
        }
    }
}

/// A motion of a scene that was written to a file and put on the scene again.
fn read_back(scene: &Scene, motion: &Motion, file: &Path) -> Motion {
    scene.export(motion, file, None).unwrap();
    let recorded = Scene::open(file).unwrap();
    let retarget = Retarget::between(&recorded, scene, &[]).unwrap();
    retarget.motion(&recorded.skeleton, &recorded.assets.motions[0], &scene.skeleton)
}

/// A joint without limits that goes on turning does not jump by a turn where a file of rotations cannot count.
#[test]
fn turns_go_on_from_frame_to_frame() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes/crane.toml")).unwrap();
    let slew = scene.skeleton.find("slew").unwrap();
    let angle = |frame: usize| -3.0 + 0.4 * frame as f64;
    let pose = |frame| {
        let mut pose = scene.start.clone();
        pose[slew] = Coordinates::scalar(angle(frame));
        pose
    };
    let motion = Motion::new("turns", 0.05, (0..40).map(pose).collect());
    for extension in ["bvh", "glb"] {
        let read = read_back(&scene, &motion, &folder.path().join("turns").with_extension(extension));
        for frame in 0..motion.len() {
            let own = read.pose(&scene.skeleton, frame)[slew].value();
            assert!((own - angle(frame)).abs() < 1e-5, "{extension}, frame {frame}: {own} {}", angle(frame));
        }
    }
}

/// Files without axes of joints hold the motion of a robot with slides, which gets its values back.
#[test]
fn robots_get_their_values_back_from_files_without_axes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["scenes/crane.toml", "models/robot-arm.urdf", "models/seven-axes.urdf", "models/gripper.urdf"] {
        let scene = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)).unwrap();
        let mut random = Random::new(12);
        let poses = (0..20).map(|_| scene.skeleton.random_pose(&mut random)).collect();
        let motion = Motion::new("moves", 0.05, poses);
        for extension in ["bvh", "glb"] {
            let read = read_back(&scene, &motion, &folder.path().join("moves").with_extension(extension));
            assert_eq!(read.len(), motion.len());
            for (frame, joint) in (0..motion.len()).flat_map(|frame| scene.settable_joints().map(move |at| (frame, at)))
            {
                let [own, expected] = [&read, &motion].map(|motion| motion.pose(&scene.skeleton, frame)[joint].value());
                let apart = match scene.skeleton.kind(joint) {
                    // A file of rotations does not count turns.
                    Kind::Hinge { .. } => (own - expected + PI).rem_euclid(TAU) - PI,
                    _ => own - expected,
                };
                let joint = &scene.skeleton.joints()[joint].name;
                assert!(apart.abs() < 1e-5, "{name} {extension}, frame {frame}, {joint}: {own} {expected}");
            }
        }
    }
}

#[test]
fn motion_scales_with_the_size_of_the_figure() {
    for scene in recordings() {
        let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
        for joint in &mut joints {
            joint.offset *= 2.5;
            joint.name = format!("mixamorig:{}", joint.name.to_uppercase());
        }
        let large = Skeleton::new(joints).unwrap();
        let motion = &scene.assets.motions[0];
        let retarget = Retarget::between(&scene, &with(&scene, &large), &[]).unwrap();
        assert!((retarget.scale - 2.5).abs() < 1e-12);
        assert!(retarget.partners.iter().enumerate().all(|(at, partner)| *partner == Some(at)), "{}", scene.name);
        let moved = retarget.motion(&scene.skeleton, motion, &large);
        assert_eq!((moved.len(), moved.frame_time), (motion.len(), motion.frame_time));
        let frame = motion.len() / 2;
        let (found, expected) = (positions(&large, &moved, frame), positions(&scene.skeleton, motion, frame));
        // Only the ground may be at another height.
        let raised = found[0] - 2.5 * expected[0];
        assert!(raised.distance(scene.up.axis() * raised.dot(scene.up.axis())) < 1e-9, "{}: {raised}", scene.name);
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.distance(2.5 * expected + raised) < 1e-9, "{}: {found} {expected}", scene.name);
        }
    }
}

#[test]
fn link_directions_do_not_depend_on_the_rest_pose() {
    let scene = Scene::open(own()).unwrap();
    let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
    joints[0].rest *= DQuat::from_rotation_x(0.8);
    joints[1].rest = DQuat::from_rotation_y(0.4) * joints[1].rest;
    let other = Skeleton::new(joints).unwrap();
    let motion = &scene.assets.motions[0];
    let retarget = Retarget::between(&scene, &with(&scene, &other), &[]).unwrap();
    let moved = retarget.motion(&scene.skeleton, motion, &other);
    for frame in 0..motion.len() {
        let link = |skeleton: &Skeleton, motion: &Motion| {
            let places = positions(skeleton, motion, frame);
            (places[1] - places[0]).normalize()
        };
        assert!(link(&other, &moved).distance(link(&scene.skeleton, motion)) < 1e-9, "frame {frame}");
    }
}

#[test]
fn figures_without_common_joints_are_not_matched() {
    let scene = Scene::open(own()).unwrap();
    let other = Skeleton::new(vec![Joint::new("xyzzy", None, DVec3::ZERO, Kind::UNLIMITED_BALL)]).unwrap();
    assert_eq!(Retarget::between(&scene, &with(&scene, &other), &[]), None);
}

/// The motion of a slowly bending chain is reconstructed from its end alone if each solve starts from the previous frame.
#[test]
fn a_slowly_bending_chain_is_reconstructed() {
    let text = "[[chain]]\nname = \"arm\"\npoints = [[0, 0, 0], [0, 0.3, 0], [0, 0.55, 0]]\n";
    let scene = Scene::parse(text, fabrik3d_scene::Syntax::Toml, "arm.toml").unwrap();
    let pose = |frame: usize| {
        let angle = 0.02 + 0.01 * frame as f64;
        let mut pose = scene.skeleton.rest_pose();
        pose[0] = Coordinates::rotation(DQuat::from_rotation_z(-0.6 * angle));
        pose[1] = Coordinates::rotation(DQuat::from_rotation_z(2.0 * angle));
        pose
    };
    let motion = Motion::new("bending", 0.1, (0..100).map(pose).collect());
    let experiment = Experiment { step: 1, start: FrameStart::Previous, unit: Some(1.0) };
    let table = reconstruct(&scene, &motion, &experiment);
    let value = |subject: &str| {
        let row = table.rows.iter().find(|row| row.subject == subject && row.quantity == "median").unwrap();
        assert_eq!(row.unit, "mm");
        row.value
    };
    // The arm is 0.55 m long, the tolerance a ten-thousandth of that.
    assert!(value("the ends") < 0.056, "{}", table.text());
    // The elbow has two solutions in the plane; the nearer one is kept.
    assert!(value("arm.1") < 10.0 && value("arm.1") == value("all joints"), "{}", table.text());
}

/// At every frame rate the first and the last frame are kept.
#[test]
fn resampling_keeps_the_first_and_the_last_frame() {
    for scene in recordings() {
        for motion in &scene.assets.motions {
            for fps in [7.0, 24.0, 25.0, 29.97, 30.0, 60.0] {
                let sampled = motion.at_rate(&scene.skeleton, fps);
                assert!((sampled.len() - 1) as f64 / fps - motion.duration() > -1e-6, "{} at {fps}", motion.name);
                assert!((sampled.len() - 1) as f64 / fps - motion.duration() < 1.0 / fps, "{} at {fps}", motion.name);
                for (seconds, frame) in [(0.0, 0), (motion.duration(), sampled.len() - 1)] {
                    let expected = scene.skeleton.frames(&motion.pose_at(&scene.skeleton, seconds));
                    let found = scene.skeleton.frames(&sampled.pose(&scene.skeleton, frame));
                    for (expected, found) in expected.iter().zip(&found) {
                        let off = expected.position.distance(found.position);
                        assert!(off <= 1e-9 * (1.0 + expected.position.length()), "{} at {fps}: {off}", motion.name);
                    }
                }
            }
        }
    }
}

/// The legs determine the size of a figure with other names and a divided spine.
#[test]
fn sizes_are_compared_by_common_links() {
    let figure = |names: [&str; 6], leg: f64, spine: &[f64]| {
        let ball = |name: &str, parent, offset| Joint::new(name, parent, offset, Kind::UNLIMITED_BALL);
        let mut joints = vec![ball(names[0], None, DVec3::Y)];
        for (at, name) in names[1..4].iter().enumerate() {
            joints.push(ball(name, Some(at), if at == 0 { DVec3::X * 0.1 } else { DVec3::NEG_Y * leg }));
        }
        let mut above = 0;
        for (at, length) in spine.iter().enumerate() {
            joints.push(ball(&format!("back {at}"), Some(above), DVec3::Y * *length));
            above = joints.len() - 1;
        }
        joints.push(ball(names[4], Some(above), DVec3::Y * 0.2));
        joints.push(ball(names[5], Some(above), DVec3::X * 0.3));
        SceneBuilder { joints, effectors: Vec::new() }.build("figure").unwrap()
    };
    let one = figure(["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "Head", "LeftHand"], 0.4, &[0.5]);
    let two = figure(["pelvis", "thigh_l", "calf_l", "foot_l", "head", "hand.L"], 0.8, &[0.1, 0.2, 0.4]);
    let retarget = Retarget::between(&one, &two, &[]).unwrap();
    let partner = |name: &str| {
        retarget.partners[two.skeleton.find(name).unwrap()].map(|at| one.skeleton.joints()[at].name.as_str())
    };
    let expected = [
        ("pelvis", "Hips"),
        ("thigh_l", "LeftUpLeg"),
        ("calf_l", "LeftLeg"),
        ("foot_l", "LeftFoot"),
        ("hand.L", "LeftHand"),
    ];
    for (name, other) in expected {
        assert_eq!(partner(name), Some(other));
    }
    assert!((retarget.scale - 2.0).abs() < 1e-12, "{}", retarget.scale);
}

/// The scene with its whole figure rotated by `turn`.
fn turned(scene: &Scene, turn: DQuat) -> Scene {
    let mut other = scene.clone();
    let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
    for joint in joints.iter_mut().filter(|joint| joint.parent.is_none()) {
        joint.offset = turn * joint.offset;
        joint.rest = (turn * joint.rest).normalize();
    }
    other.skeleton = Skeleton::new(joints).unwrap().into();
    other
}

/// Largest distance between the joints of a retargeted motion and the recorded ones, rotated.
fn off(scene: &Scene, driven: &Scene, retarget: &Retarget, turn: DQuat) -> f64 {
    let motion = &scene.assets.motions[0];
    let frames = (0..motion.len()).step_by(motion.len().div_ceil(7));
    let gap = |frame: usize| {
        let pose = retarget.pose(&scene.skeleton, (&motion.pose(&scene.skeleton, frame), &[]), &driven.skeleton);
        let found = driven.skeleton.frames(&pose);
        let expected = positions(&scene.skeleton, motion, frame);
        found
            .iter()
            .zip(&expected)
            .map(|(found, expected)| found.position.distance(turn * *expected))
            .fold(0.0, f64::max)
    };
    frames.map(gap).fold(0.0, f64::max)
}

/// Recordings of figures with left and right joints.
fn walkers() -> Vec<Scene> {
    let names = ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh"];
    names.iter().filter_map(|name| gathered(name)).map(|path| Scene::open(path).unwrap()).collect()
}

/// A character that faces another way performs the same motion relative to itself, and its path rotates with it.
#[test]
fn motion_follows_the_facing_direction_of_the_figure() {
    for scene in walkers() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let turn = DQuat::from_axis_angle(scene.up.axis(), random.range(-3.1, 3.1));
            let driven = turned(&scene, turn);
            let retarget = Retarget::between(&scene, &driven, &[]).unwrap();
            let off = off(&scene, &driven, &retarget, turn)
                / Effector::new(scene.skeleton.len() - 1, DVec3::ZERO).reach(&scene.skeleton);
            assert!(off < 1e-9, "{}: {off}", scene.name);
        }
        let same = Retarget::between(&scene, &scene, &[]).unwrap();
        assert_eq!((same.scale, same.turn), (1.0, DQuat::IDENTITY), "the same figure needs no rotation");
    }
}

/// A figure that lies down in its rest pose stands up, and a figure with another up axis stands along that axis.
#[test]
fn retargeted_figures_stand_upright_in_any_rest_pose_and_up_axis() {
    for scene in walkers() {
        let size = Effector::new(scene.skeleton.len() - 1, DVec3::ZERO).reach(&scene.skeleton);
        let left = left(&scene);
        for angle in [-1.0, 1.0] {
            let lying = turned(&scene, DQuat::from_axis_angle(left, angle * std::f64::consts::FRAC_PI_2));
            let retarget = Retarget::between(&scene, &lying, &[]).unwrap();
            let off = off(&scene, &lying, &retarget, DQuat::IDENTITY) / size;
            assert!(off < 1e-9, "{}: {off}", scene.name);
        }
        let (other, turn) = match scene.up {
            Up::Y => (Up::Z, std::f64::consts::FRAC_PI_2),
            Up::Z => (Up::Y, -std::f64::consts::FRAC_PI_2),
        };
        let turn = DQuat::from_rotation_x(turn);
        let mut driven = turned(&scene, turn);
        driven.up = other;
        let retarget = Retarget::between(&scene, &driven, &[]).unwrap();
        let off = off(&scene, &driven, &retarget, turn) / size;
        assert!(off < 1e-9, "{}: {off}", scene.name);
    }
}

/// The direction from right to left, from the upper joints of arms and legs.
fn left(scene: &Scene) -> DVec3 {
    let rest = scene.skeleton.frames(&scene.skeleton.rest_pose());
    let place = |name: String| scene.skeleton.find(&name).map(|at| rest[at].position);
    let apart = |part: &&str| Some(place(format!("Left{part}"))? - place(format!("Right{part}"))?);
    ["UpLeg", "Shoulder", "Arm"].iter().filter_map(apart).sum::<DVec3>().normalize()
}

/// A session and `convert` retarget a recording in the same way, even if the up axes differ.
#[test]
fn the_viewer_and_convert_retarget_alike() {
    for scene in walkers() {
        for file in ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh"] {
            let Some(file) = gathered(file) else { return };
            let recorded = Scene::open(&file).unwrap();
            let mut session = Session::new(scene.clone());
            for words in [&format!("motion.open \"{}\"", file.display()), "motion.seek 0.5"] {
                match words.parse().unwrap() {
                    Command::Session(command) => session.apply(&command).unwrap(),
                    other => panic!("{other:?}"),
                }
            }
            let pose = recorded.assets.motions[0].pose_at(&recorded.skeleton, 0.5);
            let retarget = Retarget::between(&recorded, &scene, &[]).unwrap();
            let expected = retarget.pose(&recorded.skeleton, (&pose, &[]), &scene.skeleton);
            if recorded.skeleton != scene.skeleton {
                assert_eq!(session.solved(), &expected, "{} on {}", recorded.name, scene.name);
            }
            let places = scene.skeleton.frames(session.solved());
            let height = |name: &str| places[scene.skeleton.find(name).unwrap()].position.dot(scene.up.axis());
            assert!(height("Head") > height("Hips") && height("Hips") > height("LeftFoot"), "{} lies down", scene.name);
        }
    }
}

/// In some programs the shoulder is the upper arm, in others the clavicle above it.
#[test]
fn arms_and_legs_follow_recordings_whose_words_differ() {
    let driven = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes/humanoid.toml")).unwrap();
    let Some(file) = gathered("bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh") else { return };
    let recorded = Scene::open(file).unwrap();
    let retarget = Retarget::between(&recorded, &driven, &[]).unwrap();
    let (motion, turn) = (&recorded.assets.motions[0], retarget.turn);
    for frame in (0..motion.len()).step_by(97) {
        let there = positions(&recorded.skeleton, motion, frame);
        let pose = retarget.pose(&recorded.skeleton, (&motion.pose(&recorded.skeleton, frame), &[]), &driven.skeleton);
        let here = positions(&driven.skeleton, &Motion::new("same", 1.0, vec![pose]), 0);
        for (from, to, their_from, their_to) in [
            ("left shoulder", "left elbow", "LeftArm", "LeftForeArm"),
            ("right shoulder", "right elbow", "RightArm", "RightForeArm"),
            ("left hip", "left knee", "LeftUpLeg", "LeftLeg"),
            ("right hip", "right knee", "RightUpLeg", "RightLeg"),
        ] {
            let way = |scene: &Scene, places: &[DVec3], [from, to]: [&str; 2]| {
                places[scene.find_joint(to).unwrap()] - places[scene.find_joint(from).unwrap()]
            };
            let own = way(&driven, &here, [from, to]);
            let wanted = turn * way(&recorded, &there, [their_from, their_to]);
            let apart = own.angle_between(wanted).to_degrees();
            // The limits of the humanoid may be in the way.
            assert!(apart < 20.0, "frame {frame}, {from}: {apart:.0} degrees apart");
        }
    }
}

/// Height of the lowest ankle and of the lowest toes in all frames of the recording, above where the figure opens, relative to its
/// height.
fn lowest_feet(recorded: &Scene, driven: &Scene) -> [f64; 2] {
    let retarget = Retarget::between(recorded, driven, &[]).unwrap();
    let (motion, up) = (&recorded.assets.motions[0], driven.up.axis());
    let heights =
        |pose: &Pose| driven.skeleton.frames(pose).iter().map(|frame| frame.position.dot(up)).collect::<Vec<f64>>();
    let opened = heights(&driven.start);
    let size = opened.iter().fold(0.0_f64, |most, &at| most.max(at))
        - opened.iter().fold(f64::MAX, |least, &at| least.min(at));
    let poses = (0..motion.len()).step_by(3).map(|frame| motion.pose(&recorded.skeleton, frame));
    let shown: Vec<_> =
        poses.map(|pose| heights(&retarget.pose(&recorded.skeleton, (&pose, &[]), &driven.skeleton))).collect();
    ["foot", "toe"].map(|part| {
        let joints = (0..opened.len()).filter(|&at| driven.body_part(at).ends_with(part));
        let lowest = |at: usize| shown.iter().map(|heights| heights[at] - opened[at]).fold(f64::MAX, f64::min);
        joints.map(lowest).fold(f64::MAX, f64::min) / size
    })
}

/// Whatever the hips and ankles of the two figures are like.
#[test]
fn feet_of_a_recording_stand_on_the_ground() {
    let files =
        ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh", "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh"];
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    for recorded in files.iter().filter_map(|name| gathered(name)).map(|path| Scene::open(path).unwrap()) {
        for model in ["mannequin.glb", "puppet.gltf"] {
            let driven = Scene::open(models.join(model)).unwrap();
            let [ankles, toes] = lowest_feet(&recorded, &driven);
            assert!(ankles.abs() < 0.01 && toes.abs() < 0.01, "{} on {model}: {ankles:.3} {toes:.3}", recorded.name);
        }
    }
}

#[test]
fn who_never_stands_is_not_put_on_the_ground() {
    let driven = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/mannequin.glb")).unwrap();
    let Some(file) = gathered("bvh/pybvh/bvh_example.bvh") else { return };
    let mut flying = Scene::open(file).unwrap();
    let rise = 15.0 * flying.up.axis();
    let motion = &flying.assets.motions[0];
    let poses = (0..motion.len()).map(|frame| {
        let mut pose = motion.pose(&flying.skeleton, frame);
        let frame = Kind::Free.frame(Isometry::IDENTITY, &pose[0]);
        pose[0] = Coordinates::free(frame.position + rise, frame.rotation);
        pose
    });
    let motion = Motion::new("flying", motion.frame_time, poses.collect());
    Arc::make_mut(&mut flying.assets).motions = vec![motion];
    let [ankles, toes] = lowest_feet(&flying, &driven);
    assert!(ankles > 0.2 && toes > 0.2, "{ankles:.3} {toes:.3}");
}
