//! `check` and `convert`.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d_scene::Scene;
use std::path::Path;
use support::{run, run_on};

#[test]
fn check_prints_one_line_per_file() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.toml");
    std::fs::write(&broken, "name = \"x\"\n[[joint]]\nname = \"a\"\nparent = \"b\"\noffset = [0, 1, 0]\n").unwrap();
    let broken = broken.to_str().unwrap();
    let ran = run(&["check", "assets/scenes/demo.toml", broken, "assets/scenes/crane.toml", "missing.toml"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((ran.code, lines.len(), ran.err.as_str()), (Some(1), 4, ""), "{}", ran.out);
    assert_eq!(lines[0], "assets/scenes/demo.toml: ok (8 joints, 1 effector)");
    assert_eq!(lines[1], format!("{broken}:4:10: `joint[0].parent`: there is no joint `b`; known: a"));
    assert_eq!(lines[2], "assets/scenes/crane.toml: ok (4 joints, 1 effector)");
    assert_eq!(lines[3], "missing.toml: there is no such file");
    assert_eq!(run(&["check", "assets/scenes/demo.toml"]).code, Some(0));
    let ran = run(&["check", "missing", "assets", "Cargo.lock"]);
    let expected = "missing: there is no such file\n\
                assets: this is a folder, not a file; name the files in it\n\
                Cargo.lock: the format of this file is not known; scenes are read from ";
    assert!(ran.code == Some(1) && ran.out.starts_with(expected), "{}", ran.out);
}

#[test]
fn scenes_round_trip_through_json() {
    let folder = tempfile::tempdir().unwrap();
    let (json, toml) = (folder.path().join("scene.json"), folder.path().join("scene.toml"));
    let (json, toml) = (json.to_str().unwrap(), toml.to_str().unwrap());
    for name in ["human-arm", "stewart", "obstacles", "hand"] {
        let original = format!("assets/scenes/{name}.toml");
        assert_eq!(run(&["convert", &original, "-o", json]).code, Some(0));
        assert_eq!(run(&["convert", json, "-o", toml]).code, Some(0));
        let original = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(original)).unwrap();
        assert_eq!(Scene::open(toml).unwrap(), original, "{name}");
    }
}

#[test]
fn convert_applies_changes_and_writes_to_standard_output() {
    let ran =
        run(&["convert", "assets/scenes/demo.toml", "-o", "-", "--to", "json", "--set", "name=Other", "--up", "z"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("{\n  \"name\": \"Other\",\n  \"up\": \"z\",\n"), "{}", ran.out);
    let back = run_on(&["convert", "-", "-o", "-", "--to", "toml"], ran.out.as_bytes());
    assert!(back.out.starts_with("name = \"Other\"\nup = \"z\"\n"), "{}", back.out);
}

#[test]
fn convert_writes_solved_poses() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("pose.csv");
    let ran = run(&["convert", "assets/scenes/seed-arm.toml", "-o", csv.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (2, rows[1].len()), "{text}");
    assert_eq!((rows[0][1], rows[1][1]), ("stop", "reached"));
    let json = run(&["convert", "assets/scenes/seed-arm.toml", "-o", "-", "--to", "json", "--pose"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["pose"].as_array().unwrap().len(), 4);
}

#[test]
fn check_counts_the_limits_of_a_person() {
    let (puppet, mannequin) = ("assets/models/puppet.gltf", "assets/models/mannequin.glb");
    let counted = |flags: &[&str]| {
        let ran = run(&[&["check", puppet, mannequin], flags].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
        ran.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = counted(&[]);
    assert!(lines[0].contains("human limits on 20 joints"), "{}", lines[0]);
    assert!(lines[1].contains("the limits file replaces the human limits of 20 joints"), "{}", lines[1]);
    assert!(counted(&["--no-body-limits"]).iter().all(|line| !line.contains("limits")));
    // Without limits, the rotation of an elbow is a quaternion.
    let width = |flags: &[&str]| {
        let ran = run(&[&["solve", puppet, "--json"], flags].concat());
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let elbow = answer["pose"].as_array().unwrap()[11].as_array().unwrap();
        elbow.len()
    };
    assert_eq!((width(&[]), width(&["--no-body-limits"])), (3, 4));
}

/// Recorded joints without a counterpart are named once, up to five of them; a recording of which nothing matches says so.
#[test]
fn what_a_recording_leaves_out_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb").display().to_string();
    let (mannequin, puppet, bones) =
        ("assets/models/mannequin.glb", "assets/models/puppet.gltf", "assets/models/two-joints.bvh");
    let names = |path: &str| {
        let joints = Scene::open(path).unwrap().skeleton.joints().to_vec();
        joints.into_iter().map(|joint| joint.name.trim_start_matches("puppet:").to_owned()).collect::<Vec<_>>()
    };
    // The two figures name their parts alike.
    let own = names(mannequin);
    let missing: Vec<String> = names(puppet).into_iter().filter(|name| !own.contains(name)).collect();
    let named = missing[..5].iter().map(|name| format!("puppet:{name}")).collect::<Vec<_>>().join(", ");
    let count = missing.len();
    let expected =
        format!("{count} joints of puppet.gltf have no match here and are not used: {named} and {} more.", count - 5);
    let check = |motion| run(&["check", mannequin, "--motion", motion]);
    let convert = |motion| run(&["convert", mannequin, "--motion", motion, "--clip", "1", "-o", &out]);
    for ran in [check(puppet), convert(puppet)] {
        assert_eq!((ran.code, ran.err.matches(&expected).count()), (Some(0), 1), "{}", ran.err);
    }
    assert!(check(puppet).out.contains("21 of 21 joints follow the recording"));
    let (checked, converted) = (check(bones), convert(bones));
    assert_eq!((checked.code, converted.code), (Some(0), Some(2)));
    assert!(
        checked.out.contains("no joint follows the recording") && checked.err.contains("--match"),
        "{}",
        checked.err
    );
    assert!(converted.err.contains("no joint of assets/models/two-joints.bvh"), "{}", converted.err);
}

/// A scene whose first solve takes minutes: all loops turn with one base.
#[cfg(unix)]
fn tangled(folder: &Path) -> std::path::PathBuf {
    use std::fmt::Write;
    let mut text = "[[joint]]\nname = \"base\"\nkind = \"ball\"\n".to_owned();
    for at in 0..1500 {
        for side in ["a", "b"] {
            let hinge = "kind = \"hinge\"\naxis = [0, 0, 1]\n";
            write!(text, "[[joint]]\nname = \"{side}{at}\"\nparent = \"base\"\noffset = [{at}, 0, 0]\n{hinge}")
                .unwrap();
            write!(text, "[[joint]]\nname = \"{side}{at}t\"\nparent = \"{side}{at}\"\noffset = [0.5, 1, 0]\n{hinge}")
                .unwrap();
        }
        write!(text, "[[loop]]\na = {{ joint = \"a{at}t\" }}\nb = {{ joint = \"b{at}t\", point = [0.3, 0, 0] }}\n")
            .unwrap();
    }
    text += "[[effector]]\njoint = \"a0t\"\ntarget = [0.2, 0.6, 0]\n";
    let scene = folder.join("loops.toml");
    std::fs::write(&scene, text).unwrap();
    scene
}

/// Runs the program, and asks it to end after three seconds.
#[cfg(unix)]
fn interrupted(arguments: &[&str]) -> std::process::Output {
    use std::process::{Command, Stdio};
    let child = support::program(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let sent = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().unwrap();
    assert!(sent.success(), "it ended before it was interrupted");
    // Without an answer to the signal, this waits for minutes.
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_render_whatever_it_is_doing() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, picture) = (tangled(folder.path()), folder.path().join("loops.png"));
    let ended = interrupted(&["render", scene.to_str().unwrap(), "-o", picture.to_str().unwrap(), "--size", "64x48"]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("interrupted; nothing was written"), "{ended:?}");
    assert!(!picture.exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_solve_prints_the_best_pose_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let ended = interrupted(&["solve", tangled(folder.path()).to_str().unwrap(), "--json"]);
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(answer["stop"], "interrupted");
    assert_eq!((answer["reached"].as_bool(), answer["pose"].as_array().unwrap().len()), (Some(false), 6001));
}
