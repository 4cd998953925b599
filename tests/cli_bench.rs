//! `bench`: tables for people, rows for machines.
#![cfg(feature = "viewer")]
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;
use support::run;

#[test]
fn json_is_a_machine_and_rows() {
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

#[test]
fn a_measurement_that_does_not_exist_is_a_usage_error() {
    let ran = run(&["bench", "speed"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("batch") && ran.err.contains("adversarial"), "{}", ran.err);
}
