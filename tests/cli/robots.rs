//! What robots need on the command line: names of links and joints, rows without a target, tolerances of angles.
#![allow(clippy::unwrap_used)]

use crate::gathered;
use crate::support;

use gathered::gathered;
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{run, run_on};

/// An arm whose gripper link has the name of the joint that carries the jaw, as in the SO-100.
fn same_names(folder: &Path) -> PathBuf {
    let links = ["base", "upper", "lower", "gripper", "jaw"].map(|link| format!("<link name=\"{link}\"/>\n"));
    let joints = [
        ("pan", "base", "upper", "0 0 0.2", "0 0 1"),
        ("lift", "upper", "lower", "0.05 0 0.3", "0 1 0"),
        ("roll", "lower", "gripper", "0.3 0 0", "0 1 0"),
        ("gripper", "gripper", "jaw", "0.1 0.02 0", "0 0 1"),
    ];
    let joints = joints.map(|(name, parent, child, place, axis)| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{place}\"/><axis xyz=\"{axis}\"/><limit lower=\"-2\" upper=\"2\"/></joint>\n"
        )
    });
    let path = folder.join("robot.urdf");
    std::fs::write(&path, format!("<robot name=\"r\">{}{}</robot>", links.concat(), joints.concat())).unwrap();
    path
}

fn answers(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn frames_have_the_names_of_links_and_prefixes_choose() {
    let folder = tempfile::tempdir().unwrap();
    let robot = same_names(folder.path());
    let robot = robot.to_str().unwrap();
    let pose = ["solve", robot, "--joint", "lift=20", "--joint", "roll=40", "--joint", "gripper=30", "--json"];
    let flags = ["a=gripper", "b=link:gripper", "c=joint:gripper", "d=link:jaw", "e=lift"];
    let ran = run(&[&pose[..], &flags.map(|flag| ["--effector", flag]).concat()].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let answer = &answers(&ran.out)[0];
    let end = |name: &str| answer["effectors"][name].clone();
    assert_eq!(end("a"), end("b"), "links come before joints");
    assert_eq!(end("c"), end("d"), "the frame of a joint is that of its child");
    assert_ne!(end("a"), end("c"));
    let joint = |name: &str| answer["joint_names"].as_array().unwrap().iter().position(|own| own == name).unwrap();
    assert_eq!(end("e")["position"], answer["joints"][joint("lift")], "where no link has the name, joints have it");
    assert_eq!(end("a")["position"], answer["joints"][joint("roll")]);
    // Targets reach what the names mean.
    for (name, same) in [("gripper", "a"), ("link:gripper", "b"), ("joint:gripper", "c")] {
        let place =
            end(same)["position"].as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join(",");
        let ran = run(&["solve", robot, "--target", &format!("{name}={place}"), "--effector", "a=gripper", "--json"]);
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.out, ran.err);
        let solved = &answers(&ran.out)[0]["effectors"];
        assert!(solved[name]["distance"].as_f64().unwrap() < 1e-3, "{solved}");
        assert_eq!(name.starts_with("joint"), solved[name]["position"] != solved["a"]["position"], "{solved}");
    }
    // A joint that is set is a joint.
    let set = |name: &str| run(&["solve", robot, "--joint", &format!("{name}=30"), "--json"]).out;
    let pose = |name: &str| answers(&set(name))[0]["pose"].clone();
    assert_eq!(pose("gripper"), pose("joint:gripper"));
    assert_eq!(pose("link:gripper"), pose("roll"));
    let ran = run(&["solve", robot, "--effector", "a=link:nothing"]);
    let expected = "there is no joint `link:nothing`: known: jaw, base, upper, lower, gripper, pan, lift, roll";
    assert!(ran.code == Some(2) && ran.err.contains(expected), "{}", ran.err);
    let ran = run_on(&["solve", robot, "--targets", "-"], b"upper.x,upper.y,upper.z\n1,2,3\n");
    let expected = "the column `upper.x`: `upper` is no effector; --effector upper makes it one";
    assert!(ran.code == Some(2) && ran.err.contains(expected), "{}", ran.err);
}

/// A URDF file has no targets of its own, so a row without one has nothing to reach.
#[test]
fn rows_and_cases_without_a_target_are_errors_where_the_scene_has_none() {
    let arm = "assets/models/robot-arm.urdf";
    let table = "x,y,z,label\n0.3,0.1,0.4,a\n,,,b\n0.3,0.1,0.5,c\n";
    let why = "the cells of all targets are empty, and the scene has no targets of its own";
    let ran = run_on(&["solve", arm, "--targets", "-", "--csv"], table.as_bytes());
    assert_eq!(ran.code, Some(1));
    let copied = "warning: the column `label` is copied to the answers\n";
    let expected = format!("{copied}warning: 1 of 3 rows is invalid; the first is row 2 (<stdin>:3): {why}\n");
    assert_eq!(ran.err, expected);
    let row = ran.out.lines().nth(2).unwrap();
    assert!(row.starts_with("2,error,,") && row.contains(why) && row.ends_with(",b"), "{row}");
    let ran = run_on(&["solve", arm, "--targets", "-", "--json"], table.as_bytes());
    let [first, empty, last] = &answers(&ran.out)[..] else { panic!("{}", ran.out) };
    assert_eq!((&first["reached"], &empty["error"], &last["reached"]), (&true.into(), &why.into(), &true.into()));
    let ran = run_on(&["convert", arm, "--targets", "-", "-o", "-", "--to", "csv"], table.as_bytes());
    assert!(ran.code == Some(2) && ran.err.contains(&format!("row 2 (line 3): {why}")), "{}", ran.err);
    // Joints alone are forward kinematics.
    let ran = run_on(&["solve", arm, "--targets", "-", "--csv"], b"q.shoulder_lift\n0.1\n");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    // A target of the command line, or of the scene, applies to such rows.
    let ran = run_on(&["solve", arm, "--targets", "-", "--target", "0.3,0.1,0.4"], table.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), copied));
    let ran = run_on(&["solve", "assets/scenes/robot-arm.toml", "--targets", "-"], b"x,y,z\n,,\n");
    assert!(!ran.out.contains("\"error\":\"") && !ran.err.contains("invalid"), "{}{}", ran.out, ran.err);

    let cases = "{\"id\": 1}\n{\"id\": 2, \"targets\": {}}\n{\"id\": 3, \"start\": {\"shoulder_lift\": 0.1}}\n\
                 {\"id\": 4, \"targets\": {\"tool0\": null}, \"start\": {\"shoulder_lift\": 0.1}}\n";
    let tool = answers(&run(&["solve", arm, "--json"]).out)[0]["effectors"].as_object().unwrap().keys().next().cloned();
    let cases = cases.replace("tool0", &tool.unwrap());
    let ran = run_on(&["solve", arm, "--cases", "-"], cases.as_bytes());
    assert_eq!(ran.code, Some(1));
    let found = answers(&ran.out);
    for at in [0, 1, 3] {
        let error = found[at]["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("the case has no target, and neither has the scene (for example"), "{}", found[at]);
    }
    assert_eq!(found[2]["reached"], true);
}

/// A start pose by names is the same as the list of all joints.
#[test]
fn cases_start_from_named_joints() {
    let arm = "assets/models/robot-arm.urdf";
    let by_name = "{\"id\": 1, \"start\": {\"shoulder_lift\": 0.3, \"elbow\": [0.9]}}";
    let ran = run_on(&["solve", arm, "--cases", "-"], by_name.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    let flags = ["--joint", "shoulder_lift=17.188733853924697", "--joint", "elbow=51.56620156177409"];
    let forward = run(&[&["solve", arm, "--json"], &flags[..]].concat());
    let [named, set] = [&ran.out, &forward.out].map(|out| answers(out)[0]["pose"].as_array().unwrap().clone());
    for (named, set) in named.iter().zip(&set) {
        for (named, set) in named.as_array().unwrap().iter().zip(set.as_array().unwrap()) {
            assert!((named.as_f64().unwrap() - set.as_f64().unwrap()).abs() < 1e-12, "{named}, {set}");
        }
    }
    let listed = format!("{{\"id\": 1, \"start\": {}}}", Value::from(named));
    let listed = run_on(&["solve", arm, "--cases", "-"], listed.as_bytes());
    assert_eq!(answers(&listed.out)[0]["joints"], answers(&ran.out)[0]["joints"]);
    let wrong = [
        ("{\"sholder_lift\": 1}", "there is no joint `sholder_lift` (did you mean `shoulder_lift`?)"),
        ("{\"shoulder_lift\": [1, 2]}", "joint `shoulder_lift` has 1 coordinates, found 2"),
        ("{\"shoulder_lift\": \"a\"}", "expected a number"),
    ];
    for (start, expected) in wrong {
        let ran = run_on(&["solve", arm, "--cases", "-"], format!("{{\"id\": 1, \"start\": {start}}}").as_bytes());
        assert!(ran.code == Some(1) && ran.out.contains(expected), "{}", ran.out);
    }
}

#[test]
fn forward_kinematics_tell_the_clearance_that_json_has() {
    let joints = ["solve", "assets/models/robot-arm.urdf", "--joint", "elbow=60", "--keep-clear"];
    let text = run(&joints);
    let answer = &answers(&run(&[&joints[..], &["--json"]].concat()).out)[0];
    let clearance = answer["clearance"].as_f64().unwrap();
    let [first, second] = [0, 1].map(|at| answer["nearest"][at].as_str().unwrap());
    let expected = match clearance < 0.0 {
        true => format!("clearance: {clearance:.5}: {first} and {second} overlap\n"),
        false => format!("clearance: {clearance:.5} between {first} and {second}\n"),
    };
    assert!(text.code == Some(0) && text.out.contains(&expected), "{expected}{}", text.out);
    assert!(!run(&joints[..4]).out.contains("clearance"));
}

#[test]
fn the_tolerance_of_angles_is_a_flag() {
    let target =
        ["solve", "assets/models/robot-arm.urdf", "--target", "0.3,0.1,0.4", "--rotation", "170,10,30", "--json"];
    let solve = |flags: &[&str]| {
        let ran = run(&[&target[..], flags].concat());
        let mut answer = answers(&ran.out).remove(0);
        answer.as_object_mut().unwrap().remove("micros");
        answer
    };
    let key = solve(&["--set", "solver.rotation_tolerance=5"]);
    for flag in ["5", "5deg", "0.08726646259971647rad"] {
        assert_eq!(solve(&["--rotation-tolerance", flag]), key, "{flag}");
    }
    assert_eq!(solve(&["--rotation-tolerance", "0.1"]), solve(&[]), "the default");
    for wrong in ["-1", "wide", "nan", "inf", "1m"] {
        let ran = run(&[&target[..], &["--rotation-tolerance", wrong]].concat());
        assert!(ran.code == Some(2) && ran.err.contains("0.5 (degrees) or 0.01rad"), "{}", ran.err);
    }
}

/// A robot as a scene file has the links of its description, and answers as the description does.
#[test]
fn a_converted_robot_answers_as_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let own = same_names(folder.path());
    let scene = folder.path().join("robot.toml");
    let scene = scene.to_str().unwrap();
    let humanoid = gathered("robots/simple_humanoid_description/urdf/simple_humanoid.urdf");
    let humanoid = humanoid.as_ref().map(|path| path.to_str().unwrap());
    let cases = [(own.to_str().unwrap(), "link:jaw"), ("assets/models/robot-arm.urdf", "forearm")];
    let cases = cases.into_iter().chain(humanoid.map(|path| (path, "l_wrist")));
    for (source, link) in cases {
        let ran = run(&["convert", source, "-o", scene]);
        assert_eq!(ran.code, Some(0), "{source}: {}", ran.err);
        for target in ["0.2,0.1,0.6", "0.1,-0.2,0.9", "0.3,0.3,0.3", "-0.1,0.2,1.2"] {
            let target = format!("{link}={target}");
            let [before, after] = [source, scene].map(|file| {
                let ran = run(&["solve", file, "--target", &target, "--json"]);
                let mut answer = answers(&ran.out).remove(0);
                answer.as_object_mut().unwrap().retain(|key, _| key != "micros");
                answer
            });
            assert_eq!(before, after, "{source}, {target}");
        }
    }
}

/// `convert` spaces rows evenly: times in the table do not count, and the program says so.
#[test]
fn times_that_do_not_count_are_named() {
    let table = "time,x,y,z\n0,0.3,0.1,0.4\n2,0.3,0.1,0.42\n";
    let convert = ["convert", "assets/models/robot-arm.urdf", "--targets", "-", "-o", "-", "--to", "csv"];
    let limit = ["--max-velocity", "90"];
    let ran = run_on(&[&convert[..], &limit[..]].concat(), table.as_bytes());
    let expected = "<stdin>: the times of the rows are ignored: they are 1/30 s apart";
    assert!(ran.code == Some(0) && ran.err.contains(expected), "{}", ran.err);
    let ran = run_on(&[&convert[..], &limit[..]].concat(), table.replace("time,", "id,").as_bytes());
    assert!(!ran.err.contains("ignored"), "{}", ran.err);
    assert!(run_on(&convert, table.as_bytes()).err.contains(expected));
}

/// A robot on standard input is the same robot, and other descriptions of robots are named.
#[test]
fn robots_come_from_standard_input_and_other_formats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let robot = same_names(folder.path());
    let text = std::fs::read(&robot).unwrap();
    let arguments = ["--target", "gripper=0.3,0.1,0.4", "--json"];
    let of_file = run(&[&["solve", robot.to_str().unwrap()], &arguments[..]].concat());
    let piped = run_on(&[&["solve", "-"], &arguments[..]].concat(), &text);
    assert_eq!(of_file.code, piped.code, "{}", piped.err);
    let pose = |out: &str| answers(out)[0]["joints"].clone();
    assert!(!pose(&of_file.out).is_null());
    assert_eq!(pose(&piped.out), pose(&of_file.out));
    let broken = run_on(&["solve", "-"], b"<robot><link/></robot>");
    assert!(broken.code == Some(2) && broken.err.contains("<stdin>.urdf:1:8"), "{}", broken.err);
    for (name, root) in [("arm.sdf", "sdf"), ("arm.xml", "sdf"), ("arm.urdf", "sdf"), ("other.xml", "html")] {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("<{root} version=\"1\"/>")).unwrap();
        let ran = run(&["solve", path.to_str().unwrap()]);
        assert!(ran.code == Some(2) && ran.err.contains("URDF"), "{name}: {}", ran.err);
        assert!(root == "sdf" || ran.err.contains(&format!("{name}:1:1: ")), "{name}: {}", ran.err);
    }
}

/// A model of MuJoCo is solved as any robot, from a file and from standard input; the answer has its joints in their order.
#[test]
fn models_of_mujoco_are_solved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.xml");
    let text = include_str!("../../fuzz/corpus/mjcf/arm.xml");
    std::fs::write(&path, text).unwrap();
    let arguments = ["--target", "tool=0.3,0.2,0.4", "--json"];
    let of_file = run(&[&["solve", path.to_str().unwrap()], &arguments[..]].concat());
    assert_eq!(of_file.code, Some(0), "{}", of_file.err);
    let piped = run_on(&[&["solve", "-"], &arguments[..]].concat(), text.as_bytes());
    assert_eq!(answers(&of_file.out)[0]["pose"], answers(&piped.out)[0]["pose"]);
    let named = answers(&of_file.out)[0]["joint_names"].as_array().unwrap().clone();
    let names: Vec<&str> = named.iter().filter_map(|name| name.as_str()).collect();
    let wanted = ["turn", "shoulder", "elbow", "roll", "bend", "spin", "left", "right"];
    assert!(wanted.iter().all(|name| names.contains(name)), "{names:?}");
}

/// With `-v`, robots say which links keep clear cannot keep apart; other figures are not asked.
#[test]
fn links_that_overlap_from_the_start_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let links = ["base", "upper", "lower", "hand"].map(|name| {
        // The hand is as long as the arm.
        let length = if name == "hand" { 8 } else { 1 };
        let visual = format!("<visual><geometry><box size=\"0.2 0.2 {length}\"/></geometry></visual>");
        format!("<link name=\"{name}\">{visual}</link>")
    });
    let joints = [("base", "upper"), ("upper", "lower"), ("lower", "hand")].map(|(parent, child)| {
        format!(
            "<joint name=\"to_{child}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"0 0 1\"/></joint>"
        )
    });
    let robot = folder.path().join("robot.urdf");
    std::fs::write(&robot, format!("<robot name=\"r\">{}{}</robot>", links.concat(), joints.concat())).unwrap();
    let robot = robot.to_str().unwrap();
    let listed = run(&["check", "-v", robot]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    assert!(
        listed.out.contains("may touch with keep clear") && listed.out.contains("upper and hand"),
        "{}",
        listed.out
    );
    let converted = folder.path().join("figure.toml");
    let text = "[[joint]]\nname = \"a\"\n[[joint]]\nname = \"b\"\nparent = \"a\"\noffset = [0, 1, 0]\n\
                [[joint]]\nname = \"c\"\nparent = \"b\"\noffset = [0, -1, 0]\n\
                [[joint]]\nname = \"d\"\nparent = \"c\"\noffset = [0, 1, 0]\n";
    std::fs::write(&converted, text).unwrap();
    for arguments in [&["check", "-v"][..], &["check"]] {
        let ran = run(&[arguments, &[converted.to_str().unwrap()]].concat());
        assert!(ran.code == Some(0) && !ran.out.contains("may touch"), "{}", ran.out);
    }
}

#[test]
fn the_base_of_a_robot_stands_drives_or_floats() {
    let folder = tempfile::tempdir().unwrap();
    let robot = same_names(folder.path());
    let robot = robot.to_str().unwrap();
    let solve = |kind: &str, target: &str| run(&["solve", robot, "--base-kind", kind, "--target", target]);
    // On the ground and in the air, both out of reach for a base that stands.
    let (ground, air) = ("gripper=3,-2,0.5", "gripper=3,-2,4");
    assert_eq!(["fixed", "planar", "free"].map(|kind| solve(kind, ground).code), [Some(1), Some(0), Some(0)]);
    assert_eq!(["fixed", "planar", "free"].map(|kind| solve(kind, air).code), [Some(1), Some(1), Some(0)]);
    let listed = |kind: &str| -> Vec<String> {
        let of_base = |line: &&str| line.starts_with("base");
        let out = solve(kind, ground).out;
        out.lines().filter(of_base).map(|line| line.split("  ").next().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("fixed"), [""; 0]);
    assert_eq!(listed("planar"), ["base.x", "base.y", "base"]);
    assert_eq!(listed("free"), ["base x", "base y", "base z", "base turn x", "base turn y", "base turn z"]);
    let ran = run(&["solve", "example:demo", "--base-kind", "free"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("only the base of a robot (.urdf)") && ran.err.contains("kind = \"free\""), "{}", ran.err);
}
