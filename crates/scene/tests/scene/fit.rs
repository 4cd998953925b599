//! Which figures can play the motion of the puppet.

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{OpenOptions, Retarget, Scene};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::path::Path;

/// The puppet after a change to its nodes.
fn puppet(change: impl FnOnce(&mut Vec<Value>)) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/puppet.gltf");
    let mut document: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
    change(document["nodes"].as_array_mut().expect("a list"));
    Scene::from_bytes(document.to_string().into_bytes(), &path, &OpenOptions::default()).expect("opens")
}

fn node(nodes: &[Value], name: &str) -> usize {
    nodes.iter().position(|node| node["name"] == format!("puppet:{name}")).expect("a node")
}

/// The puppet with a link as many times as long, below its joint.
fn stretched(name: &str, times: f64) -> Scene {
    puppet(|nodes| {
        let at = node(nodes, name);
        let offset = nodes[at]["translation"].as_array().expect("an offset").clone();
        let longer = offset.iter().map(|number| number.as_f64().expect("a number") * times);
        nodes[at]["translation"] = json!(longer.collect::<Vec<_>>());
    })
}

fn misfits(driven: &Scene) -> Vec<String> {
    let recorded = puppet(|_| {});
    let retarget = Retarget::between(&recorded, driven, &[]).expect("matches");
    retarget.misfit(&recorded, driven).map_or(Vec::new(), |misfit| misfit.parts)
}

#[test]
fn figures_of_other_proportions_fit() {
    for (name, times) in [("Hips", 1.0), ("LeftHand", 2.5), ("RightForeArm", 0.4), ("LeftFoot", 1.5), ("Head", 9.0)] {
        assert_eq!(misfits(&stretched(name, times)), [""; 0], "{name} {times}");
    }
    // A figure of another size that looks another way.
    let turned = puppet(|nodes| {
        let root = node(nodes, "Root");
        nodes[root]["rotation"] = json!([0.0, 1.0, 0.0, 0.0]);
        nodes[root]["scale"] = json!([7.0, 7.0, 7.0]);
    });
    assert_eq!(misfits(&turned), [""; 0]);
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let loose = puppet(|nodes| {
        let (foot, leg, root) = (node(nodes, "LeftFoot"), node(nodes, "LeftLeg"), node(nodes, "Root"));
        let children = |node: &mut Value| node["children"].as_array_mut().expect("a list").clone();
        let kept: Vec<Value> = children(&mut nodes[leg]).into_iter().filter(|child| *child != json!(foot)).collect();
        let added = [children(&mut nodes[root]), vec![json!(foot)]].concat();
        nodes[leg].as_object_mut().expect("a node").remove("children");
        if !kept.is_empty() {
            nodes[leg]["children"] = json!(kept);
        }
        nodes[root]["children"] = json!(added);
    });
    assert_eq!(misfits(&loose), ["`LeftFoot` (left foot) does not hang on `LeftLeg`"]);
    let arm = "the link of `RightForeArm` to the right hand";
    let long = format!("{arm} is 6.00 times as long as the recorded one, to scale");
    assert_eq!(misfits(&stretched("RightHand", 6.0)), [long]);
    assert_eq!(misfits(&stretched("RightHand", -1.0)), [format!("{arm} rests in another direction, by 180 degrees")]);
}

/// A foot whose ankle is high above its toes stands flat when one with a low ankle does.
#[test]
fn feet_of_another_slope_stand_flat() {
    let driven = puppet(|_| {});
    for (side, rise) in [("Left", 0.0), ("Right", 0.04)] {
        let recorded = puppet(|nodes| {
            let toe = node(nodes, &format!("{side}ToeBase"));
            let offset = nodes[toe]["translation"].as_array().expect("an offset").clone();
            let numbers: Vec<f64> = offset.iter().map(|number| number.as_f64().expect("a number")).collect();
            nodes[toe]["translation"] = json!([numbers[0], numbers[1] + rise, numbers[2]]);
        });
        let retarget = Retarget::between(&recorded, &driven, &[]).expect("matches");
        let pose = retarget.pose(&recorded.skeleton, (&recorded.skeleton.rest_pose(), &[]), &driven.skeleton);
        let sole = |scene: &Scene, pose: &fabrik3d_ik::Pose| {
            let frames = scene.skeleton.frames(pose);
            let [ankle, toe] = ["Foot", "ToeBase"].map(|part| {
                let name = format!("puppet:{side}{part}");
                frames[scene.skeleton.find(&name).expect("a joint")].position
            });
            (toe - ankle).normalize()
        };
        let flat = sole(&driven, &driven.skeleton.rest_pose());
        assert!(sole(&driven, &pose).angle_between(flat) < 1e-6, "{side}");
        assert_eq!(sole(&recorded, &recorded.skeleton.rest_pose()).angle_between(flat) > 0.1, rise > 0.0, "{side}");
    }
}

/// Arms that hang at rest in the recording and are stretched out on the figure: hands go on where forearms end.
#[test]
fn hands_follow_their_forearms() {
    let driven = puppet(|_| {});
    let recorded = puppet(|nodes| {
        for (side, sign) in [("Left", -1.0), ("Right", 1.0)] {
            let arm = node(nodes, &format!("{side}Arm"));
            nodes[arm]["rotation"] = json!([0.0, 0.0, sign * 0.5_f64.sqrt(), 0.5_f64.sqrt()]);
        }
    });
    let retarget = Retarget::between(&recorded, &driven, &[]).expect("matches");
    let pose = retarget.pose(&recorded.skeleton, (&recorded.skeleton.rest_pose(), &[]), &driven.skeleton);
    let [rest, moved, original] = [
        driven.skeleton.frames(&driven.skeleton.rest_pose()),
        driven.skeleton.frames(&pose),
        recorded.skeleton.frames(&recorded.skeleton.rest_pose()),
    ];
    for side in ["Left", "Right"] {
        let hand = driven.skeleton.find(&format!("puppet:{side}Hand")).expect("a hand");
        let [before, now, there] = [&rest, &moved, &original].map(|frames| frames[hand].rotation * DVec3::Z);
        assert!(there.angle_between(before) > 1.0, "{side}: the arms of the recording hang");
        assert!(now.angle_between(there) < 0.1, "{side}: the hand is bent by {}", now.angle_between(there));
    }
}

/// Angle between the directions of a link at rest in two puppets that stand alike, degrees.
fn turned_by(scenes: [&Scene; 2], [from, to]: [&str; 2]) -> f64 {
    let [one, two] = scenes.map(|scene| {
        let frames = scene.skeleton.frames(&scene.skeleton.rest_pose());
        let place = |name: &str| frames[scene.skeleton.find(&format!("puppet:{name}")).expect("a joint")].position;
        place(to) - place(from)
    });
    one.angle_between(two).to_degrees()
}

/// Of the links of limbs, exactly those are told that rest in another direction by more than 45 degrees; by more than 120,
/// the figure does not fit.
#[test]
fn limbs_that_rest_in_another_direction_are_told() {
    let links = ["Left", "Right"].into_iter().flat_map(|side| {
        let links = [["UpLeg", "Leg"], ["Leg", "Foot"], ["Arm", "ForeArm"], ["ForeArm", "Hand"]];
        links.map(|link| link.map(|name| format!("{side}{name}")))
    });
    let links: Vec<[String; 2]> = links.collect();
    let (plain, mut random) = (puppet(|_| {}), Random::new(17));
    let (mut told, mut quiet) = (0, 0);
    for case in 0..80 {
        let turns: Vec<(usize, DQuat)> = (0..1 + random.index(2))
            .map(|_| (random.index(links.len()), DQuat::from_axis_angle(random.direction(), random.range(0.2, 2.0))))
            .collect();
        let driven = puppet(|nodes| {
            for (link, turn) in &turns {
                let joint = node(nodes, &links[*link][0]);
                nodes[joint]["rotation"] = json!(turn.to_array());
            }
        });
        let retarget = Retarget::between(&plain, &driven, &[]).expect("matches");
        let angles: Vec<f64> =
            links.iter().map(|[from, to]| turned_by([&plain, &driven], [from.as_str(), to.as_str()])).collect();
        if angles.iter().any(|angle| (angle - 45.0).abs() < 0.1 || (angle - 120.0).abs() < 0.1) {
            continue;
        }
        let expected: Vec<&str> =
            links.iter().zip(&angles).filter(|(_, angle)| **angle > 45.0).map(|([from, _], _)| from.as_str()).collect();
        let turned = retarget.turned_limbs(&plain, &driven);
        assert_eq!(
            turned.iter().map(|limb| limb.joint.as_str()).collect::<Vec<_>>(),
            expected,
            "case {case}: {turns:?}"
        );
        for limb in &turned {
            let at = links.iter().position(|[from, _]| *from == limb.joint).expect("a link");
            assert!((limb.degrees - angles[at]).abs() < 1e-6, "case {case}: {limb:?}, {}", angles[at]);
        }
        let misfit = retarget.misfit(&plain, &driven);
        assert_eq!(misfit.is_some(), angles.iter().any(|angle| *angle > 120.0), "case {case}: {misfit:?}");
        told += usize::from(!turned.is_empty());
        quiet += usize::from(turned.is_empty());
    }
    assert!(told > 20 && quiet > 5, "{told} {quiet}");
}
