//! Names, parts in other files, and what is refused or told.
#![allow(clippy::unwrap_used)]

use super::{open, tied, try_open, world};
use fabrik3d_ik::Kind;
use fabrik3d_scene::{FileFormat, Files, HeldFiles, OpenOptions, RobotBase, Scene};
use glam::DVec3;
use std::sync::Arc;

/// Names that are missing are given: joints get those of their bodies, bodies are numbered. Joints, bodies and sites may share names.
#[test]
fn everything_has_a_name() {
    let scene = open(&world(
        "<body><joint/><joint/><body name=\"arm\" pos=\"1 0 0\"><joint/><site name=\"arm\" pos=\"0 1 0\"/>\
         <body name=\"tip\" pos=\"1 0 0\"/></body></body><body name=\"body.2\"><freejoint name=\"arm\"/></body>",
    ));
    let names: Vec<&str> = scene.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["world", "body", "body.2", "arm.2", "arm.3", "tip", "arm"]);
    let links: Vec<(&str, usize)> = scene.assets.links.iter().map(|(name, joint)| (name.as_str(), *joint)).collect();
    assert_eq!(links, [("world", 0), ("body", 2), ("arm", 3), ("tip", 5), ("body.2", 6), ("arm", 4)]);
}

/// A model in several files.
fn open_files(files: &[(&str, &str)]) -> Result<Scene, String> {
    let held: HeldFiles = files.iter().map(|(name, text)| ((*name).into(), text.as_bytes().to_vec())).collect();
    let options = OpenOptions { files: Files::Held(Arc::new(held)), ..OpenOptions::default() };
    Scene::open_with(files[0].0, &options).map_err(|error| error.to_string())
}

/// Files that are included stand where they are included; messages name them with their own lines.
#[test]
fn files_include_others() {
    let model = |inner| {
        let main = "<mujoco>\n<include file=\"parts/all.xml\"/>\n<worldbody>\n<body name=\"a\">\n\
                    <include file=\"hand.xml\"/>\n</body></worldbody></mujoco>";
        let all = "<mujocoinclude>\n<include file=\"defaults.xml\"/><option/></mujocoinclude>";
        let defaults = "<mujocoinclude><default><joint axis=\"1 0 0\"/></default></mujocoinclude>";
        open_files(&[("m.xml", main), ("parts/all.xml", all), ("parts/defaults.xml", defaults), ("hand.xml", inner)])
    };
    let scene =
        model("<!-- one -->\n<mujocoinclude>\n<joint name=\"j\"/>\n<body name=\"h\" pos=\"0 0 1\"/></mujocoinclude>")
            .unwrap();
    assert_eq!(scene.skeleton.kind(scene.skeleton.find("j").unwrap()), &Kind::Hinge { axis: DVec3::X, range: None });
    let told = model("<mujocoinclude>\n<joint axes=\"1 0 0\"/></mujocoinclude>").unwrap().assets.warnings.clone();
    assert!(told.iter().any(|warning| warning.starts_with("hand.xml: line 2: unknown attribute `axes`")), "{told:?}");
    for (inner, expected) in [
        (
            "<mujocoinclude>\n\n <joint pos=\"0 0\"/></mujocoinclude>",
            "hand.xml:3:2: <joint>: pos=\"0 0\" must be 3 numbers",
        ),
        ("<mujocoinclude>\n<joint></mujocoinclude>", "hand.xml:2:8: this is not XML"),
        (
            "<mujocoinclude>\n<include file=\"hand.xml\"/></mujocoinclude>",
            "hand.xml:2:1: `hand.xml` is included already",
        ),
        ("<mujocoinclude>\n<include file=\"m.xml\"/></mujocoinclude>", "hand.xml:2:1: `m.xml` is included already"),
        ("<mujocoinclude>\n<include file=\"no.xml\"/></mujocoinclude>", "hand.xml:2:1: there is no file `no.xml`"),
    ] {
        let error = model(inner).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Wrong models are refused with their place and a remedy.
#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let body = |body: &str| world(&format!("<body name=\"a\">\n{body}\n<body/></body>"));
    let cases = [
        (body("<joint axis=\"0 0 0\"/>"), ":4:1: <joint>: the axis has no direction"),
        (body("<joint axis=\"0 nan 1\"/>"), ":4:1: <joint>: axis=\"0 nan 1\" is not finite"),
        (body("<joint axis=\"0 1\"/>"), ":4:1: <joint>: axis=\"0 1\" must be 3 numbers"),
        (body("<joint type=\"hinges\"/>"), ":4:1: <joint>: type=\"hinges\" is not known\n  did you mean `hinge`?"),
        (body("<joint class=\"x\"/>"), ":4:1: there is no default class `x`"),
        (body("<joint limited=\"true\"/>"), ":4:1: <joint>: it is limited, but its range is empty"),
        (body("<joint type=\"ball\" range=\"-5 5\"/>"), ":4:1: <joint>: the range of a ball begins at 0"),
        (body("<joint name=\"j\"/><joint name=\"j\"/>"), ":4:18: two joints are named `j`"),
        (body("<body name=\"a\"/>"), ":4:1: two bodies are named `a`"),
        (body("<body name=\"world\"/>"), ":4:1: two bodies are named `world`"),
        (body("<body quat=\"0 0 0 0\"/>"), ":4:1: <body>: quat gives no rotation"),
        (body("<body quat=\"1 0 0 0\" euler=\"0 0 0\"/>"), ":4:1: <body>: quat and euler both say how it is turned"),
        (body("<body xyaxes=\"1 0 0 2 0 0\"/>"), ":4:1: <body>: xyaxes gives no rotation"),
        (body("<body childclass=\"x\"/>"), ":4:1: there is no default class `x`"),
        (body("<body><freejoint/></body>"), ":4:7: <freejoint> moves freely"),
        (body("<freejoint/><joint/>"), ":4:13: <joint> is beside a free joint"),
        (world("<joint/>"), ":3:1: the world has no joints"),
        (world(""), ":1:1: the model has no <body>"),
        ("<mujoco>\n<compiler angle=\"degrees\"/></mujoco>".into(), ":2:1: <compiler>: angle=\"degrees\" is not known"),
        ("<mujoco>\n<compiler eulerseq=\"xyw\"/></mujoco>".into(), ":2:1: eulerseq=\"xyw\" must be three"),
        ("<mujoco>\n<compiler coordinate=\"global\"/></mujoco>".into(), ":2:1: global coordinates are not supported"),
        ("<mujoco>\n<default class=\"x\"/></mujoco>".into(), ":2:1: the outermost <default>"),
        ("<mujoco>\n<default><default/></default></mujoco>".into(), ":2:10: a <default> inside another needs"),
        (tied("\n<equality><joint joint1=\"v\"/></equality>"), ":2:11: <joint>: there is no joint `v`"),
        (tied("\n<equality><weld body1=\"c\"/></equality>"), ":2:11: <weld>: there is no body `c`"),
        (tied("\n<equality><connect site1=\"s\" site2=\"u\"/></equality>"), ":2:11: <connect>: there is no site `u`"),
        (tied("\n<keyframe><key qpos=\"1 2\"/></keyframe>"), ":2:11: <key>: qpos must be 4 numbers, not 2"),
        ("<models/>".into(), ":1:1: expected <robot> (URDF) or <mujoco> (MJCF), found <models>"),
        ("<mujocoinclude/>".into(), ":1:1: this is a part of an MJCF model"),
    ];
    for (text, expected) in cases {
        let error = try_open(&text).expect_err(expected);
        assert!(error.starts_with(&format!("robot.xml{expected}")), "{error}\nnot {expected}");
    }
    let options = OpenOptions { robot_base: RobotBase::Free, ..OpenOptions::default() };
    let error = Scene::from_bytes(body("").into_bytes(), "robot.xml", &options).unwrap_err().to_string();
    assert!(error.contains("<freejoint/>"), "{error}");
}

/// What says nothing about where bodies are is listed; what is not known, or cannot be expressed, is told with its line.
#[test]
fn what_is_not_read_is_told() {
    let text = tied(
        "\n<option gravity=\"0 0 -9\"/><option/><actuator><motor joint=\"x\"/></actuator>\n<sensors/>\n<equality>\n\
         <joint joint1=\"x\" joint2=\"y\" polycoef=\"0 1 2\"/>\n<tendon tendon1=\"t\"/>\n</equality>",
    );
    let text = text.replace("type=\"slide\" axis", "type=\"slide\"  axes");
    let told = open(&text).assets.warnings.clone();
    for expected in [
        "not read, since it does not say how bodies move: option, actuator",
        "line 1: unknown attribute `axes` in <joint>; did you mean `axis`?",
        "line 3: unknown element `sensors` in <mujoco>; did you mean `sensor`?",
        "line 5: <joint> is not read: joints follow others in a straight line only",
        "line 6: <tendon> is not read",
    ] {
        assert!(told.iter().any(|warning| warning.starts_with(expected)), "{expected}: {told:#?}");
    }
    assert_eq!(told.len(), 5, "{told:#?}");
    let made = open(&world("<body><joint/></body>\n<replicate count=\"3\"><body/></replicate>"));
    assert!(
        made.assets.warnings.iter().any(|warning| warning.starts_with("line 4: the bodies that <replicate> makes"))
    );
    assert_eq!(open(&world("<body><joint/></body>")).assets.warnings, [] as [String; 0]);
}

/// The root element tells the format: a URDF may be named `.xml`, and MJCF `.urdf`.
#[test]
fn the_root_element_tells_the_format() {
    let urdf = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/>\
                <child link=\"b\"/><origin xyz=\"0 0 1\"/></joint></robot>";
    for text in [urdf, &world("<body><joint/><body pos=\"1 0 0\"/></body>")] {
        let read = |name: &str| Scene::from_bytes(text.as_bytes().to_vec(), name, &OpenOptions::default()).unwrap();
        assert_eq!(read("r.urdf"), read("r.xml"));
        assert_eq!(read("r.urdf"), read("r.mjcf"));
    }
    assert!(FileFormat::list(FileFormat::opens_as_scene, "and").contains(".xml"));
}

/// Many bodies inside each other neither end the stack nor take long; too many are refused.
#[test]
fn deep_models_are_read_or_refused() {
    let deep = |count: usize| world(&("<body>".repeat(count) + &"</body>".repeat(count)));
    assert_eq!(open(&deep(3000)).skeleton.len(), 3001);
    assert!(try_open(&deep(10_001)).unwrap_err().contains("more than 10000"));
    let frames = world(&("<frame>".repeat(3000) + "<body/>" + &"</frame>".repeat(3000)));
    assert_eq!(open(&frames).skeleton.len(), 2);
}
