//! `convert --targets` with and without `--no-plan`, and with `--max-velocity`.
#![allow(clippy::unwrap_used)]

use crate::support;

use fabrik3d_ik::{Coordinates, Isometry, Kind, Pose};
use fabrik3d_scene::Scene;
use std::f64::consts::{FRAC_PI_3, TAU};
use std::fmt::Write;
use std::path::Path;
use support::run;

const ROBOTS: [&str; 2] = ["assets/models/parallel-axes.urdf", "assets/models/seven-axes.urdf"];
const ROWS: usize = 300;

fn open(robot: &str) -> Scene {
    Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(robot)).unwrap()
}

/// A table of the poses of the tool while the joints swing around the middle of their ranges.
fn swinging(scene: &Scene) -> String {
    let mut table = String::from("x,y,z,qx,qy,qz,qw\n");
    let hand = scene.effectors[0].effector;
    for row in 0..ROWS {
        let mut pose: Pose = scene.skeleton.rest_pose();
        for (joint, value) in pose.iter_mut().enumerate() {
            let Kind::Hinge { range: Some(range), .. } = *scene.skeleton.kind(joint) else { continue };
            let angle = TAU * row as f64 / ROWS as f64 + joint as f64;
            *value = Coordinates::scalar(range.middle() + 0.45 * (range.high() - range.low()) * angle.sin());
        }
        let frame = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, hand.joint);
        let ([x, y, z], [qx, qy, qz, qw]) = (frame.position.to_array(), frame.rotation.to_array());
        writeln!(table, "{x},{y},{z},{qx},{qy},{qz},{qw}").unwrap();
    }
    table
}

/// The rows of a table of joint values: time, then the joints in the order of the file.
fn rows(path: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

/// The largest change of each joint from row to row.
fn largest_changes(rows: &[Vec<f64>]) -> Vec<f64> {
    let change = |at: usize| rows.windows(2).map(|pair| (pair[1][at] - pair[0][at]).abs()).fold(0.0, f64::max);
    (1..rows[0].len()).map(change).collect()
}

/// The number of rows to which a joint turns by more than 60 degrees.
fn jumps(rows: &[Vec<f64>]) -> usize {
    let moved =
        |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).skip(1).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
    rows.windows(2).filter(|pair| moved(pair) > FRAC_PI_3).count()
}

#[test]
fn planned_paths_jump_less_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (table, out) = (folder.path().join("path.csv"), folder.path().join("out.csv"));
    let (table, out) = (table.to_str().unwrap(), out.to_str().unwrap());
    for robot in ROBOTS {
        let scene = open(robot);
        std::fs::write(table, swinging(&scene)).unwrap();
        let ran = run(&["convert", robot, "--targets", table, "--no-plan", "-o", out]);
        assert_eq!(ran.code, Some(0), "{robot}: {}", ran.err);
        assert!(
            ran.err.contains("without --no-plan, the poses of all rows are chosen together"),
            "{robot}: {}",
            ran.err
        );
        let tracked = rows(out);
        let ran = run(&["convert", robot, "--targets", table, "-o", out]);
        let planned = rows(out);
        assert_eq!(ran.code, Some(i32::from(jumps(&planned) > 0)), "{robot}: {}", ran.err);
        assert_eq!(planned.len(), ROWS);
        // All branches of six hinges are known. Of a redundant arm, some poses are.
        let most = if robot == ROBOTS[0] { 0 } else { jumps(&tracked) - 1 };
        assert!(jumps(&planned) <= most, "{robot}: {} jumps, {} row by row", jumps(&planned), jumps(&tracked));
        assert_eq!(ran.err.is_empty(), jumps(&planned) == 0, "{robot}: {}", ran.err);
        // The tool is where the table wants it.
        let hand = scene.effectors[0].effector;
        let targets = rows(table);
        for (target, row) in targets.iter().zip(&planned) {
            let mut pose = scene.skeleton.rest_pose();
            scene.settable_joints().zip(&row[1..]).for_each(|(joint, &value)| pose[joint] = Coordinates::scalar(value));
            let at = scene.skeleton.frame_of(Isometry::IDENTITY, &pose, hand.joint).position;
            let off = at.to_array().iter().zip(target).map(|(at, target)| (at - target).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4 * scene.effector_size(&scene.effectors[0]), "{robot}: {off}");
        }
    }
}

#[test]
fn no_joint_exceeds_its_velocity() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, out) = (at("path.csv"), at("out.csv"));
    let robot = ROBOTS[0];
    let scene = open(robot);
    std::fs::write(&table, swinging(&scene)).unwrap();
    let convert = |flags: &[&str]| {
        let mut arguments = vec!["convert", robot, "--targets", &table, "-o", &out];
        arguments.extend(flags);
        run(&arguments)
    };
    let limits: Vec<f64> = scene.settable_joints().map(|joint| scene.velocity_limits[joint].unwrap()).collect();
    let slow = convert(&["--max-velocity", "file"]);
    assert_eq!(slow.code, Some(0), "{}", slow.err);
    assert!(slow.err.contains("rows were added, so that no joint exceeds its velocity limit"), "{}", slow.err);
    let slow_rows = rows(&out);
    assert!(slow_rows.len() > ROWS);
    for (change, limit) in largest_changes(&slow_rows).iter().zip(&limits) {
        assert!(*change <= limit / 30.0 + 1e-9, "{change} in a frame, the limit is {limit} per second");
    }
    assert!((slow_rows[1][0] - 1.0 / 30.0).abs() < 1e-8, "rows have their times");
    assert_eq!(convert(&["--max-velocity", "file", "--max-velocity", "turn=10"]).code, Some(0));
    assert!(largest_changes(&rows(&out))[0] <= 10_f64.to_radians() / 30.0 + 1e-9);
    assert_eq!(convert(&["--max-velocity", "1e6"]).err, "");

    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(robot)).unwrap();
    let stuck = at("stuck.urdf");
    std::fs::write(&stuck, text.replacen("velocity=\"2.5\"", "velocity=\"0\"", 1)).unwrap();
    let bare = at("bare.urdf");
    std::fs::write(&bare, text.replace("velocity=\"2.5\"", "").replace("velocity=\"3.1\"", "")).unwrap();
    for (robot, flag, part) in [
        (stuck.as_str(), "file", "--max-velocity: `turn`: this joint has to move, but its velocity limit is 0"),
        (bare.as_str(), "file", "--max-velocity: the file has no velocity limits"),
        (robot, "tun=10", "--max-velocity: there is no joint `tun`: did you mean `turn`?"),
        (robot, "1e-9", "so slow that the motion would have more than "),
        (robot, "-1", "expected `file`, or degrees"),
    ] {
        let flag = format!("--max-velocity={flag}");
        let ran = run(&["convert", robot, "--targets", &table, "-o", &out, &flag]);
        assert_eq!(ran.code, Some(2), "{flag}: {}", ran.err);
        assert!(ran.err.contains(part), "{flag}: {}", ran.err);
    }
}

#[test]
fn a_single_added_row_is_counted_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, out) = (at("path.csv"), at("out.csv"));
    let robot = ROBOTS[0];
    let all = swinging(&open(robot));
    std::fs::write(&table, all.lines().take(3).fold(String::new(), |text, line| text + line + "\n")).unwrap();
    let convert = |flags: &[&str]| run(&[&["convert", robot, "--targets", &table, "-o", &out], flags].concat());
    assert_eq!(convert(&[]).code, Some(0));
    let change = largest_changes(&rows(&out)).into_iter().fold(0.0, f64::max);
    // Two thirds of the speed that the two rows need.
    let limit = (change * 30.0 / 1.5).to_degrees();
    let slow = convert(&["--max-velocity", &limit.to_string()]);
    assert!(slow.err.contains("warning: 1 row was added, so that"), "{}", slow.err);
    assert_eq!(rows(&out).len(), 3);
}

/// A table of points around the arm of [`gate`], in degrees.
fn table_of(degrees: &[f64]) -> String {
    let point = |degrees: &f64| format!("{},{},0\n", degrees.to_radians().cos(), degrees.to_radians().sin());
    format!("x,y,z\n{}", degrees.iter().map(point).collect::<String>())
}

/// An arm that turns between two rows, perhaps with a ball in its way.
fn gate(folder: &Path, obstacle: &str) -> String {
    let scene = format!(
        "name = \"gate\"\nkeep_clear = true\n\
         [[joint]]\nname = \"turn\"\nkind = \"hinge\"\naxis = [0, 0, 1]\nrange = [-170, 170]\n\
         [[effector]]\nname = \"tip\"\njoint = \"turn\"\ntip = [1, 0, 0]\ntarget = [1, 0, 0]\n\
         [[capsule]]\njoint = \"turn\"\nfrom = [0.3, 0, 0]\nto = [1, 0, 0]\nradius = 0.05\n{obstacle}"
    );
    let path = folder.join("gate.toml");
    std::fs::write(&path, scene).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn rows_are_added_across_a_jump_only_on_request_and_only_where_links_keep_clear() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, out) = (at("path.csv"), at("out.csv"));
    std::fs::write(&table, table_of(&[151.0, 165.0, -165.0])).unwrap();
    let robot = gate(folder.path(), "");
    let convert = |flags: &[&str]| run(&[&["convert", &robot, "--targets", &table, "-o", &out], flags].concat());
    // From 165 degrees to -165, it has to swing round.
    assert_eq!(convert(&[]).code, Some(1), "a plan that still jumps is none");
    assert_eq!(convert(&["--no-plan"]).code, Some(0), "row by row, a jump is a warning");

    let cut = convert(&["--max-velocity", "90"]);
    assert_eq!(cut.code, Some(1));
    assert!(cut.err.contains("row 3: `turn` jumps by"), "{}", cut.err);
    assert!(cut.err.contains("limit except at the jump; --bridge adds rows there, too"), "{}", cut.err);
    let written = rows(&out);
    assert_eq!((written.len(), jumps(&written)), (7, 1), "4 rows slow the way to the second row down");
    for pair in written.windows(2).filter(|pair| jumps(pair) == 0) {
        assert!(largest_changes(pair)[0] <= 3_f64.to_radians() + 1e-9);
    }

    let bridged = convert(&["--max-velocity", "90", "--bridge"]);
    assert_eq!(bridged.code, Some(1), "the rows of the table still jump");
    assert!(bridged.err.contains("so that no joint exceeds its velocity limit\n"), "{}", bridged.err);
    assert!(largest_changes(&rows(&out))[0] <= 3_f64.to_radians() + 1e-9);

    // Where it only turns far, nothing jumps, and how far the tip leaves the lines is told.
    std::fs::write(&table, table_of(&[-60.0, 0.0, 60.0])).unwrap();
    let wide = convert(&["--max-velocity", "90"]);
    assert_eq!(wide.code, Some(0), "{}", wide.err);
    assert!(wide.err.contains("at most 1.34e-1 and 0.0 degrees off the straight lines"), "{}", wide.err);
    let before = convert(&["--from-start", "--max-velocity", "90"]);
    assert_eq!(rows(&out)[0][1], 0.0, "{}", before.err);

    std::fs::write(&table, table_of(&[151.0, 165.0, -165.0])).unwrap();
    gate(folder.path(), "[[obstacle]]\nsphere = { center = [0.7, 0.7, 0], radius = 0.2 }\n");
    std::fs::remove_file(&out).unwrap();
    assert_eq!(convert(&["--max-velocity", "90"]).code, Some(1), "the rows of the table are clear of the ball");
    std::fs::remove_file(&out).unwrap();
    let refused = convert(&["--max-velocity", "90", "--bridge"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("would be added, but") && refused.err.contains("overlap"), "{}", refused.err);
    assert!(!Path::new(&out).exists(), "nothing is written");
}
