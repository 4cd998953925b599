//! `bench`: tables as text, rows as JSON.
#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::Value;
use std::collections::HashMap;
use support::run;

#[test]
fn json_contains_the_machine_and_the_rows() {
    let ran = run(&["bench", "convergence", "--count", "5", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["machine", "rows"]);
    assert!(document["machine"]["cpu"].is_string());
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6 * 9);
    for row in rows {
        assert!(row["name"].is_string() && row["value"].as_f64() >= Some(0.0) && row["unit"].is_string(), "{row}");
    }
}

#[test]
fn hard_chains_are_all_resolved() {
    let ran = run(&["bench", "adversarial", "--count", "1300", "--seed", "5", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let of = |name: &str| {
        let name = format!("adversarial chains / all / {name}");
        document["rows"].as_array().unwrap().iter().find(|row| row["name"] == name.as_str()).unwrap()["value"].clone()
    };
    assert_eq!((of("cases").as_f64(), of("unresolved").as_f64()), (Some(1300.0), Some(0.0)));
}

/// The values of the rows by name, without nulls.
fn rows(arguments: &[&str]) -> HashMap<String, f64> {
    let ran = run(arguments);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{arguments:?}");
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let rows = document["rows"].as_array().unwrap().iter();
    rows.filter_map(|row| Some((row["name"].as_str()?.to_owned(), row["value"].as_f64()?))).collect()
}

#[test]
fn robots_are_read_from_files() {
    let rows = rows(&["bench", "robots", "assets/models/arm.urdf", "--count", "40", "--json"]);
    let of = |name: &str| rows[&format!("robots / arm, hand / {name}")];
    assert_eq!((of("joints"), rows.get("robots / arm, hand / TRAC-IK")), (4.0, None));
    // The number of problems solved in time depends on the machine. None may fail.
    assert!(of("missed") == 0.0 && of("solved") / 100.0 * 40.0 + of("late") == 40.0, "{rows:?}");
    assert!(of("distance") <= 1e-5 && of("angle") <= 1e-5 && of("violation") <= 1e-12, "{rows:?}");
    assert!(of("mean") > 0.0 && of("median") <= of("95 %") && of("95 %") <= of("99.9 %"), "{rows:?}");
}

#[test]
fn recordings_are_reconstructed() {
    let rows = rows(&["bench", "mocap", "assets/models/two-joints.bvh", "--scale", "1", "--json"]);
    for start in ["each frame from rest", "each frame from the one before"] {
        let median = rows[&format!("two-joints, {start} / the ends / median")];
        assert!((0.0..0.1).contains(&median), "{start}: {median} mm");
    }
}

#[test]
fn skeletons_include_tracking_and_unreachable_targets() {
    let rows = rows(&["bench", "skeletons", "--count", "1", "--json"]);
    let of = |table: &str| rows.keys().filter(|name| name.starts_with(&format!("{table} / "))).count();
    assert!(of("skeletons") > 200 && of("tracking") > 80 && of("out of reach") > 60, "{:?}", rows.keys());
}

#[test]
fn file_arguments_are_checked() {
    for (arguments, expected) in [
        (&["bench", "robots"][..], "bench robots needs files: fabrik3d bench robots FILE..."),
        (&["bench", "paper", "x.urdf"], "bench paper takes no files; robots and mocap do"),
        (&["bench", "mocap", "assets/scenes/demo.toml"], "there is no recorded motion in this file"),
        (&["bench", "robots", "assets/models/arm.urdf", "--tip", "nose"], "there is no tip `nose`"),
    ] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn an_unknown_measurement_is_a_usage_error() {
    let ran = run(&["bench", "speed"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("batch") && ran.err.contains("adversarial"), "{}", ran.err);
}
