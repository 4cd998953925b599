//! `solve`: one scene, and streams of cases from standard input.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d_ik::Coordinates;
use fabrik3d_ik::Effector;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::{Scene, Syntax};
use glam::EulerRot;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use support::{program, run, run_on};

const ARM: &str = "assets/scenes/seed-arm.toml";

fn arm() -> Scene {
    Scene::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(ARM)).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn vector(value: &Value) -> DVec3 {
    let part = |at: usize| value[at].as_f64().unwrap();
    DVec3::new(part(0), part(1), part(2))
}

#[test]
fn a_reachable_target_is_reached() {
    let ran = run(&["solve", ARM]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("Seed arm: reached ("), "{}", ran.out);
    assert!(ran.out.contains("-4.0000 6.0000 -20.0000"), "{}", ran.out);
}

/// Links can be named wherever joints can, and a chain can start at one.
#[test]
fn links_are_targets_and_bases() {
    const ROBOT: &str = "assets/models/frames-first.urdf";
    let solved = |flags: &[&str]| {
        let ran = run(&[&["solve", ROBOT, "--json"], flags].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{flags:?}");
        serde_json::from_str::<Value>(&ran.out).unwrap()
    };
    let forearm = solved(&["--target", "forearm=0,0.18,0.64"]);
    assert!(vector(&forearm["effectors"]["forearm"]["position"]).distance(DVec3::new(0.0, 0.18, 0.64)) < 1e-3);
    let start = solved(&["--joint", "roll=0"]);
    let from_upper_arm = solved(&["--base", "upper_arm", "--target", "0.3,0,0.1"]);
    let value = |answer: &Value, joint: &str| {
        let at = answer["joint_names"].as_array().unwrap().iter().position(|name| name == joint).unwrap();
        answer["pose"][at][0].as_f64().unwrap()
    };
    for joint in ["turn", "shoulder"] {
        assert_eq!(value(&start, joint), value(&from_upper_arm, joint), "{joint}");
    }
    assert!(value(&from_upper_arm, "elbow") > 1.5);
    for (flags, part) in [
        (["--target", "base=0,0,1"], "--target: `base` is fixed in place"),
        (["--target", "nose=0,0,1"], "there is no effector, joint or link `nose`"),
        (["--base", "fore arm"], "--base: there is no joint `fore arm`: did you mean `forearm`?"),
        (["--base", "base"], "--base: `base` carries no effector"),
        (["--joint", "wrst=1"], "did you mean `wrist`?"),
    ] {
        let ran = run(&[&["solve", ROBOT], flags.as_slice()].concat());
        assert_eq!(ran.code, Some(2), "{flags:?}");
        assert!(ran.err.contains(part), "{flags:?}: {}", ran.err);
    }
}

/// A tolerance with a unit is a distance, and answers tell the distance.
#[test]
fn tolerances_are_distances() {
    const ROBOT: &str = "assets/models/mobile-base.urdf";
    for (tolerance, largest) in [("1e-3m", 1e-3), ("1e-7m", 1e-7), ("1e-4", 1.4e-4)] {
        let ran = run(&["solve", ROBOT, "--tolerance", tolerance, "--target", "7,-5,0.3", "--json"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let answer: Value = serde_json::from_str(&ran.out).unwrap();
        let end = &answer["effectors"]["tool0"];
        let distance = vector(&end["position"]).distance(DVec3::new(7.0, -5.0, 0.3));
        assert!(distance <= largest, "{tolerance}: {distance}");
        assert!((end["distance"].as_f64().unwrap() - distance).abs() < 1e-12, "{end}");
    }
    for wrong in ["1e-5in", "m", "-1", "nan"] {
        let ran = run(&["solve", ROBOT, &format!("--tolerance={wrong}")]);
        assert_eq!(ran.code, Some(2), "{wrong}");
        assert!(ran.err.contains("expected a distance such as 1e-5m"), "{wrong}: {}", ran.err);
    }
}

/// The order of values is that of the file, also where a joint is listed before those that carry it.
#[test]
fn values_are_in_the_order_of_the_file() {
    const ROBOT: &str = "assets/models/frames-first.urdf";
    let checked = run(&["check", ROBOT, "-v"]);
    assert!(checked.out.contains("joints in order: roll, turn, shoulder, elbow"), "{}", checked.out);
    let row = run(&["solve", ROBOT, "--joints", "10,20,30,40", "--csv"]);
    let mut rows = row.out.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (header, row) = (rows.next().unwrap(), rows.next().unwrap());
    let first = header.iter().position(|name| *name == "roll.angle").unwrap();
    assert_eq!(header[first..first + 4], ["roll.angle", "turn.angle", "shoulder.angle", "elbow.angle"]);
    for (cell, degrees) in row[first..first + 4].iter().zip([10.0_f64, 20.0, 30.0, 40.0]) {
        assert!((cell.parse::<f64>().unwrap() - degrees.to_radians()).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn joint_values_move_the_effectors_without_a_solve() {
    const ROBOT: &str = "assets/scenes/robot-arm.toml";
    let direct = run(&["solve", ROBOT, "--joint", "elbow=30", "--joint=base yaw=-45", "--json"]);
    assert_eq!((direct.code, direct.err.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&direct.out).unwrap();
    assert_eq!((&answer["reached"], &answer["iterations"]), (&json!(true), &json!(0)));
    let scene = Scene::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(ROBOT)).unwrap();
    let mut pose = scene.start.clone();
    for (name, angle) in [("elbow", 30_f64), ("base yaw", -45.0)] {
        pose[scene.skeleton.find(name).unwrap()] = Coordinates::scalar(angle.to_radians());
    }
    let effector = &scene.effectors[0];
    let frame = scene.skeleton.frames(&pose)[effector.effector.joint];
    let end = &answer["effectors"][effector.name.as_str()];
    assert!(vector(&end["position"]).distance(frame.point(effector.effector.tip)) < 1e-12, "{end}");
    // The values of all joints in the order of the file give the same result.
    let moving = scene.settable_joints().map(|joint| pose[joint].value().to_degrees().to_string());
    let all = run(&["solve", ROBOT, "--json", "--joints", &moving.collect::<Vec<_>>().join(",")]);
    let again: Value = serde_json::from_str(&all.out).unwrap();
    assert!(vector(&again["effectors"][effector.name.as_str()]["position"]).distance(vector(&end["position"])) < 1e-9);
    // Text output, with a warning if a limit clamps a value. With a target, the values are the start of the solve.
    let beyond = run(&["solve", ROBOT, "--joint", "elbow=300"]);
    assert_eq!(beyond.code, Some(0));
    assert!(beyond.out.contains("nothing is solved") && beyond.out.contains("120.000 deg"), "{}", beyond.out);
    assert!(beyond.err.contains("angle 300.0° is beyond the limits of joint `elbow`"), "{}", beyond.err);
    let solved = run(&["solve", ROBOT, "--joint", "elbow=30", "--target", "0.5,2,0.5", "--json"]);
    assert!(serde_json::from_str::<Value>(&solved.out).unwrap()["iterations"].as_u64().unwrap() > 0);
    for (flags, part) in [
        (["--joint", "elbo=1"], "did you mean `elbow`?"),
        (["--joint", "elbow"], "expected NAME=VALUE"),
        (["--joint", "elbow=1,2"], "takes one number: angle"),
        (["--joints", "1,2"], "values are needed, found 2"),
    ] {
        let refused = run(&[&["solve", ROBOT], &flags[..]].concat());
        assert_eq!(refused.code, Some(2));
        assert!(refused.err.contains(part), "{}", refused.err);
    }
}

#[test]
fn target_orientations_are_quaternions_or_roll_pitch_yaw() {
    const ROBOT: &str = "assets/scenes/robot-arm.toml";
    let mut random = Random::new(19);
    for _ in 0..10 {
        // The effector frame of a random pose is reachable.
        let scene = Scene::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(ROBOT)).unwrap();
        let end = scene.effectors[0].effector;
        let mut pose = scene.start.clone();
        pose.iter_mut().for_each(|joint| *joint = Coordinates::scalar(random.range(-1.2, 1.2)));
        scene.skeleton.project(&mut pose);
        let frame = scene.skeleton.frames(&pose)[end.joint];
        let place = frame.point(end.tip).to_array().map(|value| value.to_string()).join(",");
        let quaternion = frame.rotation.to_array().map(|value| value.to_string()).join(",");
        // Fixed axes: first about x, then about y, then about z.
        let (yaw, pitch, roll) = frame.rotation.to_euler(EulerRot::ZYX);
        let angles = [roll, pitch, yaw].map(|angle| angle.to_degrees().to_string()).join(",");
        for rotation in [quaternion, angles] {
            let ran = run(&["solve", ROBOT, "--target", &place, "--rotation", &rotation, "--json"]);
            assert_eq!(ran.code, Some(0), "{rotation}: {ran:?}");
            let answer: Value = serde_json::from_str(&ran.out).unwrap();
            let found = &answer["effectors"][scene.effectors[0].name.as_str()]["rotation"];
            let found: Vec<f64> = found.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
            let found = DQuat::from_slice(&found);
            assert!(found.angle_between(frame.rotation) < 5e-3, "{rotation}: {found}");
        }
    }
    for (rotation, part) in [
        ("1,2", "three angles such as 180,0,90"),
        ("0,0,0,0", "a rotation cannot be zero"),
        ("nobody=0,0,0", "--rotation: there is no effector, joint or link `nobody`"),
    ] {
        let refused = run(&["solve", ROBOT, "--rotation", rotation]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.err.contains(part), "{}", refused.err);
    }
}

#[test]
fn an_unreachable_target_exits_with_1() {
    let ran = run(&["solve", ARM, "--target", "arm=100,0,0"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    assert!(ran.out.starts_with("Seed arm: not reached"), "{}", ran.out);
    assert_eq!(run(&["solve", ARM, "--target", "arm=100,0,0", "--exit-zero"]).code, Some(0));
}

#[test]
fn json_has_all_keys_and_is_consistent() {
    let ran = run(&["solve", ARM, "--json", "--target", "-5,3,-18"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let [value] = &lines(&ran.out)[..] else { panic!("one line expected: {}", ran.out) };
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    let mut expected = vec![
        "stop",
        "reached",
        "error",
        "iterations",
        "attempts",
        "micros",
        "pose",
        "joints",
        "effectors",
        "joint_names",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((value["stop"].as_str(), value["reached"].as_bool()), (Some("reached"), Some(true)));
    let (scene, end) = (arm(), &value["effectors"]["arm"]);
    let error =
        vector(&end["position"]).distance(DVec3::new(-5.0, 3.0, -18.0)) / scene.effector_size(&scene.effectors[0]);
    assert!((error - end["error"].as_f64().unwrap()).abs() < 1e-12 && error <= 1e-4, "{error}");
    assert_eq!(end["angle"], Value::Null);
    assert_eq!(vector(&value["joints"][3]), vector(&end["position"]));
    let lengths: Vec<usize> = value["pose"].as_array().unwrap().iter().map(|c| c.as_array().unwrap().len()).collect();
    assert_eq!(lengths, [4, 4, 4, 0]);
}

#[test]
fn cases_are_answered_in_order_and_errors_do_not_stop_the_rest() {
    let input = concat!(
        "{\"id\": 1, \"targets\": {\"arm\": {\"position\": [-4, 6, -20]}}}\n",
        "{\"id\": \"two\", \"targets\": {\"arm\": {\"position\": [100, 0, 0]}}}\n",
        "\n",
        "not json\n",
        "{\"id\": [4, 1.0], \"targets\": {\"leg\": {\"position\": [0, 0, 0]}}}\n",
        "{\"id\": 5, \"targets\": {\"arm\": {\"position\": [0, 1]}}}\n",
        "{\"id\": 6, \"target\": {}}\n",
        "{\"id\": {\"a\": 7}}\n",
        "{\"targets\": {\"arm\": [0, 3.5, -20]}}\n",
        "{\"id\": 9, \"start\": [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1]]}\n",
        "{\"id\": 10, \"start\": [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1], []]}\n",
        "{\"id\": 11, \"start\": [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], []], \"link_radius\": -1}\r\n",
        "{\"id\": 12, \"obstacles\": [{\"sphere\": {\"center\": [0, 0, 0]}}]}"
    );
    let ran = run_on(&["solve", ARM, "--cases", "-"], input.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let answers = lines(&ran.out);
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    let expected = [
        json!(1),
        json!("two"),
        Value::Null,
        json!([4, 1.0]),
        json!(5),
        json!(6),
        json!({"a": 7}),
        Value::Null,
        json!(9),
        json!(10),
        json!(11),
        json!(12),
    ];
    assert_eq!(ids, expected.iter().collect::<Vec<_>>());
    // Ids are returned verbatim.
    assert!(ran.out.contains("{\"id\":[4, 1.0],"), "{}", ran.out);
    let error = |at: usize| answers[at]["error"].as_str().unwrap_or_else(|| panic!("{}", answers[at]));
    assert_eq!(answers[0]["reached"], json!(true));
    assert_eq!(answers[1]["reached"], json!(false));
    assert!(error(2).starts_with("column 1: expected a case, a JSON object"), "{}", error(2));
    assert!(error(3).contains("there is no effector `leg` (known: arm)"), "{}", error(3));
    assert!(error(4).contains("column 43: `targets.arm.position`: expected three numbers"), "{}", error(4));
    assert!(error(5).contains("unknown key `target` (did you mean `targets`?)"), "{}", error(5));
    assert_eq!((answers[6]["reached"].clone(), answers[7]["reached"].clone()), (json!(true), json!(true)));
    assert!(error(8).contains("expected 4 lists, one per joint, found 3"), "{}", error(8));
    assert!(error(9).contains("joint `arm.2` has 4 coordinates, found 3"), "{}", error(9));
    assert!(error(10).contains("`link_radius`"), "{}", error(10));
    assert!(error(11).contains("lacks the key `radius`"), "{}", error(11));
}

#[test]
fn thousands_of_cases_are_solved_correctly_and_in_order() {
    let scene = arm();
    let reach = scene.effector_size(&scene.effectors[0]);
    let mut random = Random::new(3);
    let base = DVec3::new(-8.0, -10.0, -20.0);
    let targets: Vec<DVec3> = (0..10_000).map(|_| base + random.ball() * reach * 1.05).collect();
    let mut input = String::new();
    for (id, target) in targets.iter().enumerate() {
        input += &json!({"id": id, "targets": {"arm": {"position": target.to_array()}}}).to_string();
        input.push('\n');
    }
    let ran = run_on(&["solve", ARM, "--cases", "-", "--set", "solver.max_iterations=1000"], input.as_bytes());
    let answers = lines(&ran.out);
    assert_eq!(answers.len(), targets.len());
    for (at, (answer, target)) in answers.iter().zip(&targets).enumerate() {
        assert_eq!(answer["id"], json!(at));
        let end = &answer["effectors"]["arm"];
        let error = vector(&end["position"]).distance(*target) / reach;
        assert!((error - end["error"].as_f64().unwrap()).abs() < 1e-12, "{answer}");
        assert_eq!(answer["reached"].as_bool().unwrap(), error <= 1e-4, "{answer}");
        let joints: Vec<DVec3> = answer["joints"].as_array().unwrap().iter().map(vector).collect();
        for (pair, joint) in joints.windows(2).zip(&scene.skeleton.joints()[1..]) {
            assert!((pair[0].distance(pair[1]) - joint.offset.length()).abs() < 1e-9, "{answer}");
        }
    }
    // The same lines in a file give the same answers, except for the times.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cases.jsonl");
    std::fs::write(&path, &input).unwrap();
    let again = run(&["solve", ARM, "--cases", path.to_str().unwrap(), "--set", "solver.max_iterations=1000"]);
    let without_times = |values: Vec<Value>| -> Vec<Value> {
        let strip = |mut value: Value| {
            value.as_object_mut().unwrap().remove("micros");
            value
        };
        values.into_iter().map(strip).collect()
    };
    assert_eq!(without_times(lines(&again.out)), without_times(answers));
}

#[test]
fn answers_are_written_before_the_next_case_arrives() {
    let mut command = program(&["solve", ARM, "--cases", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut cases, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(answers);
    for id in 0..3 {
        writeln!(cases, "{{\"id\": {id}}}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("{{\"id\":{id},")), "{answer}");
    }
    drop(cases);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let mut command = program(&["solve", ARM, "--cases", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut cases = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    writeln!(cases, "{{\"id\": 0}}").unwrap();
    let mut answer = String::new();
    answers.read_line(&mut answer).unwrap();
    drop(answers);
    // The input stays open: keep writing until the program notices the closed output.
    while child.try_wait().unwrap().is_none() {
        if writeln!(cases, "{{\"id\": 1}}").is_err() {
            break;
        }
    }
    let code = child.wait().unwrap().code();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn invalid_and_overlong_lines_get_an_error_answer() {
    let mut input = b"{\"id\": 1}\n\xff\xfe\n{\"id\": \"".to_vec();
    input.extend(vec![b'x'; 5 << 20]);
    input.extend(b"\"}\n{\"id\": 4}\n");
    let ran = run_on(&["solve", ARM, "--cases", "-"], &input);
    let answers = lines(&ran.out);
    assert_eq!(answers.len(), 4, "{}", ran.out);
    assert_eq!((answers[0]["reached"].clone(), answers[3]["id"].clone()), (json!(true), json!(4)));
    assert_eq!(answers[1]["error"], json!("the line is not UTF-8 text"));
    assert_eq!(answers[2]["error"], json!("the line is longer than 4 MiB"));
}

#[test]
fn targets_are_read_from_csv() {
    let input = "id,x,y,z\nfirst,-4,6,-20\n\"sec,ond\",100,0,0\nbad,1,two,3\nshort,1\nas is,,,\n";
    let ran = run_on(&["solve", ARM, "--targets", "-"], input.as_bytes());
    let answers = lines(&ran.out);
    assert_eq!((ran.code, answers.len()), (Some(1), 5), "{}{}", ran.out, ran.err);
    assert_eq!((&answers[0]["id"], &answers[0]["reached"]), (&json!("first"), &json!(true)));
    assert_eq!((&answers[1]["id"], &answers[1]["reached"]), (&json!("sec,ond"), &json!(false)));
    assert_eq!(answers[2]["error"], json!("column `y`: expected a finite number, found \"two\""));
    assert_eq!(answers[3]["error"], json!("expected 4 columns, found 2"));
    assert_eq!(answers[4]["reached"], json!(true));

    let named = run_on(&["solve", ARM, "--targets", "-", "--csv"], b"arm.x,arm.y,arm.z\n-4,6,-20\n1,2\n0,3.5,-20\n");
    let rows: Vec<Vec<&str>> = named.out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 4, "{}", named.out);
    assert_eq!(rows[0][..10].join(","), "id,stop,reached,error,iterations,attempts,micros,arm.x,arm.y,arm.z");
    assert!(rows.iter().take(2).all(|row| row.len() == rows[0].len()), "{}", named.out);
    assert_eq!((rows[1][0], rows[1][1], rows[3][0], rows[3][1]), ("1", "reached", "3", "reached"));
    assert!(named.out.lines().nth(2).unwrap().ends_with(",\"expected 3 columns, found 2\""), "{}", named.out);

    for (header, what) in [
        ("", "<stdin>: the table is empty"),
        ("x,y", "the columns of `arm` are not complete"),
        ("x,y,z,w", "the column `w` is not known"),
        ("x,y,z,x", "the column `x` appears twice"),
    ] {
        let ran = run_on(&["solve", ARM, "--targets", "-"], format!("{header}\n").as_bytes());
        assert_eq!(ran.code, Some(2), "{header}");
        assert!(ran.err.contains(what), "{header}: {}", ran.err);
    }
}

#[test]
fn scenes_are_read_from_standard_input_in_both_formats() {
    let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(ARM)).unwrap();
    assert_eq!(run_on(&["solve", "-"], text.as_bytes()).code, Some(0));
    assert_eq!(run_on(&["solve", "-"], arm().to_text(Syntax::Json).as_bytes()).code, Some(0));
    let ran = run_on(&["solve", "-"], b"name = 3\n[[joint]]\nname = \"a\"\n");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(2), "error: <stdin>:1:8: `name`: expected a text, found 3\n  write texts in quotes: \"like this\"\n")
    );
}

#[test]
fn effectors_can_be_added_to_joints() {
    let body = "assets/scenes/humanoid.toml";
    let scene = Scene::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(body)).unwrap();
    let inner = scene.skeleton.joints().iter().enumerate().find(|(at, _)| {
        Effector::new(*at, DVec3::ZERO).reach(&scene.skeleton) > 0.0 && !scene.skeleton.children(*at).is_empty()
    });
    let (at, joint) = inner.unwrap();
    let place = scene.skeleton.frames(&scene.start)[at].position;
    let (named, target) = (format!("mine={}", joint.name), format!("mine={},{},{}", place.x, place.y, place.z));
    let ran = run(&["solve", body, "--json", "--only-effectors", "--effector", &named, "--target", &target]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let [value] = &lines(&ran.out)[..] else { panic!("one line expected: {}", ran.out) };
    assert_eq!(value["effectors"].as_object().unwrap().len(), 1);
    assert!(value["effectors"]["mine"]["error"].as_f64().unwrap() <= 1e-4);
    let names: Vec<&str> = scene.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(value["joint_names"], json!(names));
    let ran = run(&["solve", body, "--effector", "nobody"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--effector: there is no joint `nobody`"), "{}", ran.err);
    assert_eq!(run(&["solve", body, "--only-effectors"]).code, Some(2));
    let cases = run_on(&["solve", ARM, "--cases", "-", "--names"], b"{\"id\": 1}\n");
    assert_eq!(lines(&cases.out)[0]["joint_names"].as_array().unwrap().len(), arm().skeleton.len());
    let cases = run_on(&["solve", ARM, "--cases", "-"], b"{\"id\": 1}\n");
    assert_eq!(lines(&cases.out)[0]["joint_names"], Value::Null, "not without `--names`");
}

/// With keep clear, an answer that is reached overlaps nothing, and it names what is nearest.
#[test]
fn links_keep_clear_on_request() {
    let robot = "assets/models/robot-arm.urdf";
    let target = ["--target", "0.3,0.1,0.4", "--json"];
    let solve = |flags: &[&str]| {
        let ran = run(&[&["solve", robot], &target[..], flags].concat());
        (lines(&ran.out).first().cloned().unwrap_or_default(), ran)
    };
    assert_eq!(solve(&[]).0["clearance"], Value::Null, "only on request");
    for flags in [&["--keep-clear"][..], &["--keep-clear=0.02"], &["--set", "keep_clear=true", "--set", "margin=0.02"]]
    {
        let (answer, ran) = solve(flags);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(answer["clearance"].as_f64().unwrap() >= 0.0, "{answer}");
        let scene = Scene::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(robot)).unwrap();
        for name in answer["nearest"].as_array().unwrap() {
            assert!(scene.assets.links.iter().any(|(link, _)| name == link), "{name} is no link");
        }
    }
    // The same capsules, whether fitted to meshes or read from the scene file that they are written to.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.toml");
    let file = file.to_str().unwrap();
    assert_eq!(run(&["convert", robot, "--keep-clear", "-o", file]).code, Some(0));
    let read = run(&["solve", file, "--target", "0.3,0.1,0.4", "--json"]);
    let answer = solve(&["--keep-clear"]).0;
    assert_eq!(lines(&read.out)[0]["clearance"], answer["clearance"]);
    for wrong in ["--keep-clear=-1", "--keep-clear=wide", "--keep-clear=nan"] {
        let ran = run(&["solve", robot, wrong]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("expected a distance that is not negative"), "{}", ran.err);
    }
    let ran = run(&["solve", robot, "--set", "keep_clear=1"]);
    assert!(ran.code == Some(2) && ran.err.contains("expected true or false, found 1"), "{}", ran.err);
    // A target inside an obstacle.
    let case = "{\"targets\": {\"gripper\": {\"position\": [0.8, 0.3, 0.0]}}}";
    let ran = run_on(&["solve", "example:keep-clear", "--cases", "-"], case.as_bytes());
    let answer = &lines(&ran.out)[0];
    assert_eq!((answer["stop"].as_str(), answer["reached"].as_bool()), (Some("limited"), Some(false)));
    assert_eq!(answer["nearest"][1], "obstacle[0]");
}

/// A robot description has no targets: a target for one tip leaves the other tips free.
#[test]
fn robot_tips_without_a_target_are_free() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.urdf");
    let joint = |at: usize, kind: &str, place: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"j{at}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <origin xyz=\"{place}\"/><axis xyz=\"{axis}\"/></joint>"
        )
    };
    let links = ["base", "a", "b", "c", "flange", "tool"].map(|link| format!("<link name=\"{link}\"/>"));
    let joints = [
        joint(0, "continuous", "0 0 0.1", "base", "a", "0 0 1"),
        joint(1, "continuous", "0.1 0 0.4", "a", "b", "0 1 0"),
        joint(2, "continuous", "0.1 0 0.3", "b", "c", "0 1 0"),
        joint(3, "fixed", "0 0 0.2", "c", "flange", "0 0 1"),
        joint(4, "fixed", "0 0 0.2", "c", "tool", "0 0 1"),
    ];
    std::fs::write(&file, format!("<robot name=\"arm\">{}{}</robot>", links.concat(), joints.concat())).unwrap();
    let file = file.to_str().unwrap();
    for name in ["flange", "tool"] {
        let ran = run(&["solve", file, "--target", &format!("{name}=0.3,0.2,0.5"), "--json"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}: {}", ran.out);
        let case = json!({"targets": {name: {"position": [0.3, 0.2, 0.5]}}}).to_string();
        let ran = run_on(&["solve", file, "--cases", "-"], case.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}: {}", ran.out);
        let table = format!("{name}.x,{name}.y,{name}.z\n0.3,0.2,0.5\n");
        let ran = run_on(&["solve", file, "--targets", "-"], table.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}: {}", ran.out);
    }
}

#[test]
fn output_files_are_replaced_atomically() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("answers.csv");
    let to = |targets: &str| run_on(&["solve", ARM, "--targets", "-", "-o", out.to_str().unwrap()], targets.as_bytes());
    assert_eq!(to("x,y,z\n-4,6,-20\n").code, Some(0));
    let before = std::fs::read_to_string(&out).unwrap();
    assert_eq!(before.lines().count(), 2);
    assert_eq!(to("x,y,w\n1,2,3\n").code, Some(2));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), before, "an error keeps the previous file");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "and leaves no other file");
    #[cfg(target_os = "linux")]
    {
        // Simulate a full disk.
        let full = folder.path().join("full.csv");
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let full = full.to_str().unwrap();
        let ran = run_on(&["solve", ARM, "--targets", "-", "-o", full], b"x,y,z\n-4,6,-20\n");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains("full.csv: cannot be written: No space left"), "{}", ran.err);
    }
}

/// What reads a scene on several threads comes after the choice of their number.
#[test]
fn the_number_of_threads_stands_beside_everything_that_changes_how_a_scene_is_read() {
    let ways: [&[&str]; 5] = [&[], &["--keep-clear"], &["--set", "keep_clear=true"], &["--nearest"], &["--all"]];
    for way in ways {
        let solve = ["solve", "assets/models/robot-arm.urdf", "--target", "0.3,0.1,0.4", "--json"];
        let alone = run(&[&solve[..], way].concat());
        for threads in ["1", "3"] {
            let ran = run(&[&solve[..], way, &["--threads", threads]].concat());
            assert_eq!((ran.code, ran.err), (alone.code, alone.err.clone()), "{way:?} with {threads} threads");
        }
    }
}
