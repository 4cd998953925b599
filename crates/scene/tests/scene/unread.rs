//! Robot descriptions: what is not read is told with its line, and what other programs write is read.
#![allow(clippy::unwrap_used)]

use crate::gathered::gathered;
use fabrik3d_ik::random::Random;
use fabrik3d_ik::{Isometry, Pose};
use fabrik3d_scene::{OpenOptions, Scene, read_mesh_file, read_targets};
use glam::{DQuat, EulerRot};
use std::fmt::Write;

fn open(text: &str) -> Scene {
    try_open(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn try_open(bytes: &[u8]) -> Result<Scene, String> {
    Scene::from_bytes(bytes.to_vec(), "robot.urdf", &OpenOptions::default()).map_err(|error| error.to_string())
}

/// The elements of a joint, without their names: `<origin xyz="..." rpy="..."` and so on.
fn elements(random: &mut Random) -> Vec<String> {
    let mut triple = || [0; 3].map(|_| format!("{:.3}", random.range(-1.0, 1.0))).join(" ");
    vec![
        format!("<origin xyz=\"{}\" rpy=\"{}\"", triple(), triple()),
        format!("<axis xyz=\"{}\"", triple()),
        "<limit lower=\"-1\" upper=\"2\" effort=\"1\" velocity=\"3\"".to_owned(),
        "<dynamics damping=\"1\"".to_owned(),
    ]
}

/// A chain of joints with one tag per line, and the lines on which the tags stand.
fn chain(joints: &[Vec<String>]) -> (String, Vec<Vec<usize>>) {
    let mut text = String::from("<?xml version=\"1.0\"?>\n<robot name=\"r\">\n");
    (0..=joints.len()).for_each(|at| writeln!(text, "<link name=\"l{at}\"/>").unwrap());
    let mut lines = Vec::new();
    for (at, elements) in joints.iter().enumerate() {
        writeln!(text, "<joint name=\"j{at}\" type=\"revolute\">").unwrap();
        writeln!(text, "<parent link=\"l{at}\"/><child link=\"l{}\"/>", at + 1).unwrap();
        let mut own = Vec::new();
        for element in elements {
            own.push(text.lines().count() + 1);
            writeln!(text, "{element}/>").unwrap();
        }
        lines.push(own);
        writeln!(text, "</joint>").unwrap();
    }
    (text + "</robot>", lines)
}

fn frames(scene: &Scene) -> Vec<Isometry> {
    let mut pose: Pose = scene.skeleton.rest_pose();
    scene.skeleton.project(&mut pose);
    scene.skeleton.frames(&pose)
}

/// A stray attribute or element at a random place is told with its line, and changes nothing else. Without it nothing is told.
#[test]
fn what_is_not_read_is_told_with_its_line() {
    let mut random = Random::new(5);
    let letters =
        |random: &mut Random| -> String { (0..6).map(|_| char::from(b'a' + random.index(26) as u8)).collect() };
    for case in 0..300 {
        let mut joints: Vec<Vec<String>> = (0..3).map(|_| elements(&mut random)).collect();
        let (text, _) = chain(&joints);
        let plain = open(&text);
        assert_eq!(plain.assets.warnings, [""; 0], "{text}");
        let (joint, element) = (random.index(3), random.index(3));
        let name = match random.index(3) {
            0 => ["XYZ", "rpi", "quat", "rot", "position", "multipler", "Lower"][random.index(7)].to_owned(),
            _ => letters(&mut random),
        };
        let is_attribute = random.index(2) == 0;
        let (at, told) = if is_attribute {
            let stray = format!(" {name}=\"1 2 3\"");
            joints[joint][element].push_str(&stray);
            (element, format!("unknown attribute `{name}`"))
        } else if random.index(2) == 0 {
            joints[joint].push(format!("<{name} xyz=\"3 2 1\""));
            (joints[joint].len() - 1, format!("unknown element `{name}`"))
        } else {
            let tag = ["origin", "axis", "limit"][element];
            let second = joints[(joint + 1) % 3][element].clone();
            joints[joint].push(second);
            (joints[joint].len() - 1, format!("a second element `{tag}`"))
        };
        let (text, lines) = chain(&joints);
        let scene = open(&text);
        let [warning] = scene.assets.warnings.as_slice() else { panic!("{case}: {:?}\n{text}", scene.assets.warnings) };
        assert!(warning.starts_with(&format!("line {}: {told}", lines[joint][at])), "{warning}\n{text}");
        assert_eq!(frames(&scene), frames(&plain), "{text}");
    }
}

/// The same stray attribute of many joints is one warning, and a misspelt name comes with the right one.
#[test]
fn the_same_in_many_places_is_told_once() {
    let mut joints = vec![elements(&mut Random::new(1)); 4];
    joints.iter_mut().for_each(|joint| joint[0].push_str(" quat=\"0 0 0 1\""));
    let scene = open(&chain(&joints).0);
    let [warning] = scene.assets.warnings.as_slice() else { panic!("{:?}", scene.assets.warnings) };
    assert!(warning.contains("(4 times)") && warning.ends_with("did you mean `quat_xyzw`?"), "{warning}");
}

/// A rotation is the same as a quaternion of any length, and as roll, pitch and yaw.
#[test]
fn quaternions_turn_as_angles_do() {
    let mut random = Random::new(8);
    for _ in 0..100 {
        let turn = random.rotation();
        let (yaw, pitch, roll) = turn.to_euler(EulerRot::ZYX);
        let [x, y, z, w] = (turn * random.range(0.5, 2.0)).to_array();
        let robot = |origin: String| {
            frames(&open(&chain(&[vec![format!("<origin {origin}"), "<limit upper=\"1\"".to_owned()]]).0))
        };
        let by_angles = robot(format!("xyz=\"1 2 3\" rpy=\"{roll} {pitch} {yaw}\""));
        let by_quaternion = robot(format!("xyz=\"1 2 3\" quat_xyzw=\"{x} {y} {z} {w}\""));
        for (one, other) in by_angles.iter().zip(&by_quaternion) {
            assert!(one.rotation.angle_between(other.rotation) < 1e-6 && one.position == other.position);
        }
        assert!(by_quaternion[1].rotation.angle_between(DQuat::from_xyzw(x, y, z, w).normalize()) < 1e-6);
    }
    let origin = |attributes: &str| try_open(chain(&[vec![format!("<origin {attributes}")]]).0.as_bytes()).unwrap_err();
    assert!(origin("quat_xyzw=\"0 0 0 0\"").contains("cannot be zero"));
    assert!(origin("rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"").contains("keep one of them"));
}

/// A macro that stands in a link says nothing about where links are: a warning with its line, wherever in the link it stands.
#[test]
fn a_macro_in_a_link_is_a_warning() {
    let shape = "<geometry><box size=\"1 1 1\"/></geometry>";
    for link in [
        "MACRO".to_owned(),
        format!("<visual>{shape}MACRO</visual>"),
        format!("<visual>{shape}<material name=\"m\">MACRO</material></visual>"),
        format!("<collision>MACRO{shape}</collision>"),
        "<inertial>MACRO</inertial>".to_owned(),
    ] {
        let (text, _) = chain(&[elements(&mut Random::new(2))]);
        let text = text.replace("name=\"r\"", "name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"");
        let link = link.replace("MACRO", "<xacro:grey/>");
        let scene = open(&text.replace("<link name=\"l1\"/>", &format!("<link name=\"l1\">{link}</link>")));
        assert_eq!(scene.assets.warnings, ["line 4: <xacro:grey> is a macro, which is ignored"]);
    }
}

/// A pointer of Git LFS is named as one, with the remedy, in the place of any file that is read.
#[test]
fn pointers_of_git_lfs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00ff\nsize 12345\n";
    let is_named = |text: String| text.contains("Git LFS pointer") && text.contains("git lfs pull");
    for extension in ["urdf", "toml", "json", "bvh", "gltf", "glb", "stl", "obj", "dae"] {
        let path = folder.path().join("a").with_extension(extension);
        std::fs::write(&path, pointer).unwrap();
        let error = match extension {
            "stl" | "obj" | "dae" => read_mesh_file(&path).map(drop),
            _ => Scene::open(&path).map(drop),
        };
        let text = error.unwrap_err().to_string();
        assert!(text.contains("a.") && is_named(text.clone()), "{text}");
    }
    let scene = open(&chain(&[elements(&mut Random::new(2))]).0);
    assert!(is_named(
        read_targets(pointer.as_bytes(), std::path::Path::new("targets.csv"), &scene).map(drop).unwrap_err()
    ));
}

/// A description reads the same in every encoding that it declares.
#[test]
fn declared_encodings_are_read() {
    let name =
        [("windows-1252", "Bär"), ("ISO-8859-2", "łokieć"), ("Shift_JIS", "肩"), ("GBK", "手腕"), ("KOI8-R", "рука")];
    let text = |label: &str, name: &str| {
        let (text, _) = chain(&[elements(&mut Random::new(2))]);
        text.replace("?>", &format!(" encoding='{label}'?>")).replace("name=\"j0\"", &format!("name=\"{name}\""))
    };
    for (label, name) in name {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let text = text(label, name);
        let (bytes, _, is_lossy) = encoding.encode(&text);
        assert!(!is_lossy && bytes.len() < text.len(), "{label}");
        assert_eq!(try_open(&bytes).unwrap().skeleton.joints()[1].name, name);
        // Declared as something else, it is told.
        assert!(try_open(&[text.replace(label, "UTF-8").as_bytes(), &b"\xff"[..]].concat()).is_err());
    }
    let wide = text("UTF-16", "肩");
    let units: Vec<u16> = wide.encode_utf16().collect();
    for bytes in [
        units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        units.iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>(),
    ] {
        assert_eq!(try_open(&bytes).unwrap().skeleton.joints()[1].name, "肩");
    }
    assert_eq!(open(&wide).skeleton.joints()[1].name, "肩", "the declaration is in ASCII");
}

/// Descriptions of the kinds above that others have made.
#[test]
fn gathered_descriptions_are_read_or_told() {
    let Some(folder) = gathered("trials/robots") else { return };
    let open = |name: &str| Scene::open(folder.join(name)).unwrap();
    for name in ["quat-xyzw/arm.urdf", "quat-xyzw/arm_rpy.urdf"] {
        let scene = open(name);
        let tool = frames(&scene)[scene.find_place("tool0").unwrap().0];
        assert!(tool.position.distance(glam::dvec3(0.1, 0.0, 0.9)) < 1e-9, "{name}");
        assert!(tool.rotation.angle_between(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)) < 1e-6, "{name}");
    }
    for (name, told) in [
        ("case", "Origin"),
        ("mult", "multipler"),
        ("position", "position"),
        ("quat", "quat"),
        ("rot", "rot"),
        ("twoaxes", "axis"),
    ] {
        let scene = open(&format!("unread-attributes/{name}.urdf"));
        let warnings = &scene.assets.warnings;
        assert!(
            warnings.iter().any(|text| text.starts_with("line 3: ") && text.contains(&format!("`{told}`"))),
            "{warnings:?}"
        );
    }
    assert_eq!(open("macro-in-visual/arm.urdf").assets.warnings.len(), 1);
}
