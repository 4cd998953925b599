//! `convert` and `solve -o`: independent readers find the same data in all formats.
#![allow(clippy::unwrap_used)]

use crate::gathered;
use crate::support;

use fabrik3d_scene::Scene;
use gathered::gathered;
use glam::DVec3;
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{run, run_on};

const ARM: &str = "assets/models/arm.urdf";
const BONES: &str = "assets/models/two-joints.bvh";

/// A temporary folder.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }
}

/// Runs a command that must succeed without output.
fn quietly(arguments: &[&str]) {
    let ran = run(arguments);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""), "{arguments:?}");
}

/// The header and the rows of a table.
fn csv(path: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(','));
    let header = lines.next().unwrap().map(str::to_owned).collect();
    (header, lines.map(|line| line.map(|cell| cell.parse().unwrap()).collect()).collect())
}

/// The rows of an array, read as NEP 1 specifies.
fn npy(path: &str) -> Vec<Vec<f64>> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0);
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    let shape = header.strip_prefix("{'descr': '<f8', 'fortran_order': False, 'shape': (").unwrap();
    let (shape, rest) = shape.split_once("), }").unwrap();
    assert!(rest.ends_with('\n') && rest.trim().is_empty());
    let sides: Vec<usize> = shape.split(", ").map(|side| side.parse().unwrap()).collect();
    let numbers = bytes[10 + length..].chunks_exact(8).map(|number| f64::from_le_bytes(number.try_into().unwrap()));
    let numbers: Vec<f64> = numbers.collect();
    assert_eq!(numbers.len(), sides[0] * sides[1]);
    numbers.chunks_exact(sides[1]).map(<[f64]>::to_vec).collect()
}

/// The poses of a motion in JSON, each as one list.
fn json(path: &str) -> (Value, Vec<Vec<f64>>) {
    let value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let pose = |pose: &Value| {
        pose.as_array()
            .unwrap()
            .iter()
            .flat_map(|joint| joint.as_array().unwrap())
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    let poses = value["poses"].as_array().unwrap().iter().map(pose).collect();
    (value, poses)
}

/// Targets on a small circle that the arm can track.
fn circle(count: usize) -> String {
    let mut text = String::from("x,y,z\n");
    for at in 0..count {
        let angle = at as f64 * 0.05;
        text += &format!("{},{},{}\n", 0.5 + 0.05 * angle.cos(), 0.1 * angle.sin(), 0.4);
    }
    text
}

#[test]
fn a_solved_path_is_the_same_in_every_format() {
    let folder = Folder::new();
    let targets = folder.with("path.csv", circle(40));
    let out = |extension: &str| {
        let out = folder.at(&format!("out.{extension}"));
        let ran = run(&["convert", ARM, "--targets", &targets, "--fps", "50", "-o", &out]);
        // Of these formats only glTF can contain meshes, and BVH is a skeleton that could contain limits.
        let warns = ran.err.contains("the meshes are not written");
        assert_eq!(
            (ran.code, ran.err.is_empty(), warns),
            (Some(0), !["glb", "bvh"].contains(&extension), extension == "glb"),
            "{}",
            ran.err
        );
        out
    };
    let scene = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(ARM)).unwrap();
    let (header, rows) = csv(&out("csv"));
    assert_eq!(
        header,
        ["time", "turn.angle", "shoulder.angle", "elbow.angle", "reach.distance", "left.distance", "right.distance"]
    );
    assert_eq!(rows.len(), 40);
    let (value, poses) = json(&out("json"));
    assert_eq!((value["joints"].as_array().unwrap().len(), value["frame_time"].as_f64()), (7, Some(0.02)));
    let array = npy(&out("npy"));
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(row[0], ((at as f64 * 0.02) * 1e9).round() / 1e9);
        assert_eq!(row[1..], array[at], "row {at}");
        // The JSON reader of this test rounds less exactly than the writer.
        let apart = row[1..].iter().zip(&poses[at]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(poses[at].len() == row.len() - 1 && apart < 1e-14, "row {at}: {apart}");
        if at > 0 {
            let largest = row.iter().zip(&rows[at - 1]).skip(1).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(largest < 0.1, "row {at}: the arm jumps by {largest}");
        }
    }
    // With these joint angles the hand is on the path.
    let text = circle(40);
    let hand = scene.effectors[0].effector;
    for (row, target) in rows.iter().zip(text.lines().skip(1)) {
        let mut pose = scene.skeleton.rest_pose();
        let mut values = row[1..].iter();
        for (coordinates, joint) in pose.iter_mut().zip(scene.skeleton.joints()) {
            let own: Vec<f64> = values.by_ref().take(joint.kind.coordinate_count()).copied().collect();
            *coordinates = fabrik3d_ik::Coordinates::from_values(&joint.kind, &own).unwrap();
        }
        let tip = scene.skeleton.frames(&pose)[hand.joint].point(hand.tip);
        let target: Vec<f64> = target.split(',').map(|cell| cell.parse().unwrap()).collect();
        let apart = tip.distance(DVec3::new(target[0], target[1], target[2]));
        assert!(apart <= 1e-4 * scene.effector_size(&scene.effectors[0]), "{apart}");
    }
    // The same positions in the formats of other programs. +Y is up in glTF, +Z for the arm.
    let (bvh, glb) = (Scene::open(out("bvh")).unwrap(), Scene::open(out("glb")).unwrap());
    for (other, turn) in [(&bvh, false), (&glb, true)] {
        let motion = &other.assets.motions[0];
        assert!((motion.duration() - 39.0 * 0.02).abs() < 1e-6);
        for (at, row) in poses.iter().enumerate() {
            let mut values = row.iter();
            let pose: Vec<_> = scene
                .skeleton
                .joints()
                .iter()
                .map(|joint| {
                    let own: Vec<f64> = values.by_ref().take(joint.kind.coordinate_count()).copied().collect();
                    fabrik3d_ik::Coordinates::from_values(&joint.kind, &own).unwrap()
                })
                .collect();
            let here = scene.skeleton.frames(&pose);
            let there = other.skeleton.frames(&motion.pose_at(&other.skeleton, at as f64 * 0.02));
            for (joint, frame) in scene.skeleton.joints().iter().zip(&here) {
                // The file contains slides (tests/files), but this reader keeps them at rest.
                if turn && ["reach", "left", "right"].contains(&joint.name.as_str()) {
                    continue;
                }
                let p = frame.position;
                let expected = if turn { DVec3::new(p.x, p.z, -p.y) } else { p };
                let found = there[other.skeleton.find(&joint.name).unwrap()].position;
                assert!(found.distance(expected) < 1e-5, "frame {at}, {}: {found} {expected}", joint.name);
            }
        }
    }
}

#[test]
fn clips_round_trip_through_other_formats() {
    let folder = Folder::new();
    let (glb, back) = (folder.at("bones.glb"), folder.at("back.bvh"));
    quietly(&["convert", BONES, "-o", &glb]);
    quietly(&["convert", &glb, "-o", &back, "--fps", "8"]);
    let first = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(BONES)).unwrap();
    let last = Scene::open(&back).unwrap();
    let (before, after) = (&first.assets.motions[0], &last.assets.motions[0]);
    assert_eq!((after.len(), after.frame_time), (before.len(), before.frame_time));
    for frame in 0..before.len() {
        let here = first.skeleton.frames(&before.pose(&first.skeleton, frame));
        let there = last.skeleton.frames(&after.pose(&last.skeleton, frame));
        for (joint, frame) in first.skeleton.joints().iter().zip(&here) {
            let found = there[last.skeleton.find(&joint.name).unwrap()].position;
            assert!(found.distance(frame.position) < 1e-6, "{}: {found} {}", joint.name, frame.position);
        }
    }
    let half = folder.at("half.csv");
    quietly(&["convert", BONES, "-o", &half, "--fps", "4", "--clip", "1"]);
    let (header, rows) = csv(&half);
    assert_eq!((rows.len(), rows[4][0]), (5, 1.0));
    assert_eq!(
        header[..8],
        ["time", "shoulder.px", "shoulder.py", "shoulder.pz", "shoulder.x", "shoulder.y", "shoulder.z", "shoulder.w"]
    );
}

#[test]
fn a_character_keeps_its_skin_when_motion_is_added() {
    let Some(fox) = gathered("gltf/Fox/Fox.glb") else { return };
    let folder = Folder::new();
    let (fox, run_only, both) = (fox.to_str().unwrap().to_owned(), folder.at("run.bvh"), folder.at("both.glb"));
    let ran = run(&["convert", &fox, "-o", &run_only]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("has 3 clips: choose one with --clip NAME\n  `Survey`, `Walk`, `Run`"), "{}", ran.err);
    quietly(&["convert", &fox, "--clip", "Run", "--fps", "60", "-o", &run_only]);
    quietly(&["convert", &fox, "--motion", &run_only, "-o", &both]);
    let (scene, bvh) = (Scene::open(&both).unwrap(), Scene::open(&run_only).unwrap());
    let names: Vec<&str> = scene.assets.motions.iter().map(|motion| motion.name.as_str()).collect();
    assert_eq!(names, ["run", "Survey", "Walk", "Run"], "the animation that players show by default comes first");
    assert_eq!(scene.assets.skins.len(), 1);
    let (own, added) = (&scene.assets.motions[3], &scene.assets.motions[0]);
    let size = scene.skeleton.joints().iter().map(|joint| joint.offset.length()).sum::<f64>();
    for frame in (0..bvh.assets.motions[0].len()).step_by(7) {
        let time = frame as f64 / 60.0;
        let one = scene.skeleton.frames(&own.pose_at(&scene.skeleton, time));
        let other = scene.skeleton.frames(&added.pose_at(&scene.skeleton, time));
        for (a, b) in one.iter().zip(&other) {
            assert!(a.position.distance(b.position) < 1e-3 * size, "frame {frame}: {} {}", a.position, b.position);
        }
    }
}

#[test]
fn unsupported_conversions_are_refused_with_advice() {
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    let (bad, empty) = (folder.with("bad.csv", "x,y,z\n1,2,3\n1,2\n"), folder.with("empty.csv", "x,y,z\n"));
    let cases: &[(&[&str], &str)] = &[
        (&["-o", &at("a.toml"), "--pose"], "TOML files contain scenes, not poses or motion: write .json,"),
        (&["-o", &at("a.urdf")], "URDF can be read but not written\n  write a scene file: .toml"),
        (&["-o", &at("a.png")], "for pictures and films use `fabrik3d render FILE -o OUT`"),
        (
            &["-o", &at("a.fbx")],
            ".fbx cannot be written\n  convert writes .toml, .json, .csv, .npy, .bvh, .gltf and .glb",
        ),
        (&["-o", "-"], "give the format with --to"),
        (
            &["-o", &at("a.bvh"), "--clip", "walk"],
            "has no recorded motion; --motion FILE uses the motion of another file",
        ),
        (&["-o", &at("a.bvh"), "--motion", "assets/scenes/rope.toml"], "rope.toml has no recorded motion"),
        (&["-o", &at("a.csv"), "--targets", &bad], "bad.csv: row 2 (line 3): expected 3 columns, found 2"),
        (&["-o", &at("a.csv"), "--targets", &empty], "empty.csv: the table has no rows"),
        (&["-o", "/no/such/folder/a.csv"], "/no/such/folder/a.csv: cannot be written"),
    ];
    for (arguments, expected) in cases {
        let ran = run(&[&["convert", "assets/scenes/demo.toml"], *arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(run(&["convert", ARM, "-o", &at("a.csv"), "--pose", "--clip", "x"]).code, Some(2));
    let far = folder.with("far.csv", "x,y,z\n0.5,0,0.4\n50,0,0\n");
    let ran = run(&["convert", ARM, "-o", &at("far.csv.csv"), "--targets", &far, "--no-plan"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.err, "warning: 1 of 2 rows was not reached; the first is row 2: too far\n");
    let ran = run(&["convert", BONES, "-o", &at("bones.toml")]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("`two-joints` is not written; write .glb, .bvh or .csv for it"), "{}", ran.err);
}

#[test]
fn writing_bvh_warns_once_that_limits_and_axes_are_lost() {
    let folder = Folder::new();
    for (file, is_limited) in [("assets/models/arm.urdf", true), (BONES, false)] {
        let ran = run(&["convert", file, "-o", &folder.at("a.bvh"), "--pose"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let count = ran.err.matches("BVH files contain neither joint limits nor axes").count();
        assert_eq!(count, usize::from(is_limited), "{file}: {}", ran.err);
    }
}

#[test]
fn solve_reads_and_writes_arrays() {
    let folder = Folder::new();
    let (table, answers) =
        (folder.with("t.csv", "id,x,y,z\na,0.5,0,0.4\nb,1,two,3\nc,0.4,0.1,0.5\n"), folder.at("a.npy"));
    let ran = run(&["solve", ARM, "--targets", &table, "-o", &answers]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let expected = format!(
        "warning: 1 of 3 rows is invalid; the first is row \"b\" ({table}:3): \
         column `y`: expected a finite number, found \"two\"\n"
    );
    assert_eq!(ran.err, expected);
    let far = folder.with("far.csv", "x,y,z\n0.5,0,0.4\n50,0,0\n0.4,0.1,0.5\n60,0,0\n");
    let ran = run(&["solve", ARM, "--targets", &far, "-o", &folder.at("far.npy")]);
    assert_eq!(ran.code, Some(1));
    let expected = format!("warning: 2 of 4 rows were not reached; the first is row 2 ({far}:3): too far\n");
    assert_eq!(ran.err, expected);
    let rows = npy(&answers);
    assert_eq!((rows.len(), rows[0].len()), (3, 6));
    assert!(rows[1].iter().all(|number| number.is_nan()));
    let printed = run(&["solve", ARM, "--targets", &table, "--csv"]);
    let last: Vec<f64> =
        printed.out.lines().nth(3).unwrap().split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    let angles = last.len() - 7..last.len() - 1;
    assert_eq!(last[angles], rows[2]);
    // The same targets as an array, from a file and from standard input.
    let mut npy = Vec::new();
    fabrik3d_scene::write_npy(&mut npy, 2, 3, [0.5, 0.0, 0.4, 0.4, 0.1, 0.5]).unwrap();
    let targets = folder.with("t.npy", &npy);
    let lines = |out: &str| -> Vec<(Value, Value)> {
        let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        out.lines().map(value).map(|value| (value["id"].clone(), value["pose"].clone())).collect()
    };
    let (by_file, by_pipe) =
        (run(&["solve", ARM, "--targets", &targets]), run_on(&["solve", ARM, "--targets", "-"], &npy));
    assert_eq!((by_file.code, by_pipe.code), (Some(0), Some(0)));
    assert_eq!(lines(&by_file.out), lines(&by_pipe.out));
    assert_eq!(lines(&by_file.out)[1].0, serde_json::json!(2));
    let ran = run(&["solve", ARM, "-o", &folder.at("a.txt")]);
    assert!(ran.code == Some(2) && ran.err.contains("solve writes .json, .csv, .npy and .npz"), "{}", ran.err);
}

/// Every sample file gets exactly one line, whatever is wrong with it.
#[test]
fn check_prints_one_line_per_sample_file() {
    fn files(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path, out) } else { out.push(path) }
        }
    }
    let Some(root) = gathered("edge") else { return };
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let paths: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    let ran = run(&[&["check"], &paths[..]].concat());
    assert_eq!(ran.code, Some(1));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), paths.len());
    for (line, path) in lines.iter().zip(&paths) {
        assert!(line.starts_with(&format!("{path}:")), "{path}: {line}");
    }
    for line in ran.err.lines() {
        assert!(line.starts_with("warning: ") && paths.iter().any(|path| line.contains(path)), "{line}");
    }
}

#[test]
fn package_paths_on_the_command_line_are_used() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.at("robot")).unwrap();
    std::fs::create_dir_all(folder.at("elsewhere/meshes")).unwrap();
    folder.with("elsewhere/meshes/a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
    let robot = folder.with(
        "robot/r.urdf",
        "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"package://parts/meshes/a.stl\"/></geometry></visual></link></robot>",
    );
    let ran = run(&["check", &robot]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), format!("{robot}: ok (1 link, 1 warning)\n").as_str()));
    assert!(
        ran.err.contains("the mesh package://parts/meshes/a.stl is missing")
            && ran.err.contains("--package-path parts=FOLDER"),
        "{}",
        ran.err
    );
    let path = format!("parts={}", folder.at("elsewhere"));
    let ran = run(&["check", &robot, "--package-path", &path]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), (format!("{robot}: ok (1 link, 1 visual shape)\n").as_str(), ""));
    let wrong = format!("parts={}", folder.at("robot"));
    assert!(run(&["check", &robot, "--package-path", &wrong]).err.contains("is missing"));
}

/// Converting only the file format keeps the pose and all content of a character.
#[test]
fn converting_the_file_format_keeps_all_content_of_a_character() {
    let folder = Folder::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/tube.glb");
    let model = gathered("gltf/CesiumMan/CesiumMan.glb");
    for file in [Some(own), model].into_iter().flatten() {
        let before = Scene::open(&file).unwrap();
        let (text, binary) = (folder.at("form.gltf"), folder.at("form.glb"));
        for (from, to) in [(file.to_str().unwrap(), &text), (&text, &binary)] {
            assert_eq!(run(&["convert", from, "-o", to]).code, Some(0));
            let after = Scene::open(Path::new(to)).unwrap();
            // Numbers are written as decimals: the last bit may differ.
            let holds = |scene: &Scene| {
                let all = scene.effectors.iter().map(|effector| (effector.name.clone(), effector.hold));
                all.collect::<Vec<_>>()
            };
            assert_eq!(holds(&after), holds(&before), "{from}");
            let frames = |scene: &Scene| scene.skeleton.frames(&scene.start);
            for (here, there) in frames(&after).iter().zip(frames(&before)) {
                assert!(
                    here.position.distance(there.position) < 1e-12
                        && here.rotation.angle_between(there.rotation) < 1e-7
                );
            }
            let clips = |scene: &Scene| {
                let all = scene.assets.motions.iter().map(|motion| (motion.name.clone(), motion.len()));
                all.collect::<Vec<_>>()
            };
            assert_eq!(clips(&after), clips(&before), "{from}");
            assert!(after.assets.meshes.len() == before.assets.meshes.len() && !after.assets.meshes.is_empty());
        }
    }
}

/// Every program shows the pose of a posed character: its nodes have the pose, for programs that play no animation, and
/// its first animation is the pose. Its own clips keep their content and names.
#[test]
fn a_posed_character_opens_posed() {
    let Some(model) = gathered("gltf/CesiumMan/CesiumMan.glb") else { return };
    let folder = Folder::new();
    let (posed, again) = (folder.at("posed.glb"), folder.at("again.glb"));
    let options = ["--pose", "--effector", "hand=node15", "--target", "hand=0.3,1.2,0.4"];
    for (from, to) in [(model.to_str().unwrap(), &posed), (posed.as_str(), &again)] {
        assert_ne!(run(&[&["convert", from, "-o", to][..], &options].concat()).code, Some(2));
    }
    let (before, after) = (Scene::open(&model).unwrap(), Scene::open(Path::new(&posed)).unwrap());
    let names = |scene: &Scene| scene.assets.motions.iter().map(|motion| motion.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&after), [&["pose".to_owned()][..], &names(&before)].concat());
    assert_eq!(names(&Scene::open(Path::new(&again)).unwrap()), names(&after), "a new pose replaces the previous one");
    let frames = |pose: &fabrik3d_ik::Pose| after.skeleton.frames(pose);
    let first = frames(&after.assets.motions[0].pose(&after.skeleton, 0));
    for (node, animation) in frames(&after.start).iter().zip(&first) {
        assert!(node.position.distance(animation.position) < 1e-5, "{} {}", node.position, animation.position);
    }
    let original = before.skeleton.frames(&before.start);
    assert!(
        original.iter().zip(&first).any(|(was, is)| was.position.distance(is.position) > 0.05),
        "the pose differs from the original"
    );
}

/// `--match` matches joints with different names.
#[test]
fn joints_are_matched_as_given_on_the_command_line() {
    let folder = Folder::new();
    let text = "[[chain]]\nname = \"arm\"\npoints = [[0, 0, 0], [0, 0.3, 0], [0, 0.55, 0]]\n";
    let (arm, moved) = (folder.with("arm.toml", text), folder.at("moved.csv"));
    let ran = run(&["convert", &arm, "--motion", BONES, "-o", &moved]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--match RECORDED=JOINT"), "{}", ran.err);
    let ran = run(&["convert", &arm, "--motion", BONES, "--match", "shoulder=hand", "-o", &moved]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("arm.toml has no joint `hand`"), "{}", ran.err);
    quietly(&["convert", &arm, "--motion", BONES, "--match", "shoulder=arm.0", "--match", "elbow=arm.1", "-o", &moved]);
    let recorded = Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(BONES)).unwrap();
    let motion = &recorded.assets.motions[0];
    let (header, rows) = csv(&moved);
    assert_eq!((header.len(), rows.len()), (9, motion.len()));
    for (frame, row) in rows.iter().enumerate() {
        let there = recorded.skeleton.frames(&motion.pose(&recorded.skeleton, frame));
        let link = (there[1].position - there[0].position).normalize();
        let turn = glam::DQuat::from_xyzw(row[1], row[2], row[3], row[4]);
        let own = turn * DVec3::Y;
        assert!(own.distance(link) < 1e-9, "frame {frame}: {own} {link}");
    }
}

/// The flag decides the format as a file name does.
#[test]
fn the_format_flag_keeps_meshes_too() {
    let folder = Folder::new();
    let character = "assets/models/mannequin.glb";
    let (by_name, by_flag) = (folder.at("a.gltf"), folder.at("a.bin"));
    // The limits beside it are not in it.
    let limits = folder.at("a.limits.toml");
    let told = run(&["convert", character, "-o", &by_name]).err;
    assert!(told.ends_with(&format!("mannequin.limits.toml: copy it to {limits} for the new file\n")), "{told}");
    std::fs::copy("assets/models/mannequin.limits.toml", limits).unwrap();
    quietly(&["convert", character, "-o", &by_name]);
    quietly(&["convert", character, "--to", "gltf", "-o", &by_flag]);
    assert!(std::fs::read(&by_name).unwrap() == std::fs::read(&by_flag).unwrap());
    let printed = run(&["convert", character, "--to", "gltf", "-o", "-"]);
    assert_eq!((printed.code, printed.err.as_str()), (Some(0), ""));
    assert_eq!(printed.out, std::fs::read_to_string(&by_name).unwrap());
    assert!(printed.out.contains("JOINTS_0"));
}

#[test]
fn a_figure_without_a_known_body_says_how_to_name_its_parts() {
    let folder = Folder::new();
    let text = std::fs::read_to_string("assets/models/puppet.gltf").expect("reads");
    let file = folder.with("bones.gltf", text.replace("puppet:LeftHand\"", "Bone.014\""));
    let said = "not recognised as a person, since no joint's name says left hand: knees, elbows and back bend any way; \
                if it is one, write the names of its joints to a text file bones.limits.toml beside it: names = { left_hand = \"LEFT_WRIST\"";
    let checked = || run(&["check", &file]);
    assert!(checked().out.contains(said), "{}", checked().out);
    folder.with("bones.limits.toml", "[names]\nleft_hand = \"Bone.014\"\n");
    assert!(checked().out.ends_with("human limits on 20 joints)\n"), "{}", checked().out);
    let alone = run(&["check", &folder.at("bones.limits.toml")]);
    assert!(alone.out.contains("this is a limits file, no scene") && alone.code == Some(1), "{}", alone.out);
    // It opens all the same if the table names a joint that is not there, and says where.
    folder.with("bones.limits.toml", "[names]\nleft_hand = \"Bone.14\"\n");
    let ran = checked();
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("bones.limits.toml:2:13: `names.left_hand`: there is no joint `Bone.14`"), "{}", ran.err);
    assert!(ran.err.contains("did you mean `Bone.014`?") && ran.out.contains(said), "{} {}", ran.err, ran.out);
}

#[test]
fn a_recording_of_a_figure_that_does_not_fit_is_refused_with_the_parts() {
    let folder = Folder::new();
    let text = std::fs::read_to_string("assets/models/puppet.gltf").expect("reads");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    let nodes = document["nodes"].as_array_mut().expect("a list");
    let hand = nodes.iter_mut().find(|node| node["name"] == "puppet:RightHand").expect("a hand");
    for number in hand["translation"].as_array_mut().expect("an offset") {
        *number = Value::from(6.0 * number.as_f64().expect("a number"));
    }
    let long = folder.with("long.gltf", document.to_string());
    let recording = "assets/models/puppet.gltf";
    let said = "the recorded figure does not fit: the link of `RightForeArm` to the right hand is 6.00 times as long";
    let (glb, png) = (folder.at("out.glb"), folder.at("out.png"));
    let motion = ["--motion", recording];
    let clip = ["--clip", "Walk"];
    let commands: [(&[&str], Option<i32>); 3] = [
        (&[&["convert", &long, "-o", &glb], &motion[..], &clip].concat(), Some(2)),
        (&[&["render", &long, "-o", &png, "--size", "64x64"], &motion[..], &clip].concat(), Some(2)),
        (&[&["check", &long], &motion[..]].concat(), Some(1)),
    ];
    for (arguments, code) in commands {
        let ran = run(arguments);
        let shown = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, code, "{arguments:?}: {shown}");
        assert!(shown.contains(said) && shown.contains("--match none=JOINT leaves a joint out"), "{shown}");
    }
    assert!(!Path::new(&glb).exists() && !Path::new(&png).exists());
    // Without the hand, the rest fits.
    for arguments in [["convert", &long, "-o", &glb], ["render", &long, "-o", &png]] {
        let ran = run(&[&arguments[..], &motion, &clip, &["--match", "none=puppet:RightHand"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
}

/// A recording does not say which axis points up. The flag says it for the recording too, not only for the scene.
#[test]
fn the_axis_that_points_up_counts_for_the_recording_too() {
    let folder = Folder::new();
    let scene = "up = \"z\"\n[[joint]]\nname = \"hip\"\nkind = \"free\"\n[[joint]]\nname = \"knee\"\nparent = \"hip\"\n\
        offset = [0, 0, -1]\n[[joint]]\nname = \"foot\"\nparent = \"knee\"\noffset = [0, 0.3, -1]\n";
    let recorded = "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
        JOINT knee\n{\nOFFSET 0 0 -1\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT foot\n{\nOFFSET 0 0.6 -1\n\
        CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0.2 0\n}\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n\
        0 0 3 0 0 0 0 0 0 0 0 0\n0 0 4 0 0 0 0 0 0 0 0 0\n";
    let (scene, recorded) = (folder.with("scene.toml", scene), folder.with("walk.bvh", recorded));
    let moved = |more: &[&str]| {
        let out = folder.at("out.csv");
        let ran = run(&[&["convert", &scene, "--motion", &recorded, "-o", &out], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let (header, rows) = csv(&out);
        let column = |name: &str| header.iter().position(|own| own == name).unwrap();
        ["hip.px", "hip.py", "hip.pz"].map(|name| (rows[1][column(name)] - rows[0][column(name)]).abs() > 1e-3)
    };
    assert_eq!(moved(&["--up", "z"]), [false, false, true]);
    assert_eq!(moved(&[]), [false, true, false]);
}
