//! What ties joints and bodies.
#![allow(clippy::unwrap_used)]

use super::{body, open, tied, world};
use fabrik3d_ik::Coordinates;
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3, dvec3};
use std::f64::consts::PI;

/// Joints follow others by the formula of the documentation, also through others, in whatever order the file has them.
#[test]
fn joints_follow_others() {
    let first = "<joint joint1=\"y\" joint2=\"x\" polycoef=\"0.5 2\"/>";
    let second = "<joint joint1=\"z\" joint2=\"y\" polycoef=\"0.1 -3 0 0 0\"/>";
    for ties in [[first, second], [second, first]] {
        let scene = open(&tied(&format!("<equality>{}</equality>", ties.concat())));
        let find = |name: &str| scene.skeleton.find(name).unwrap();
        for value in [-0.7, 0.0, 0.9] {
            let mut pose = scene.skeleton.rest_pose();
            pose[find("x")] = Coordinates::scalar(value);
            scene.skeleton.follow(&mut pose);
            let y = 0.2 + 0.5 + 2.0 * (value - 0.3);
            let z = 0.1 - 3.0 * (y - 0.2);
            assert!((pose[find("y")].value() - y).abs() < 1e-12);
            assert!((pose[find("z")].value() - z).abs() < 1e-12);
        }
    }
    let held = open(&tied("<equality><joint joint1=\"x\" polycoef=\"0.4\"/></equality>"));
    let joint = held.skeleton.find("x").unwrap();
    assert!(!held.skeleton.kind(joint).can_move() && (held.start[joint].value() - 0.7).abs() < 1e-12);
}

/// Loops that say no more are met by the first pose of MuJoCo, where the file has its bodies.
#[test]
fn loops_are_closed_in_the_first_pose() {
    let apart = |scene: &Scene| {
        let mut pose = scene.skeleton.rest_pose();
        for (name, value) in [("x", 0.3), ("y", 0.2)] {
            pose[scene.skeleton.find(name).unwrap()] = Coordinates::scalar(value);
        }
        let frames = scene.skeleton.frames(&pose);
        let point = |end: fabrik3d_ik::goals::Attachment| frames[end.joint].point(end.point);
        scene.loops.iter().map(|(a, b)| point(*a).distance(point(*b))).fold(0.0, f64::max)
    };
    for (tie, count) in [
        ("<connect body1=\"a\" body2=\"b\" anchor=\"0.3 0.2 0.1\"/>", 1),
        ("<connect body1=\"a\" anchor=\"0.3 0.2 0.1\"/>", 1),
        ("<weld body1=\"a\" body2=\"b\" anchor=\"0.3 0.2 0.1\"/>", 3),
        ("<weld body1=\"b\" relpose=\"1 2 3 0 0 0 0\"/>", 3),
    ] {
        let scene = open(&tied(&format!("<equality>{tie}</equality>")));
        assert_eq!(scene.loops.len(), count, "{tie}");
        assert!(apart(&scene) < 1e-9, "{tie}: {}", apart(&scene));
    }
    let sites = open(&tied("<equality><connect site1=\"s\" site2=\"t\"/></equality>"));
    let frames = sites.skeleton.frames(&sites.start);
    let (a, b) = sites.loops[0];
    assert_eq!([a.joint, b.joint], [body(&sites, "s"), body(&sites, "t")]);
    assert!(frames[a.joint].point(a.point).distance(frames[body(&sites, "s")].position) < 1e-12);
    let inactive =
        "<default><equality active=\"false\"/></default><equality><connect body1=\"a\" anchor=\"0 0 0\"/></equality>";
    assert!(open(&tied(inactive)).loops.is_empty());
}

/// A weld holds the pose that it gives.
#[test]
fn welds_hold_their_pose() {
    let scene = open(&tied(
        "<equality><weld body1=\"a\" body2=\"b\" relpose=\"0.1 0.2 0.3 0 2 0 0\" anchor=\"0 0 1\"/></equality>",
    ));
    let (a, turn) = (dvec3(0.1, 0.2, 0.3), DQuat::from_rotation_x(PI));
    for (on_a, on_b) in &scene.loops {
        assert!(on_a.point.distance(a + turn * (on_b.point - DVec3::Z)) < 1e-12);
    }
}

/// A mocap body goes where its user moves it, so a weld to it is no loop.
#[test]
fn bodies_that_the_user_moves_hold_nothing() {
    let text = world("<body name=\"m\" mocap=\"true\"/><body name=\"a\"><freejoint/></body>");
    let text = text.replace("</mujoco>", "<equality><weld body1=\"a\" body2=\"m\"/></equality></mujoco>");
    let scene = open(&text);
    assert!(scene.loops.is_empty() && scene.assets.warnings[0].contains("mocap"), "{:?}", scene.assets.warnings);
}

/// A scene file with the robot's values is the same robot.
#[test]
fn a_model_survives_as_a_scene_file() {
    let text = tied("<equality><joint joint1=\"y\" joint2=\"x\"/><weld body1=\"a\" body2=\"b\"/></equality>");
    let scene = open(&text);
    let again = Scene::parse(&scene.to_toml(), fabrik3d_scene::Syntax::Toml, "again.toml").unwrap();
    assert_eq!(again.skeleton, scene.skeleton);
    assert_eq!(again.start, scene.start);
    assert_eq!(again.loops.len(), scene.loops.len());
}
