//! Tables of targets: CSV with and without names, NPY, and what is wrong with them.
#![cfg(feature = "files")]
#![allow(clippy::unwrap_used)]

use fabrik3d::DVec3;
use fabrik3d::scene::Scene;
use fabrik3d::scene::targets::{TargetRow, TargetTable, write_npy};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn scene() -> Scene {
    Scene::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/scenes/tree.toml")).unwrap()
}

/// Reads a table of these bytes.
fn read(extension: &str, bytes: &[u8]) -> Result<Vec<Result<TargetRow, String>>, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path: PathBuf =
        std::env::temp_dir().join(format!("fabrik3d-table-{}-{number}.{extension}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let short = |error: fabrik3d::scene::SceneError| error.message;
    let table = TargetTable::open(&path, &scene()).map_err(short);
    let rows = table.map(|table| table.map(|row| row.map_err(short)).collect());
    std::fs::remove_file(path).unwrap();
    rows
}

fn point(x: f64, y: f64, z: f64) -> Option<DVec3> {
    Some(DVec3::new(x, y, z))
}

#[test]
fn columns_go_by_name_or_by_place() {
    let scene = scene();
    let (first, second) = (&scene.effectors[0].name, &scene.effectors[1].name);
    let named = format!("\u{feff}{second}.z,{second}.y,{second}.x\r\n3,2,1\r\n\r\n6,5,4\r\n");
    let mut expected = vec![None; scene.effectors.len()];
    expected[1] = point(1.0, 2.0, 3.0);
    assert_eq!(read("csv", named.as_bytes()).unwrap()[0], Ok(expected.clone()));
    assert_eq!(read("csv", named.as_bytes()).unwrap().len(), 2);
    expected[1] = None;
    expected[0] = point(-1.0, 0.5, 1e-3);
    for text in ["x,y,z\n-1,0.5,1e-3\n", "-1,0.5,1e-3", "# a remark\n-1; 0.5; 1e-3\n", "-1\t0.5\t1e-3", "-1 0.5 1e-3"] {
        assert_eq!(read("csv", text.as_bytes()).unwrap(), [Ok(expected.clone())], "{text:?}");
    }
    let both = format!("{first}.x,{first}.y,{first}.z,{second}_x,{second}_y,{second}_z\n1,2,3,4,5,6\n");
    expected[0] = point(1.0, 2.0, 3.0);
    expected[1] = point(4.0, 5.0, 6.0);
    assert_eq!(read("csv", both.as_bytes()).unwrap(), [Ok(expected.clone())]);
    let mut npy = Vec::new();
    write_npy(&mut npy, &[1, 2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(read("npy", &npy).unwrap(), [Ok(expected)]);
}

#[test]
fn a_bad_row_does_not_end_the_table() {
    let rows = read("csv", b"x,y,z\n1,2,3\n1,2\n1,nan,3\n1,two,3\n7,8,9\n").unwrap();
    let errors: Vec<&str> = rows.iter().filter_map(|row| row.as_ref().err()).map(String::as_str).collect();
    assert_eq!(
        errors,
        [
            "line 3: expected 3 numbers, found 2",
            "line 4: `nan` is not a finite number",
            "line 5: `two` is not a finite number"
        ]
    );
    assert_eq!(rows.iter().filter(|row| row.is_ok()).count(), 2);
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let cases: [(&str, &[u8], &str); 7] = [
        ("csv", b"", "the table is empty"),
        ("csv", b"1,2\n", "there are 2 columns; expected three for each of"),
        ("csv", b"a,b,c\n", "the column `a` is not known"),
        ("csv", b"x,y\n1,2\n", "must be x, y and z, each once"),
        ("npy", b"\x93NUMP", "the file is cut off"),
        ("npy", b"not an array at all", "this is not NPY"),
        ("xls", b"", "the format of this table is not known"),
    ];
    for (extension, bytes, expected) in cases {
        let message = read(extension, bytes).unwrap_err();
        assert!(message.contains(expected), "{message}, expected {expected}");
    }
}
