//! Recorded motion elsewhere: on other figures, as targets, and put together again.
#![cfg(all(feature = "files", feature = "measure"))]
#![allow(clippy::unwrap_used)]

mod gathered;

use fabrik3d::ik::Coordinates;
use fabrik3d::measure::mocap::{Experiment, Start, reconstruct};
use fabrik3d::scene::{Motion, Retarget, Scene};
use fabrik3d::{DQuat, DVec3, Joint, Kind, Settings, Skeleton};
use gathered::gathered;
use std::path::{Path, PathBuf};

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/two-joints.bvh")
}

/// Recordings to work with: our own, and gathered ones.
fn recordings() -> Vec<Scene> {
    let names = ["bvh/cmu/01_01_playground_hops.bvh", "bvh/pybvh/bvh_example.bvh"];
    let paths = names.iter().filter_map(|name| gathered(name)).chain([own()]);
    paths.map(|path| Scene::open(path).unwrap()).collect()
}

fn positions(skeleton: &Skeleton, motion: &Motion, frame: usize) -> Vec<DVec3> {
    skeleton.frames(&motion.pose(skeleton, frame)).iter().map(|frame| frame.position).collect()
}

#[test]
fn a_figure_drives_itself() {
    for scene in recordings() {
        let motion = &scene.assets.motions[0];
        let retarget = Retarget::by_names(&scene.skeleton, &scene.skeleton).unwrap();
        assert!((retarget.scale - 1.0).abs() < 1e-12);
        for frame in (0..motion.len()).step_by(301) {
            let pose = retarget.pose(&scene.skeleton, &motion.pose(&scene.skeleton, frame), &scene.skeleton);
            let same = Motion::new("same", 1.0, vec![pose]);
            let (found, expected) = (positions(&scene.skeleton, &same, 0), positions(&scene.skeleton, motion, frame));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.distance(*expected) < 1e-9, "{}, frame {frame}: {found} {expected}", scene.name);
            }
        }
    }
}

#[test]
fn a_larger_figure_moves_alike_and_more() {
    for scene in recordings() {
        let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
        for joint in &mut joints {
            joint.offset *= 2.5;
            joint.name = format!("mixamorig:{}", joint.name.to_uppercase());
        }
        let large = Skeleton::new(joints).unwrap();
        let motion = &scene.assets.motions[0];
        let retarget = Retarget::by_names(&scene.skeleton, &large).unwrap();
        assert!((retarget.scale - 2.5).abs() < 1e-12);
        assert!(retarget.partners.iter().enumerate().all(|(at, partner)| *partner == Some(at)), "{}", scene.name);
        let moved = retarget.motion(&scene.skeleton, motion, &large);
        assert_eq!((moved.len(), moved.frame_time), (motion.len(), motion.frame_time));
        let frame = motion.len() / 2;
        for (found, expected) in positions(&large, &moved, frame).iter().zip(positions(&scene.skeleton, motion, frame))
        {
            assert!(found.distance(retarget.point(expected)) < 1e-9, "{}: {found} {expected}", scene.name);
        }
    }
}

#[test]
fn links_point_alike_whatever_the_rest_pose() {
    let scene = Scene::open(own()).unwrap();
    let mut joints: Vec<Joint> = scene.skeleton.joints().to_vec();
    joints[0].rest *= DQuat::from_rotation_x(0.8);
    joints[1].rest = DQuat::from_rotation_y(0.4) * joints[1].rest;
    let other = Skeleton::new(joints).unwrap();
    let motion = &scene.assets.motions[0];
    let retarget = Retarget::by_names(&scene.skeleton, &other).unwrap();
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
fn a_stranger_is_refused() {
    let scene = Scene::open(own()).unwrap();
    let stranger = Skeleton::new(vec![Joint::new("xyzzy", None, DVec3::ZERO, Kind::UNLIMITED_BALL)]).unwrap();
    assert_eq!(Retarget::by_names(&scene.skeleton, &stranger), None);
}

/// A slowly bending chain, told of by its end alone, is found again when each solve starts from the frame before.
#[test]
fn a_slow_chain_is_found_again() {
    let text = "[[chain]]\nname = \"arm\"\npoints = [[0, 0, 0], [0, 0.3, 0], [0, 0.55, 0]]\n";
    let scene = Scene::parse(text, fabrik3d::scene::Format::Toml, "arm.toml").unwrap();
    let pose = |frame: usize| {
        let angle = 0.02 + 0.01 * frame as f64;
        let mut pose = scene.skeleton.rest_pose();
        pose[0] = Coordinates::rotation(DQuat::from_rotation_z(-0.6 * angle));
        pose[1] = Coordinates::rotation(DQuat::from_rotation_z(2.0 * angle));
        pose
    };
    let motion = Motion::new("bending", 0.1, (0..100).map(pose).collect());
    let experiment = Experiment { step: 1, start: Start::Previous, unit: Some(1.0), settings: Settings::default() };
    let table = reconstruct(&scene, &motion, &experiment);
    let value = |subject: &str| {
        let row = table.rows.iter().find(|row| row.subject == subject && row.quantity == "median").unwrap();
        assert_eq!(row.unit, "mm");
        row.value
    };
    // The arm is 0.55 m long, and the tolerance one part in ten thousand of that.
    assert!(value("the ends") < 0.056, "{}", table.text());
    // The elbow is the only joint asked for; in a plane it has two places, and the one nearby is kept.
    assert!(value("arm.1") < 10.0 && value("arm.1") == value("all joints"), "{}", table.text());
}

/// However many frames a second: the first and the last are there.
#[test]
fn another_rate_keeps_the_last_frame() {
    for scene in recordings() {
        for motion in &scene.assets.motions {
            for fps in [7.0, 24.0, 25.0, 29.97, 30.0, 60.0] {
                let sampled = motion.at_rate(&scene.skeleton, fps);
                assert!((sampled.len() - 1) as f64 / fps - motion.duration() > -1e-6, "{} at {fps}", motion.name);
                assert!((sampled.len() - 1) as f64 / fps - motion.duration() < 1.0 / fps, "{} at {fps}", motion.name);
                for (seconds, frame) in [(0.0, 0), (motion.duration(), sampled.len() - 1)] {
                    let wanted = scene.skeleton.frames(&motion.pose_at(&scene.skeleton, seconds));
                    let found = scene.skeleton.frames(&sampled.pose(&scene.skeleton, frame));
                    for (wanted, found) in wanted.iter().zip(&found) {
                        let off = wanted.position.distance(found.position);
                        assert!(off <= 1e-9 * (1.0 + wanted.position.length()), "{} at {fps}: {off}", motion.name);
                    }
                }
            }
        }
    }
}

/// A figure with other names and a divided spine is as large as its legs say.
#[test]
fn sizes_are_compared_by_what_both_have() {
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
        Skeleton::new(joints).unwrap()
    };
    let one = figure(["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "Head", "LeftHand"], 0.4, &[0.5]);
    let two = figure(["pelvis", "thigh_l", "calf_l", "foot_l", "head", "hand.L"], 0.8, &[0.1, 0.2, 0.4]);
    let retarget = Retarget::by_names(&one, &two).unwrap();
    let partner = |name: &str| retarget.partners[two.find(name).unwrap()].map(|at| one.joints()[at].name.as_str());
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
