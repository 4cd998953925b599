//! `solve --targets`: columns, arrays and archives, paths, and what does not change with the number of threads.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d_ik::Isometry;
use fabrik3d_ik::random::Random;
use fabrik3d_scene::Scene;
use glam::{DQuat, DVec3};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use support::{run, run_on};

/// Seven hinges with ranges and one effector, so that it runs in the lanes.
const ARM: &str = "assets/scenes/robot-arm.toml";

/// The numbers of an array of float64, whose header has 128 bytes.
fn floats(npy: &[u8]) -> Vec<f64> {
    npy[128..].chunks_exact(8).map(|number| f64::from_le_bytes(number.try_into().unwrap())).collect()
}

fn arm() -> Scene {
    Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(ARM)).unwrap()
}

/// Frames of the effector in random poses inside the limits.
fn reachable(count: usize, seed: u64) -> Vec<Isometry> {
    let (scene, mut random) = (arm(), Random::new(seed));
    let effector = scene.effectors[0].effector;
    let frame = |_| {
        let pose = scene.skeleton.random_pose(&mut random);
        let frame = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint);
        Isometry::new(frame.point(effector.tip), frame.rotation)
    };
    (0..count).map(frame).collect()
}

fn answers(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The cells of a CSV table by column name. Quotes are only counted.
fn columns(text: &str) -> HashMap<String, Vec<String>> {
    let split = |line: &str| -> Vec<String> {
        let mut in_quotes = false;
        let cells = line.split(|c| {
            in_quotes ^= c == '"';
            c == ',' && !in_quotes
        });
        cells.map(str::to_owned).collect()
    };
    let mut lines = text.lines();
    let names = split(lines.next().unwrap());
    let rows: Vec<Vec<String>> = lines.map(split).collect();
    assert!(rows.iter().all(|row| row.len() == names.len()), "{text}");
    let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect();
    names.iter().enumerate().map(|(at, name)| (name.clone(), column(at))).collect()
}

#[test]
fn other_columns_are_carried_to_csv_and_json() {
    let table = "label,x,y,z,error\na b,1,0.5,0.5,e1\n\"c\",0.8,0.9,-0.6,\n";
    let csv = run_on(&["solve", ARM, "--targets", "-", "--csv"], table.as_bytes());
    let named = "warning: the columns label, error are copied to the answers\n";
    assert_eq!((csv.code, csv.err.as_str()), (Some(0), named), "{}", csv.out);
    let found = columns(&csv.out);
    assert_eq!(
        (&found["label"][..], &found["in.error"][..]),
        (&["a b".into(), "c".into()][..], &["e1".into(), String::new()][..])
    );
    let header = csv.out.lines().next().unwrap();
    assert!(header.ends_with(",message,label,in.error"), "{header}");
    let json = answers(&run_on(&["solve", ARM, "--targets", "-"], table.as_bytes()).out);
    assert_eq!(json[0]["columns"], serde_json::json!({"label": "a b", "error": "e1"}));
    assert_eq!(json[1]["columns"]["label"], "c");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.npz");
    let arrays = run_on(&["solve", ARM, "--targets", "-", "-o", out.to_str().unwrap()], table.as_bytes());
    assert!(arrays.err.contains("arrays hold no other columns: label, error"), "{}", arrays.err);
    // A misspelt name is no other column.
    for (header, message) in [
        ("x,y,z,rol,pitch,yaw", "the column `rol` is not known; did you mean `roll`?"),
        ("x,y,z,hnad.x", "the column `hnad.x` is not known"),
        ("x,y,z,q.elbwo", "the column `q.elbwo`: there is no joint `elbwo`; did you mean `elbow`?"),
        ("label,score", "no target columns: expected x, y, z (or NAME.x, ..); found label, score"),
        ("x,y,z,roll,pitch", "expected roll, pitch and yaw"),
        ("x,y,z,roll [grad],pitch [grad],yaw [grad]", "`grad` is no unit of angles; known: rad, deg"),
        ("x,y,z,Roll angle,Pitch angle,Yaw angle", "the column `Roll angle` is not known; did you mean `roll`?"),
        ("x,y,z,Q.elbwo", "there is no joint `elbwo`; did you mean `elbow`?"),
        ("x,y,z,roll,pitch,yaw,qx,qy,qz,qw", "has two orientations"),
    ] {
        let ran = run_on(&["solve", ARM, "--targets", "-"], format!("{header}\n").as_bytes());
        assert!(ran.code == Some(2) && ran.err.contains(message), "{header}: {}", ran.err);
    }
}

/// A joint's name alone is no start coordinate, and a start angle in degrees is far outside all limits.
#[test]
fn start_columns_that_are_not_as_meant_are_named() {
    let table = |header: &str, value: &str| {
        run_on(&["solve", ARM, "--targets", "-"], format!("x,y,z,{header}\n0.3,1.2,0.2,{value}\n").as_bytes())
    };
    let ran = table("elbow", "0.4");
    assert!(
        ran.err.contains("the column `elbow` is copied to the answers; `q.elbow` is where the joint starts"),
        "{}",
        ran.err
    );
    let ran = table("q.elbow", "90");
    assert!(
        ran.code == Some(1) && (ran.out.clone() + &ran.err).contains("angles are in radians"),
        "{} {}",
        ran.out,
        ran.err
    );
    let ran = table("roll,pitch,yaw", "180,0,90");
    assert!(ran.out.contains("roll, pitch or yaw is 180: angles are in radians"), "{}", ran.out);
    let ran = table("q.elbow", "5");
    assert!(ran.code != Some(2) && ran.err.contains("1 of 1 rows starts outside the joint limits"), "{}", ran.err);
}

/// `roll,pitch,yaw` are those of URDF: turns about the fixed x, y and z axes, in this order.
#[test]
fn angles_about_fixed_axes_give_the_same_answers_as_quaternions() {
    let mut random = Random::new(3);
    let (mut by_angles, mut by_quaternion) = ("x,y,z,roll,pitch,yaw\n".to_owned(), "x,y,z,qx,qy,qz,qw\n".to_owned());
    for _ in 0..20 {
        let [roll, pitch, yaw] = [random.range(-3.0, 3.0), random.range(-1.5, 1.5), random.range(-3.0, 3.0)];
        let place = DVec3::new(0.3, 1.2, 0.2) + random.ball() * 0.3;
        let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
        writeln!(by_angles, "{},{},{},{roll},{pitch},{yaw}", place.x, place.y, place.z).unwrap();
        writeln!(by_quaternion, "{},{},{},{},{},{},{}", place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w)
            .unwrap();
    }
    let ends = |table: &str| -> Vec<(bool, DVec3, DQuat)> {
        let ran = run_on(&["solve", ARM, "--targets", "-"], table.as_bytes());
        let number = |value: &Value, at: usize| value[at].as_f64().unwrap();
        answers(&ran.out)
            .iter()
            .map(|answer| {
                let end = answer["effectors"].as_object().unwrap().values().next().unwrap();
                let (place, turn) = (&end["position"], &end["rotation"]);
                let place = DVec3::new(number(place, 0), number(place, 1), number(place, 2));
                let turn = DQuat::from_xyzw(number(turn, 0), number(turn, 1), number(turn, 2), number(turn, 3));
                (answer["reached"] == true, place, turn)
            })
            .collect()
    };
    let (one, other) = (ends(&by_angles), ends(&by_quaternion));
    assert_eq!(one.len(), 20);
    for (one, other) in one.iter().zip(&other).filter(|(one, _)| one.0) {
        assert!(other.0 && one.1.distance(other.1) < 1e-3 && one.2.angle_between(other.2) < 1e-2, "{one:?} {other:?}");
    }
    assert!(one.iter().filter(|end| end.0).count() > 5);
}

#[test]
fn start_columns_are_where_a_solve_starts() {
    let scene = arm();
    let mut random = Random::new(8);
    let joints: Vec<usize> = scene.settable_joints().collect();
    let names: Vec<&str> = joints.iter().map(|&joint| scene.skeleton.joints()[joint].name.as_str()).collect();
    let mut table = format!("x,y,z,{}\n", names.iter().map(|name| format!("q.{name}")).collect::<Vec<_>>().join(","));
    let effector = scene.effectors[0].effector;
    let mut expected = Vec::new();
    for _ in 0..10 {
        let pose = scene.skeleton.random_pose(&mut random);
        let tip = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint).point(effector.tip);
        let start: Vec<f64> = joints.iter().map(|&joint| pose[joint].value()).collect();
        write!(table, "{},{},{}", tip.x, tip.y, tip.z).unwrap();
        start.iter().for_each(|value| write!(table, ",{value}").unwrap());
        table.push('\n');
        expected.push(start);
    }
    // The scene's own orientation is no target here.
    let ran = run_on(
        &["solve", ARM, "--set", "effector.gripper.rotation_weight=0", "--targets", "-", "--csv"],
        table.as_bytes(),
    );
    let found = columns(&ran.out);
    for (row, start) in expected.iter().enumerate() {
        for (name, value) in names.iter().zip(start) {
            let cell: f64 = found[&format!("{name}.angle")][row].parse().unwrap();
            // The start pose is the answer, up to what the tolerance leaves open.
            assert!((cell - value).abs() < 2e-3, "row {row}, {name}: {cell} {value}");
        }
    }
}

/// An archive holds the arrays that `numpy.savez` would write, and they agree with CSV.
#[test]
fn an_archive_holds_angles_names_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.npz");
    let table = "x,y,z\n1,0.5,0.5\n50,0,0\n1,two,3\n0.8,0.9,-0.6\n";
    for nan in [false, true] {
        let unreached = if nan { "nan" } else { "nearest" };
        let arguments = ["solve", ARM, "--targets", "-", "--unreached", unreached];
        let ran = run_on(&[&arguments[..], &["-o", out.to_str().unwrap()]].concat(), table.as_bytes());
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains("1 of 4 rows is invalid; the first is row 3 (<stdin>:4): column `y`"), "{}", ran.err);
        assert!(
            ran.err.contains("1 of 4 rows was not reached; the first is row 2 (<stdin>:3): too far"),
            "{}",
            ran.err
        );
        let found = columns(&run_on(&[&arguments[..], &["--csv"]].concat(), table.as_bytes()).out);
        let mut archive = zip::ZipArchive::new(std::fs::File::open(&out).unwrap()).unwrap();
        let mut entry = |name: &str| {
            let mut bytes = Vec::new();
            archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        };
        let header = |bytes: &[u8]| String::from_utf8_lossy(&bytes[10..128]).trim_end().to_owned();
        let angles = entry("angles");
        assert!(header(&angles).contains("'<f8'") && header(&angles).contains("(4, 7)"), "{}", header(&angles));
        let numbers = floats(&angles);
        let angles: Vec<&[f64]> = numbers.chunks(7).collect();
        let names = entry("names");
        assert!(header(&names).contains("'<U") && header(&names).contains("(7,)"), "{}", header(&names));
        let width = (names.len() - 128) / 7;
        let name = |at: usize| -> String {
            let letters = names[128 + at * width..][..width].chunks(4);
            let letters = letters.map(|letter| u32::from_le_bytes(letter.try_into().unwrap()));
            letters.take_while(|&letter| letter != 0).map(|letter| char::from_u32(letter).unwrap()).collect()
        };
        for (row, angles) in angles.iter().enumerate() {
            for (at, angle) in angles.iter().enumerate() {
                let cell = found[&name(at)][row].parse().unwrap_or(f64::NAN);
                assert_eq!(cell.to_bits(), angle.to_bits(), "row {row}, {}", name(at));
            }
        }
        let is_number = |row: usize| angles[row].iter().all(|angle| !angle.is_nan());
        assert_eq!([0, 1, 2, 3].map(is_number), [true, !nan, false, true]);
        let reached = entry("reached");
        assert!(header(&reached).contains("'|b1'") && header(&reached).contains("(4,)"), "{}", header(&reached));
        assert_eq!(reached[128..], [1, 0, 0, 1]);
        for (array, column) in [("distance", "distance"), ("angle", "angle")] {
            let numbers = floats(&entry(array));
            let effector = &arm().effectors[0].name;
            let cells: Vec<f64> =
                found[&format!("{effector}.{column}")].iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
            let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&numbers), bits(&cells), "{array}");
        }
    }
}

/// Thousands of rows, so that there are several blocks: order, bits and totals do not depend on threads and pipes.
/// With keep clear, tables have the clearance that JSON has; without it, they do not have the column.
#[test]
fn tables_have_the_clearance_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.npz");
    let table = "x,y,z\n0.3,0.1,0.4\n0.2,two,3\n9,0,0\n";
    let solve = |flags: &[&str]| {
        let arguments = ["solve", "assets/models/robot-arm.urdf", "--targets", "-"];
        run_on(&[&arguments[..], flags].concat(), table.as_bytes()).out
    };
    assert!(!columns(&solve(&["--csv"])).contains_key("clearance"));
    let csv = solve(&["--keep-clear", "--csv"]);
    assert!(csv.lines().next().unwrap().ends_with(",clearance,message"), "{csv}");
    let cells = &columns(&csv)["clearance"];
    let json = answers(&solve(&["--keep-clear"]));
    assert!(cells[1].is_empty() && json[1]["clearance"].is_null());
    for row in [0, 2] {
        // The reader of JSON rounds.
        let [in_csv, in_json] = [cells[row].parse().unwrap(), json[row]["clearance"].as_f64().unwrap()];
        assert!(f64::abs(in_csv - in_json) < 1e-12, "{in_csv} {in_json}");
    }
    for flags in [&["--keep-clear"][..], &[]] {
        solve(&[flags, &["-o", out.to_str().unwrap()]].concat());
        let mut archive = zip::ZipArchive::new(std::fs::File::open(&out).unwrap()).unwrap();
        assert_eq!(archive.by_name("clearance.npy").is_ok(), !flags.is_empty());
        let mut bytes = Vec::new();
        if let Ok(mut array) = archive.by_name("clearance.npy") {
            array.read_to_end(&mut bytes).unwrap();
            let numbers = floats(&bytes).into_iter();
            let as_cell = |number: f64| if number.is_nan() { String::new() } else { number.to_string() };
            assert_eq!(numbers.map(as_cell).collect::<Vec<_>>(), *cells);
        }
    }
}

#[test]
fn threads_and_pipes_change_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let frames = reachable(20_000, 5);
    let numbers = frames
        .iter()
        .flat_map(|frame| [frame.position.to_array().to_vec(), frame.rotation.to_array().to_vec()].concat());
    let mut npy = Vec::new();
    fabrik3d_scene::write_npy(&mut npy, frames.len(), 7, numbers).unwrap();
    std::fs::write(at("t.npy"), &npy).unwrap();
    let solve = |threads: &str, name: &str| {
        run(&["solve", ARM, "--targets", &at("t.npy"), "--threads", threads, "-o", &at(name)])
    };
    let (one, two) = (solve("1", "one.npz"), solve("2", "two.npz"));
    assert_eq!((one.code, &one.err), (two.code, &two.err));
    let bytes = |name: &str| std::fs::read(at(name)).unwrap();
    assert!(bytes("one.npz") == bytes("two.npz"));
    let piped = run_on(&["solve", ARM, "--targets", "-", "-o", &at("pipe.npz")], &npy);
    assert_eq!(piped.code, one.code);
    assert!(bytes("one.npz") == bytes("pipe.npz"));
    // Rows keep their order: each answer is at its own target.
    run(&["solve", ARM, "--targets", &at("t.npy"), "-o", &at("one.csv")]);
    let found = columns(&std::fs::read_to_string(at("one.csv")).unwrap());
    let effector = &arm().effectors[0].name;
    for (row, frame) in frames.iter().enumerate() {
        assert_eq!(found["id"][row], (row + 1).to_string());
        if found["reached"][row] == "true" {
            let x: f64 = found[&format!("{effector}.x")][row].parse().unwrap();
            assert!((x - frame.position.x).abs() < 1e-3, "row {row}");
        }
    }
    assert!(found["reached"].iter().filter(|cell| *cell == "true").count() > 19_900);
}

/// Rows of a path start from the row before; other paths do not matter, nor does where a block ends.
#[test]
fn rows_of_a_path_follow_on_each_other() {
    let scene = arm();
    let effector = scene.effectors[0].effector;
    let joints: Vec<usize> = scene.settable_joints().collect();
    let mut random = Random::new(12);
    let mut tables: Vec<String> = Vec::new();
    for path in 0..40 {
        let mut rows = String::new();
        let (from, to) = (scene.start.clone(), scene.skeleton.random_pose(&mut random));
        // One path is longer than a block.
        let length = if path == 20 { 9000 } else { 25 };
        for row in 1..=length {
            let mut pose = from.clone();
            for &joint in &joints {
                let (a, b) = (from[joint].value(), to[joint].value());
                pose[joint] = fabrik3d_ik::Coordinates::scalar(a + (b - a) * f64::from(row) / f64::from(length));
            }
            let frame = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, effector.joint);
            let (place, turn) = (frame.point(effector.tip), frame.rotation);
            writeln!(rows, "p{path},{},{},{},{},{},{},{}", place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w)
                .unwrap();
        }
        tables.push(rows);
    }
    const HEADER: &str = "path,x,y,z,qx,qy,qz,qw\n";
    let angles = |table: &str| -> Vec<Vec<f64>> {
        let ran = run_on(&["solve", ARM, "--targets", "-", "--csv"], table.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let found = columns(&ran.out);
        let names: Vec<String> =
            joints.iter().map(|&joint| format!("{}.angle", scene.skeleton.joints()[joint].name)).collect();
        let rows = found["id"].len();
        (0..rows).map(|row| names.iter().map(|name| found[name][row].parse().unwrap()).collect()).collect()
    };
    let all = angles(&format!("{HEADER}{}", tables.concat()));
    let (mut first, mut jumps) = (0, 0);
    for (path, rows) in tables.iter().enumerate() {
        let own = &all[first..first + rows.lines().count()];
        first += own.len();
        let mut before: Vec<f64> = joints.iter().map(|&joint| scene.start[joint].value()).collect();
        for row in own {
            let jump = row.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            jumps += usize::from(jump > 1.0);
            before.clone_from(row);
        }
        if path % 20 == 0 {
            // The borders of the blocks are elsewhere then.
            assert!(angles(&format!("{HEADER}{rows}")) == own, "path {path} alone");
        }
    }
    // Now and then, a limit forces another branch.
    assert!(jumps * 200 < first, "{jumps} of {first}");
}

#[test]
fn the_time_limit_ends_solving_and_is_told() {
    let table = "x,y,z\n1,0.5,0.5\n0.8,0.9,-0.6\n";
    let ran = run_on(&["solve", ARM, "--targets", "-", "--time-limit", "1e-9"], table.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert_eq!(answers(&ran.out)[1], serde_json::json!({"id": 2, "error": "not solved: the time limit was reached"}));
    assert!(ran.err.contains("2 of 2 rows were not solved within 0.000000001 s; raise --time-limit"), "{}", ran.err);
    let ran = run_on(&["solve", ARM, "--targets", "-", "--time-limit", "60"], table.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = run(&["solve", ARM, "--time-limit=-1"]);
    assert!(ran.code == Some(2) && ran.err.contains("--time-limit"), "{}", ran.err);
}

/// The columns `dx`, `dy`, `dz` ask for a direction only, which the answer has, whatever the turn about it.
#[test]
fn directions_leave_the_turn_about_the_axis_open() {
    let mut table = "x,y,z,dx,dy,dz\n".to_owned();
    let frames = reachable(30, 9);
    for frame in &frames {
        let (place, axis) = (frame.position, frame.rotation * DVec3::Z * 2.0);
        writeln!(table, "{},{},{},{},{},{}", place.x, place.y, place.z, axis.x, axis.y, axis.z).unwrap();
    }
    let ran = run_on(&["solve", ARM, "--targets", "-"], table.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let mut turned = 0;
    for (answer, frame) in answers(&ran.out).iter().zip(&frames) {
        let end = &answer["effectors"]["gripper"];
        let number = |at: usize| end["rotation"][at].as_f64().unwrap();
        let rotation = DQuat::from_xyzw(number(0), number(1), number(2), number(3));
        assert!((rotation * DVec3::Z).angle_between(frame.rotation * DVec3::Z) < 2e-3);
        assert!(end["angle"].as_f64().unwrap() < 2e-3);
        turned += usize::from(rotation.angle_between(frame.rotation) > 0.1);
    }
    assert!(turned > 10, "{turned}");
    let zero = run_on(&["solve", ARM, "--targets", "-"], b"x,y,z,dx,dy,dz\n1,0.5,0.5,0,0,0\n");
    assert!(zero.out.contains("a direction cannot be zero; downward is 0,0,-1"), "{}", zero.out);
}

/// The rows that are there are answered, and the exit code is that of a damaged input.
#[test]
fn an_array_that_is_cut_off_is_answered_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut npy = Vec::new();
    fabrik3d_scene::write_npy(&mut npy, 10, 3, [1.0, 0.5, 0.5].repeat(10)).unwrap();
    let whole = b"'shape': (10, 3), }            ";
    let start = npy.windows(whole.len()).position(|part| part == whole).unwrap();
    npy[start..start + whole.len()].copy_from_slice(b"'shape': (10000000000000, 3), }");
    npy.extend([0; 5]);
    std::fs::write(at("cut.npy"), &npy).unwrap();
    let ran = run(&["solve", ARM, "--targets", &at("cut.npy"), "-o", &at("out.csv")]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let message =
        "cut.npy: the file is cut off: its header says 10000000000000 rows, and 10 rows are there\n  copy it again";
    assert!(ran.err.contains(message), "{}", ran.err);
    let rows = std::fs::read_to_string(at("out.csv")).unwrap();
    assert_eq!(rows.lines().filter(|line| line.contains(",reached,true,")).count(), 10, "{rows}");
    assert_eq!(rows.lines().count(), 11);
    let piped = run_on(&["solve", ARM, "--targets", "-"], &npy);
    assert_eq!((piped.code, answers(&piped.out).len()), (Some(2), 10), "{}", piped.err);
    let followed = run(&["convert", ARM, "--targets", &at("cut.npy"), "-o", &at("motion.csv")]);
    assert!(followed.code == Some(2) && followed.err.contains(message), "{}", followed.err);
    assert!(!Path::new(&at("motion.csv")).exists());
}

#[test]
fn starts_beyond_limits_and_targets_in_another_unit_are_named_once() {
    let solve = |rows: &str| run_on(&["solve", ARM, "--targets", "-", "--csv"], rows.as_bytes()).err;
    let ran = solve("x,y,z,q.elbow\n0.4,0.5,0.2,-2.5\n0.4,0.5,0.2,-1\n0.4,0.5,0.2,-2.6\n0.4,0.5,0.2,-2.0945\n");
    let expected = "2 of 4 rows start outside the joint limits, and so at the nearest limit; the first is row 1 (<stdin>:2): \
                    q.elbow";
    assert!(ran.contains(expected) && ran.matches("q.elbow").count() == 1, "{ran}");
    let question = "are they in another unit, such as millimetres?";
    assert!(solve("x,y,z\n400,500,200\n300,500,200\n").contains(question));
    assert!(!solve("x,y,z\n400,500,200\n0.4,0.5,0.2\n").contains(question), "one far target is a slip");
    assert!(!solve("x,y,z\n4,5,2\n").contains(question));
}

/// A terminal gets a line per target; a pipe gets JSON.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_a_table_of_answers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let table = folder.join("terminal.csv");
    let place = reachable(1, 3)[0].position;
    std::fs::write(&table, format!("id,x,y,z\nnear,{},{},{}\nfar,90,0,0\nbad,x,0,0\n", place.x, place.y, place.z))
        .unwrap();
    let command =
        format!("'{}' solve {ARM} --targets '{}' --exit-zero", env!("CARGO_BIN_EXE_fabrik3d"), table.display());
    let shown = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("util-linux has `script`");
    let shown = String::from_utf8(shown.stdout).unwrap();
    let line = |start: &str| shown.lines().find(|line| line.trim_start().starts_with(start)).expect(start);
    assert!(line("near").contains("reached") && line("near").matches('°').count() == 7, "{shown}");
    assert!(line("far").contains("too far") && line("bad").contains("finite number"), "{shown}");
    let piped = run(&["solve", ARM, "--targets", table.to_str().unwrap(), "--exit-zero"]);
    assert!(piped.out.lines().count() == 3 && piped.out.lines().all(|line| line.starts_with('{')), "{}", piped.out);
}
