//! `solve` with Parquet: answers as tables of targets, and the message of a build without it.
#![allow(clippy::unwrap_used)]

use crate::support::{run, run_on};

const ARM: &str = "assets/scenes/robot-arm.toml";
const TABLE: &str =
    "label,x,y,z,id,error\na b,1,0.5,0.5,g1,e1\n\"c,d\",0.8,0.9,-0.6,g2,\nf,nan,0,0,g3,\ng,9,9,9,g4,e4\n";

/// Answers that are written as Parquet and read back as a table have the cells of the answers as CSV.
#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_what_csv_holds() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("in.csv"), TABLE).unwrap();
    let csv = run(&["solve", ARM, "--targets", &at("in.csv"), "--csv"]);
    assert_eq!(csv.code, Some(1), "{}", csv.err);
    let ran = run(&["solve", ARM, "--targets", &at("in.csv"), "-o", &at("out.parquet")]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let again = run(&["solve", ARM, "--targets", &at("out.parquet"), "--csv"]);
    let rows = |text: &str| -> Vec<Vec<String>> {
        let cells = |line: &str| line.replace("\"c,d\"", "c;d").split(',').map(str::to_owned).collect();
        text.lines().map(cells).collect()
    };
    let (first, second) = (rows(&csv.out), rows(&again.out));
    assert_eq!(first.len(), 5);
    for (name, at) in first[0].iter().zip(0..) {
        // Where the effector was is where it should go, so it is not carried. Times differ.
        if ["gripper.x", "gripper.y", "gripper.z", "micros", "id"].contains(&name.as_str()) {
            continue;
        }
        let there = second[0].iter().position(|other| *other == format!("in.{name}"));
        let there =
            there.or_else(|| second[0].iter().rposition(|other| other == name)).unwrap_or_else(|| panic!("{name}"));
        for row in 1..5 {
            assert_eq!(second[row][there], first[row][at], "{name}, row {row}");
        }
    }
    assert_eq!(second[3][0], "g3");
    let piped = run_on(&["solve", ARM, "--targets", "-"], &std::fs::read(at("out.parquet")).unwrap());
    assert!(piped.code == Some(2) && piped.err.contains("cannot be read from a pipe"), "{}", piped.err);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("in.csv"), TABLE).unwrap();
    std::fs::write(at("in.parquet"), "PAR1....PAR1").unwrap();
    let file = at("in.parquet");
    for ran in [
        run(&["solve", ARM, "--targets", &file]),
        run(&["solve", ARM, "--targets", &at("in.csv"), "-o", &at("out.parquet")]),
        run_on(&["solve", ARM, "--targets", "-"], b"PAR1....PAR1"),
    ] {
        assert!(ran.code == Some(2) && ran.err.contains("--features parquet"), "{}", ran.err);
    }
    assert!(run(&["solve", ARM, "--targets", &file]).err.contains("in.parquet: "));
    assert!(!folder.path().join("out.parquet").exists());
}
