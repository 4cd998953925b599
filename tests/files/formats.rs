//! What a file is: its content tells it, whatever its name, and what is wrong with it is told in the terms of its own format.
#![allow(clippy::unwrap_used)]

use fabrik3d_ik::random::Random;
use fabrik3d_scene::{AnswerArrays, FileFormat, Files, Motion, NpzWriter, Scene, open_targets, write_npy};
use fabrik3d_viewer::session::{MotionCommand, Session, SessionCommand};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Words by which messages name formats, each with the extensions of the files that they are right about.
const WORDS: [(&str, &[&str]); 9] = [
    ("CSV", &["csv", "tsv", "txt"]),
    ("NPY", &["npy"]),
    ("NumPy", &["npy"]),
    ("ZIP", &["npz", "zip"]),
    ("Parquet", &["parquet"]),
    ("BVH", &["bvh"]),
    ("glTF", &["gltf", "glb"]),
    ("URDF", &["urdf"]),
    ("TOML", &["toml"]),
];

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

fn arm() -> Scene {
    Scene::open(asset("models/robot-arm.urdf")).unwrap()
}

/// Every format of motion and of tables of targets, by extension.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let (scene, mut random) = (arm(), Random::new(5));
    let poses = (0..12).map(|_| scene.skeleton.random_pose(&mut random)).collect();
    let motion = Motion::new("motion", 0.1, poses);
    let written = |extension: &str| {
        let mut bytes = Vec::new();
        let write = FileFormat::with_extension(extension).unwrap().write_motion.unwrap();
        write(&scene, &motion, &mut bytes).unwrap();
        bytes
    };
    let rows: Vec<f64> = (0..60).map(|_| random.range(-1.0, 1.0)).collect();
    let table = |separator: &str| {
        let line = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(separator);
        let lines: Vec<String> = rows.chunks(3).map(line).collect();
        format!("{}\n{}\n", ["x", "y", "z"].join(separator), lines.join("\n")).into_bytes()
    };
    let mut array = Vec::new();
    write_npy(&mut array, 20, 3, rows.iter().copied()).unwrap();
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()), vec!["a".to_owned()], &std::env::temp_dir()).unwrap();
    let (reached, zeros) = (vec![true; 60], vec![0.0; 60]);
    let answers = AnswerArrays {
        angles: rows.clone(),
        reached,
        distance: zeros.clone(),
        angle: zeros,
        ..AnswerArrays::default()
    };
    archive.write(&answers).unwrap();
    vec![
        ("csv", table(",")),
        ("tsv", table("\t")),
        ("txt", table(" ")),
        ("csv", written("csv")),
        ("npy", array),
        ("npy", written("npy")),
        ("npz", archive.finish().unwrap().into_inner()),
        ("parquet", [&b"PAR1\x15\x04\x15\x90"[..], &[7; 300], b"PAR1"].concat()),
        ("bvh", std::fs::read(asset("models/two-joints.bvh")).unwrap()),
        ("gltf", std::fs::read(asset("models/puppet.gltf")).unwrap()),
        ("glb", std::fs::read(asset("models/tube.glb")).unwrap()),
    ]
}

/// What each way to read a file says of it: as a scene, as targets and as motion.
fn complaints(file: &Path, scene: &Scene) -> Vec<String> {
    let mut session = Session::new(scene.clone());
    let motion = MotionCommand::Open(file.to_owned(), Vec::new(), None);
    let targets = open_targets(file, &Files::default(), scene).and_then(|(_, rows)| {
        for row in rows.rows() {
            row.map_err(|error| error.to_string())?.1?;
        }
        Ok(())
    });
    let said = [
        Scene::open(file).err().map(|error| error.to_string()),
        targets.err(),
        session.apply(&SessionCommand::Motion(motion)).err().map(|error| error.to_string()),
    ];
    said.into_iter().flatten().collect()
}

/// The words in the first line of a message that name another format than that of the file.
fn wrong_names(said: &str, file: &Path) -> Vec<&'static str> {
    let (extension, line) = (file.extension().unwrap().to_str().unwrap(), said.lines().next().unwrap_or_default());
    let line = line.replace(&file.display().to_string(), "");
    let is_wrong = |(word, right): &&(&str, &[&str])| line.contains(word) && !right.contains(&extension);
    WORDS.iter().filter(is_wrong).map(|(word, _)| *word).collect()
}

#[test]
fn damaged_files_are_told_in_the_terms_of_their_own_format() {
    let (folder, scene, mut random) = (tempfile::tempdir().unwrap(), arm(), Random::new(6));
    for (at, (extension, bytes)) in files().into_iter().enumerate() {
        let file = folder.path().join(format!("file.{extension}"));
        for case in 0..60 {
            let mut damaged = bytes.clone();
            if case % 2 == 0 {
                // Many cuts near the start, where the format is told.
                let most = if case % 4 == 0 { damaged.len() } else { 16 };
                damaged.truncate(random.index(most));
            } else {
                for _ in 0..1 + random.index(4) {
                    let most = if case % 4 == 1 { damaged.len() } else { 12 };
                    let place = random.index(most);
                    damaged[place] = random.index(256) as u8;
                }
            }
            std::fs::write(&file, &damaged).unwrap();
            for said in complaints(&file, &scene) {
                let wrong = wrong_names(&said, &file);
                assert!(wrong.is_empty(), "file {at}, case {case}: {wrong:?} in {said}");
            }
        }
    }
}

/// With another extension, one that nothing has, or none, a file is what it is by its content; where that may be anything, by its
/// name.
#[test]
fn the_content_tells_what_a_file_is() {
    let (folder, scene) = (tempfile::tempdir().unwrap(), arm());
    let marked = ["npy", "npz", "parquet", "bvh", "glb"];
    for (extension, bytes) in files().into_iter().filter(|(extension, _)| marked.contains(extension)) {
        let named = folder.path().join(format!("file.{extension}"));
        std::fs::write(&named, &bytes).unwrap();
        let own = complaints(&named, &scene).join("\n").replace(&named.display().to_string(), "FILE");
        for other in ["file", "file.data", "file.csv", "file.bvh", "file.npy", "file.urdf", "file.toml"] {
            let file = folder.path().join(other);
            std::fs::write(&file, &bytes).unwrap();
            let said = complaints(&file, &scene).join("\n").replace(&file.display().to_string(), "FILE");
            assert_eq!(said, own, "{extension} as {other}");
        }
    }
    let robot = std::fs::read_to_string(asset("models/robot-arm.urdf")).unwrap();
    for text in [robot.clone(), format!("\u{feff}{robot}"), robot.replacen("<robot", "<!-- a robot -->\n<robot", 1)] {
        let file = folder.path().join("description");
        std::fs::write(&file, text).unwrap();
        assert_eq!(Scene::open(&file).unwrap().skeleton, scene.skeleton);
    }
}
