//! Goals that ask for a part of an orientation or of a position: flags, scene keys, cases and tables say the same.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d_ik::Isometry;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use support::{run, run_on};

/// Seven hinges with ranges; its effector is `gripper`.
const ARM: &str = "assets/scenes/robot-arm.toml";

/// Frames of the effector in random poses inside the limits.
fn reachable(count: usize, seed: u64) -> Vec<Isometry> {
    let scene = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(ARM)).unwrap();
    let (effector, mut random) = (scene.effectors[0].effector, Random::new(seed));
    let frame = |_| {
        let pose = scene.skeleton.random_pose(&mut random);
        let frame = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint);
        Isometry::new(frame.point(effector.tip), frame.rotation)
    };
    (0..count).map(frame).collect()
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    std::array::from_fn(|at| value[at].as_f64().unwrap())
}

/// The frame of the effector's tip in an answer.
fn tip(answer: &str) -> Isometry {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let end = &answer["effectors"]["gripper"];
    Isometry::new(DVec3::from_array(numbers(&end["position"])), DQuat::from_array(numbers(&end["rotation"])))
}

fn text(point: DVec3) -> String {
    format!("{},{},{}", point.x, point.y, point.z)
}

/// The angle between an axis of the effector and the direction from its tip to a point.
fn missed(tip: Isometry, axis: DVec3, point: DVec3) -> f64 {
    (tip.rotation * axis).angle_between(point - tip.position)
}

#[test]
fn flags_keys_cases_and_columns_look_at_the_same_point() {
    let (mut table, mut cases, mut by_flag) =
        ("x,y,z,look_x,look_y,gripper_look_z\n".to_owned(), String::new(), vec![]);
    let frames = reachable(8, 3);
    let points: Vec<DVec3> = frames.iter().map(|frame| frame.point(DVec3::Z * 2.0)).collect();
    for (frame, &point) in frames.iter().zip(&points) {
        writeln!(table, "{},{}", text(frame.position), text(point)).unwrap();
        let target = json!({"position": frame.position.to_array(), "look_at": point.to_array()});
        writeln!(cases, "{}", json!({"targets": {"gripper": target}})).unwrap();
        let target = format!("--target={}", text(frame.position));
        let ran = run(&["solve", ARM, &target, "--look-at", &format!("gripper={}", text(point)), "--json"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        by_flag.push(tip(&ran.out));
        let keys = [
            format!("effector.gripper.target=[{}]", text(frame.position)),
            format!("effector.gripper.look_at=[{}]", text(point)),
        ];
        let ran = run(&[
            "solve",
            ARM,
            "--set",
            &keys[0],
            "--set",
            &keys[1],
            "--set",
            "effector.gripper.rotation=none",
            "--json",
        ]);
        assert_eq!((ran.code, tip(&ran.out)), (Some(0), *by_flag.last().unwrap()), "{}", ran.err);
    }
    for (flag, input) in [("--targets", table), ("--cases", cases)] {
        let ran = run_on(&["solve", ARM, flag, "-"], input.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
        for (at, answer) in ran.out.lines().enumerate() {
            assert_eq!(tip(answer), by_flag[at], "{flag}, row {at}");
        }
    }
    for ((tip, frame), &point) in by_flag.iter().zip(&frames).zip(&points) {
        assert!(missed(*tip, DVec3::Z, point) < 2e-3);
        assert!(tip.position.distance(frame.position) < 1e-3);
    }
}

#[test]
fn without_a_target_the_effector_looks_from_anywhere() {
    let point = DVec3::new(0.3, 1.0, -2.0);
    for axis in ["x", "-y", "0,0.6,0.8"] {
        let ran = run(&["solve", ARM, "--look-at", &text(point), "--spin-axis", axis, "--json"]);
        let direction = match axis {
            "x" => DVec3::X,
            "-y" => DVec3::NEG_Y,
            _ => DVec3::new(0.0, 0.6, 0.8),
        };
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(missed(tip(&ran.out), direction, point) < 2e-3, "{axis}");
    }
}

#[test]
fn directions_and_slacks_have_flags() {
    let frame = reachable(1, 5)[0];
    let down = frame.rotation * DVec3::Z;
    let far = frame.position + DVec3::new(0.0, 30.0, 0.0);
    let direction = ["--direction".to_owned(), format!("gripper={}", text(down))];
    let ran = run(&["solve", ARM, "--target", &text(frame.position), &direction[0], &direction[1], "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!((tip(&ran.out).rotation * DVec3::Z).angle_between(down) < 2e-3);
    // Without an orientation, slack is measured along the world's axes.
    let rest = ["--set", "effector.gripper.rotation=none", "--json"];
    let slack = |slack: &str| run(&[&["solve", ARM, "--target", &text(far), "--slack", slack][..], &rest].concat());
    assert_eq!(slack("0,20,0").code, Some(1));
    let ran = slack("0,inf,0");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let place = tip(&ran.out).position;
    assert!((place - frame.position).with_y(0.0).length() < 1e-3, "{place} {}", frame.position);
}

#[test]
fn contradictions_and_mistakes_name_the_remedy() {
    let fails = |arguments: &[&str], message: &str| {
        let ran = run(&[&["solve", ARM][..], arguments].concat());
        assert!(ran.code == Some(2) && ran.err.contains(message), "{}", ran.err);
    };
    fails(&["--look-at", "1,1,1", "--rotation", "0,0,90"], "--rotation and --look-at both say how `gripper` is turned");
    for (flag, value) in [("--target", "1,1,1"), ("--rotation", "0,0,90"), ("--slack", "0,0,1"), ("--spin-axis", "z")] {
        let named = format!("gripper={value}");
        fails(&[flag, value, flag, &named], &format!("{flag}: `gripper` is given twice"));
    }
    fails(&["--direction", "0,0,0"], "a direction cannot be zero; for example 0,0,-1");
    fails(&["--spin-axis", "w"], "for example z, -x or 0,1,0");
    fails(&["--slack=-1,0,0"], "expected three not negative numbers");
    fails(&["--look-at", "hand=1,1,1"], "there is no effector, joint or link `hand`");
    let both = ["--set", "effector.gripper.rotation=[0,0,0,1]", "--set", "effector.gripper.look_at=[1,1,1]"];
    fails(&both, "`rotation` and `look_at` both say how the effector is turned: give one of them");
    let ran = run_on(&["solve", ARM, "--targets", "-"], b"x,y,z,look_x,look_y\n1,1,1,1,1\n");
    assert!(ran.err.contains("expected look_x, look_y and look_z"), "{}", ran.err);
    let ran = run_on(&["solve", ARM, "--targets", "-"], b"look_x,look_y,look_z,dx,dy,dz\n1,1,1,1,1,1\n");
    assert!(ran.err.contains("`gripper` has two orientations"), "{}", ran.err);
}

/// What is preferred is never missed, and how far it is met is told: in JSON and in text.
#[test]
fn a_balance_that_is_not_kept_is_told_though_all_targets_are_reached() {
    let mut random = Random::new(41);
    let (mut off, mut kept) = (0, 0);
    for at in 0..16 {
        let hips = DVec3::new(0.0, 0.9, 0.0) + random.ball() * DVec3::new(0.25, 0.05, 0.1);
        let head = hips + DVec3::new(0.0, 0.6, 0.0) + random.ball() * DVec3::new(0.1, 0.0, 0.1);
        let [hips, head] =
            [("Hips", hips), ("Head", head)].map(|(name, at)| format!("{name}={},{},{}", at.x, at.y, at.z));
        let solve = |flags: &[&str]| {
            let mut arguments = vec!["solve", "assets/models/mannequin.glb", "--exit-zero", "--target", &hips];
            // Hips alone leave the trunk free.
            arguments.extend(["--target", &head].iter().filter(|_| at % 2 == 0));
            arguments.extend(flags);
            run(&arguments).out
        };
        let answer: Value = serde_json::from_str(&solve(&["--json"])).unwrap();
        let imbalance = answer["imbalance"].as_f64().unwrap();
        let line = solve(&[]).lines().find(|line| line.starts_with("balance: ")).unwrap().to_owned();
        let is_kept = line == "balance: kept";
        assert!(if is_kept { imbalance < 1e-4 } else { imbalance > 1e-6 }, "{imbalance} {line}");
        kept += usize::from(is_kept);
        off += usize::from(answer["reached"] == true && imbalance > 1e-3);
        let without: Value = serde_json::from_str(&solve(&["--json", "--set", "balance=false"])).unwrap();
        assert!(without["imbalance"].is_null());
    }
    assert!(off > 0 && kept > 0, "{off} {kept}");
}
