//! Tables of poses over time.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{FileFormat, Motion, PoseTable, Scene, coordinate_names, read_pose_table};
use std::path::Path;

fn scene(name: &str) -> Scene {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/scenes")).join(name);
    Scene::open(file).unwrap()
}

fn read_table(text: &str, scene: &Scene) -> Result<Option<PoseTable>, String> {
    let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    std::fs::write(file.path(), text).unwrap();
    read_pose_table(file.path(), scene)
}

/// The motion of a table that keeps all limits.
fn read(text: &str, scene: &Scene) -> Result<Option<Motion>, String> {
    let table = read_table(text, scene)?;
    Ok(table.map(|PoseTable { motion, beyond_limits }| {
        assert_eq!(beyond_limits, None);
        motion
    }))
}

/// A motion that is written as CSV reads back: hinges, slides, balls with and without limits, free joints.
#[test]
fn a_written_motion_reads_back() {
    let csv = FileFormat::of(Path::new("a.csv")).unwrap().write_motion.unwrap();
    for name in ["robot-arm.toml", "tree.toml", "humanoid.toml"] {
        let scene = scene(name);
        let mut random = Random::new(6);
        let poses: Vec<_> = (0..20).map(|_| scene.skeleton.random_pose(&mut random)).collect();
        let written = Motion::new("walk", 0.02, poses);
        let mut text = Vec::new();
        csv(&scene, &written, &mut text).unwrap();
        let motion = read(std::str::from_utf8(&text).unwrap(), &scene).unwrap().unwrap();
        assert_eq!(motion.len(), written.len(), "{name}");
        assert!((motion.frame_time - 0.02).abs() < 1e-9, "{name}: {}", motion.frame_time);
        for frame in 0..motion.len() {
            let (own, expected) = (motion.pose(&scene.skeleton, frame), written.pose(&scene.skeleton, frame));
            let mut numbers = scene.pose_numbers(&own).zip(scene.pose_numbers(&expected));
            assert!(numbers.all(|(own, expected)| (own - expected).abs() < 1e-12), "{name}, frame {frame}");
        }
    }
}

#[test]
fn other_tables_are_told_apart_and_faults_are_named() {
    let scene = scene("robot-arm.toml");
    for text in ["", "x,y,z\n1,2,3\n", "gripper.x,gripper.y,gripper.z\n1,2,3\n", "1,2,3\n"] {
        assert_eq!(read(text, &scene), Ok(None), "{text:?}");
    }
    let names = coordinate_names(&scene).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
    let zeros = vec!["0"; coordinate_names(&scene).count()].join(",");
    // Other columns are ignored. A table without times has 30 rows per second, and one if it is short.
    for (rows, frame_time) in [(2, 1.0), (20, 1.0), (21, 1.0 / 30.0)] {
        let text = format!("note,{names}\n{}", format!("a,{zeros}\n").repeat(rows));
        let motion = read(&text, &scene).unwrap().unwrap();
        assert_eq!((motion.len(), motion.frame_time), (rows, frame_time));
    }
    let fault = |text: String| read(&text, &scene).unwrap_err();
    assert!(fault(format!("{names}\n")).contains("the table has no rows"));
    assert!(fault(format!("{names},time\n{zeros},0\n{zeros},1\n{zeros},1.5\n")).contains("not evenly spaced"));
    let wrong = fault(format!("{names}\n{zeros}\n{}\n", zeros.replacen('0', "", 1)));
    assert!(
        wrong.starts_with("line 3: column `") && wrong.ends_with("expected a finite number, found \"\""),
        "{wrong}"
    );
}

#[test]
fn values_beyond_limits_are_told_and_missing_columns_are_named() {
    let scene = scene("robot-arm.toml");
    let names: Vec<String> = coordinate_names(&scene).collect();
    let joints: Vec<usize> = scene.settable_joints().collect();
    // The second joint has limits, far below a hundred turns.
    let joint = &scene.skeleton.joints()[joints[1]].name;
    let names = &names;
    let row = |value: f64| {
        names.iter().map(move |name| if *name == format!("{joint}.angle") { value.to_string() } else { "0".into() })
    };
    let rows = [0.1, 628.0, 628.0].map(|value| row(value).collect::<Vec<_>>().join(","));
    let table = read_table(&format!("{}\n{}\n", names.join(","), rows.join("\n")), &scene).unwrap().unwrap();
    let note = table.beyond_limits.unwrap();
    assert!(
        note.starts_with(&format!("2 values are beyond the limits of the joints: in line 3, {joint} is 628 ")),
        "{note}"
    );
    assert!(table.motion.pose(&scene.skeleton, 1)[joints[1]].value() < 4.0);
    // A wrong name is not another kind of table.
    let renamed = names.join(",").replace(&format!("{joint}.angle"), "joint.angle");
    let fault = read_table(&format!("{renamed}\n{}\n", rows[0]), &scene).unwrap_err();
    assert!(fault.ends_with(&format!("`{joint}.angle` is missing")), "{fault}");
}
