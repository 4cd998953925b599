//! Bodies whose parts are known by their names move as far as people do.

use super::gathered::gathered;
use fabrik3d_ik::{Coordinates, Kind, Skeleton};
use fabrik3d_scene::{BodyLimits, OpenOptions, Scene};
use glam::DVec3;
use std::path::{Path, PathBuf};

const HOPS: &str = "bvh/cmu/01_01_playground_hops.bvh";
/// Rounding errors of the angles in that file, radians.
const FILE_ROUNDING: f64 = 1e-5;

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models").join(name)
}

fn with_limits(path: &Path) -> Scene {
    Scene::open(path).expect("reads")
}

fn without_limits(path: &Path) -> Scene {
    let options = OpenOptions { body_limits: BodyLimits::Off, ..OpenOptions::default() };
    Scene::open_with(path, &options).expect("reads")
}

fn joint(skeleton: &Skeleton, name: &str) -> usize {
    let found = skeleton.joints().iter().position(|joint| joint.name.rsplit(':').next() == Some(name));
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// How the end of a limb moves if a joint is tilted along each side as far as its limits allow.
fn tilted(scene: &Scene, name: &str, end: &str) -> [DVec3; 4] {
    let skeleton = &scene.skeleton;
    let (at, end) = (joint(skeleton, name), joint(skeleton, end));
    let Kind::Ball { swing: Some(swing), .. } = *skeleton.kind(at) else { panic!("{name} has no limits") };
    let rest = skeleton.rest_pose();
    let [east, north, west, south] = swing.tilts();
    [[east, 0.0], [0.0, north], [-west, 0.0], [0.0, -south]].map(|tilt| {
        let mut pose = rest.clone();
        pose[at] = Coordinates::ball(tilt, 0.0);
        skeleton.frames(&pose)[end].position - skeleton.frames(&rest)[end].position
    })
}

/// The puppet faces +z and stands along +y; its left is +x.
#[test]
fn elbows_and_knees_bend_the_right_way_and_no_other() {
    let scene = Scene::open(model("puppet.gltf")).expect("reads");
    for side in ["Left", "Right"] {
        let bends = |joint: &str, end: &str| tilted(&scene, &format!("{side}{joint}"), &format!("{side}{end}"));
        let [bent, aside, straight, other] = bends("ForeArm", "Hand");
        assert!(bent.z > 0.1, "{side} elbow: {bent}");
        assert!(straight.length() < 0.06 && aside.length() < 1e-9 && other.length() < 1e-9, "{side} elbow");
        let [bent, aside, straight, other] = bends("Leg", "Foot");
        assert!(bent.z < -0.2 && bent.y > 0.2, "{side} knee: {bent}");
        assert!(straight.length() < 0.06 && aside.length() < 1e-9 && other.length() < 1e-9, "{side} knee");
        // The thigh rises forward much farther than back, the arm above the head and beside the body.
        let [forward, _, back, _] = bends("UpLeg", "Leg");
        assert!(forward.z > 0.1 && forward.y > 0.4 && back.z < -0.1 && back.y < 0.1, "{forward} {back}");
        let [_, one, _, two] = bends("Arm", "ForeArm");
        assert!(one.y.max(two.y) > 0.2 && one.y.min(two.y) < -0.2, "{one} {two}");
        let [up, _, down, _] = bends("Foot", "ToeBase");
        assert!(up.y > 0.02 && down.y < -0.02, "{up} {down}");
    }
    let [forward, left, back, right] = tilted(&scene, "Spine", "Neck");
    assert!(forward.z > 0.1 && back.z < -0.05 && left.x * right.x < 0.0, "{forward} {back}");
}

#[test]
fn limits_change_neither_rest_nor_recordings() {
    let mut files: Vec<PathBuf> = ["puppet.gltf", "mannequin.glb"].map(model).into();
    files.extend(gathered(HOPS));
    for path in files {
        let (limited, unlimited) = (with_limits(&path), without_limits(&path));
        assert!(unlimited.assets.human_limits.joints.is_empty());
        let rest = |scene: &Scene| scene.skeleton.frames(&scene.skeleton.rest_pose());
        let size = rest(&limited).iter().map(|frame| frame.position.length()).fold(0.0, f64::max);
        let same = |a: &[fabrik3d_ik::Isometry], b: &[fabrik3d_ik::Isometry]| {
            a.iter().zip(b).all(|(a, b)| a.position.distance(b.position) < 1e-9 * size)
        };
        assert!(same(&rest(&limited), &rest(&unlimited)), "{}", path.display());
        for &at in &limited.assets.human_limits.joints {
            let kind = limited.skeleton.kind(at);
            assert_eq!(kind.project(kind.rest()), kind.rest(), "rest is inside the limits");
        }
        // The mannequin has limits in a file, among them hinges, which take the nearest angle.
        if path.ends_with("mannequin.glb") {
            assert!(limited.assets.human_limits.joints.is_empty() && limited.assets.human_limits.overruled.len() > 15);
            continue;
        }
        for (motion, plain) in limited.assets.motions.iter().zip(&unlimited.assets.motions) {
            for frame in (0..motion.len()).step_by(7) {
                let shown = motion.frames(&limited.skeleton, frame);
                assert!(same(&shown, &plain.frames(&unlimited.skeleton, frame)), "{} {frame}", path.display());
            }
            let time = 0.37 * motion.duration();
            let [a, b] = [(&limited, motion), (&unlimited, plain)]
                .map(|(scene, motion)| scene.skeleton.frames(&motion.pose_at(&scene.skeleton, time)));
            assert!(same(&a, &b), "{} between frames", path.display());
        }
        let start = &limited.start;
        let inside = |(at, coordinates): (usize, &Coordinates)| {
            let kind = limited.skeleton.kind(at);
            kind.rotation(&kind.project(*coordinates)).angle_between(kind.rotation(coordinates)) < 1e-6
        };
        assert!(start.iter().enumerate().all(inside), "the scene opens inside its limits");
    }
}

/// A person who hops stays within the limits of a person: the recording is an independent witness. A file with its first
/// frame alone tells nothing about the others.
#[test]
fn a_recorded_person_keeps_the_limits() {
    let Some(path) = gathered(HOPS) else { return };
    let text = std::fs::read_to_string(&path).expect("reads");
    let (head, frames) = text.split_once("MOTION").expect("a BVH file");
    let rows: Vec<&str> = frames.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let short = format!("{head}MOTION\nFrames: 1\n{}\n{}\n", rows[1], rows[2]);
    let narrow = Scene::from_bytes(short.into_bytes(), "short.bvh", &OpenOptions::default()).expect("reads");
    let scene = with_limits(&path);
    let motion = &scene.assets.motions[0];
    let (mut beyond, mut count) = (0, 0);
    for frame in (0..motion.len()).step_by(5) {
        let pose = motion.pose(&scene.skeleton, frame);
        let wide = scene.skeleton.frames(&pose);
        for &at in &scene.assets.human_limits.joints {
            let kind = scene.skeleton.kind(at);
            let own = kind.rotation(&kind.project(pose[at])).angle_between(kind.rotation(&pose[at]));
            assert!(own < FILE_ROUNDING, "own limits: {own}");
            // One frame does not tell the plane in which elbows and knees bend.
            let described = &scene.skeleton.joints()[at];
            let Some(parent) = described.parent.filter(|_| !described.name.ends_with("ForeArm")) else { continue };
            let kind = narrow.skeleton.kind(at);
            let rest = narrow.skeleton.joints()[at].rest;
            let own = |scene: &Scene, joint: usize| scene.skeleton.frames(&scene.skeleton.rest_pose())[joint].rotation;
            let turn = |joint: usize| own(&scene, joint).conjugate() * own(&narrow, joint);
            let [above, here] =
                [(parent, wide[parent]), (at, wide[at])].map(|(joint, frame)| frame.rotation * turn(joint));
            let relative = ((above * rest).conjugate() * here).normalize();
            let coordinates = Kind::ball_coordinates(relative);
            let by = kind.rotation(&kind.project(coordinates)).angle_between(relative).to_degrees();
            (beyond, count) = (beyond + u32::from(by > 5.0), count + 1);
        }
    }
    println!("{beyond} of {count} beyond by 5 degrees");
    assert!(f64::from(beyond) < 0.05 * f64::from(count), "{beyond} of {count}");
}

/// Rounding errors of a recording give a knee no freedom aside, and the joints between hips and thighs stay.
#[test]
fn recorded_knees_are_hinges_and_the_pelvis_is_rigid() {
    let Some(path) = gathered(HOPS) else { return };
    let skeleton = with_limits(&path).skeleton;
    let limits = |name: &str| match skeleton.kind(joint(&skeleton, name)) {
        Kind::Ball { swing: Some(swing), twist: Some(twist) } => (swing.tilts(), [twist.low(), twist.high()]),
        kind => panic!("{name}: {kind:?}"),
    };
    for side in ["Left", "Right"] {
        let ([bent, aside, straight, other], twist) = limits(&format!("{side}Leg"));
        assert!(bent > 2.0 && [aside, straight, other] == [0.0; 3] && twist == [0.0; 2], "{side} knee");
        assert_eq!(limits(&format!("{}HipJoint", &side[..1])), ([0.0; 4], [0.0; 2]), "{side} hip");
    }
}

/// A person whose limbs have so many joints in the middle of each part, named by `middle`.
fn with_middle_joints(count: usize, middle: &str) -> Scene {
    let joint = |name: &str, offset: [f64; 3], below: &str| {
        let [x, y, z] = offset;
        format!("\nJOINT {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS 3 Zrotation Xrotation Yrotation{below}\n}}")
    };
    let end = "\nEnd Site\n{\nOFFSET 0 0 0.1\n}";
    // The joints of a part, its link shared among those in its middle.
    let part = |[upper, lower]: [&str; 2], offset: [f64; 3], below: &str| {
        let step = offset.map(|number| number / (count + 1) as f64);
        let last = joint(lower, step, below);
        (0..count).fold(last, |below, at| joint(&format!("{upper}{middle}{at}"), step, &below))
    };
    let arm = |side: &str, x: f64| {
        let [arm, forearm, hand] = ["Arm", "ForeArm", "Hand"].map(|name| format!("{side}{name}"));
        let lower = part([&forearm, &hand], [0.3 * x, 0.0, 0.0], end);
        joint(&arm, [0.2 * x, 0.4, 0.0], &part([&arm, &forearm], [0.3 * x, 0.0, 0.0], &lower))
    };
    let leg = |side: &str, x: f64| {
        let [thigh, shin, foot] = ["UpLeg", "Leg", "Foot"].map(|name| format!("{side}{name}"));
        let lower = part([&shin, &foot], [0.0, -0.4, 0.0], end);
        joint(&thigh, [0.1 * x, 0.0, 0.0], &part([&thigh, &shin], [0.0, -0.4, 0.0], &lower))
    };
    let head = joint("Head", [0.0, 0.5, 0.0], end);
    let spine = joint("Spine", [0.0, 0.1, 0.0], &[head, arm("Left", 1.0), arm("Right", -1.0)].concat());
    let joints = [spine, leg("Left", 1.0), leg("Right", -1.0)].concat();
    let zeros = "0 ".repeat(6 + 3 * joints.matches("JOINT").count());
    let text = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0.9 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation{joints}\n}}\n\
         MOTION\nFrames: 1\nFrame Time: 0.04\n{zeros}\n"
    );
    Scene::from_bytes(text.into_bytes(), "middle.bvh", &OpenOptions::default()).expect("reads")
}

/// Joints in the middle of a limb's part, as rigs have them for the skin, do not bend it: whatever they are called, they share its turn.
#[test]
fn joints_in_the_middle_of_a_limb_share_its_turn_and_do_not_bend_it() {
    let turn = |skeleton: &Skeleton, at: usize| match skeleton.kind(at) {
        Kind::Ball { swing: Some(swing), twist: Some(twist) } => (swing.tilts(), [twist.low(), twist.high()]),
        kind => panic!("{}: {kind:?}", skeleton.joints()[at].name),
    };
    let plain = with_middle_joints(0, "").skeleton;
    for (count, name) in [(1, "Roll"), (1, "_twist_0"), (2, "Thing"), (3, "Roll")] {
        let skeleton = with_middle_joints(count, name).skeleton;
        for part in ["Arm", "ForeArm", "UpLeg", "Leg"]
            .iter()
            .flat_map(|part| ["Left", "Right"].map(|side| format!("{side}{part}")))
        {
            let (tilts, whole) = turn(&plain, joint(&plain, &part));
            let upper = joint(&skeleton, &part);
            let (own_tilts, mut all) = turn(&skeleton, upper);
            assert_eq!(own_tilts, tilts, "{part}, {count} {name}");
            for at in 0..count {
                let (tilts, own) = turn(&skeleton, joint(&skeleton, &format!("{part}{name}{at}")));
                assert_eq!(tilts, [0.0; 4], "{part}, {name}{at} of {count}");
                all = [all[0] + own[0], all[1] + own[1]];
            }
            let apart = (all[0] - whole[0]).abs().max((all[1] - whole[1]).abs());
            assert!(apart < 1e-9, "{part}, {count} {name}: {all:?} in all instead of {whole:?}");
        }
    }
}

#[test]
fn a_limits_file_wins() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("puppet.gltf");
    std::fs::copy(model("puppet.gltf"), &path).expect("copies");
    let plain = Scene::open(&path).expect("reads");
    let elbow = joint(&plain.skeleton, "LeftForeArm");
    let limits = "[[joint]]\nname = \"puppet:LeftForeArm\"\nswing = 10\n\n[[joint]]\nname = \"puppet:LeftHand\"\nstiffness = 0.7\n";
    std::fs::write(folder.path().join("puppet.limits.toml"), limits).expect("writes");
    let scene = Scene::open(&path).expect("reads");
    let human = &scene.assets.human_limits;
    assert_eq!(human.overruled, [elbow]);
    assert!(!human.joints.contains(&elbow) && human.joints.len() + 1 == plain.assets.human_limits.joints.len());
    let Kind::Ball { swing: Some(swing), twist: None } = *scene.skeleton.kind(elbow) else { panic!("a ball") };
    assert!(swing.tilts().iter().all(|tilt| (tilt - 10_f64.to_radians()).abs() < 1e-12));
    // The directions of the file refer to the frame that the joint has without human limits.
    let unlimited = without_limits(&path);
    let frame = |scene: &Scene| scene.skeleton.frames(&scene.skeleton.rest_pose())[elbow].rotation;
    assert!(frame(&scene).angle_between(frame(&unlimited)) < 1e-9);
    let hand = joint(&scene.skeleton, "LeftHand");
    assert_eq!(scene.skeleton.joints()[hand].stiffness, 0.7);
    assert!(human.joints.contains(&hand), "stiffness alone leaves the limits");
    std::fs::write(folder.path().join("puppet.limits.toml"), "body_limits = false\n").expect("writes");
    assert!(Scene::open(&path).expect("reads").assets.human_limits.joints.is_empty());
    std::fs::write(folder.path().join("puppet.limits.toml"), "body_limits = \"no\"\n").expect("writes");
    let error = Scene::open(&path).expect_err("not a truth value").to_string();
    assert!(error.contains("puppet.limits.toml") && error.contains("true or false"), "{error}");
}
