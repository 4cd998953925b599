//! Arrays of NumPy: what is written, and what is read of files that others write.
#![allow(clippy::unwrap_used)]

use fabrik3d_scene::{NpyWriter, Scene, read_targets, write_npy};
use glam::DVec3;
use std::io::{self, Cursor};
use std::path::Path;

/// Length of a header that is written, bytes.
const HEADER: usize = 128;

/// The targets of the first `effectors` of a scene, row by row, up to the first failure.
fn read(bytes: &[u8], effectors: usize) -> Result<(Vec<DVec3>, Option<String>), String> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("assets/scenes/tree.toml");
    let scene = Scene::open(&path).unwrap();
    let (columns, rows) = read_targets(bytes, Path::new(""), &scene)?;
    let mut targets = Vec::new();
    for row in rows.rows() {
        let (number, row) = match row {
            Ok(row) => row,
            Err(error) => return Ok((targets, Some(error.to_string()))),
        };
        assert_eq!(number, (targets.len() / effectors + 1) as u64);
        let case = columns.case(&scene, &row.unwrap()).unwrap();
        targets.extend(case.problem.goals[..effectors].iter().map(|goal| goal.target.position.unwrap()));
    }
    Ok((targets, None))
}

#[test]
fn what_is_written_reads_back() -> io::Result<()> {
    let numbers: Vec<f64> = (0..24).map(|at| f64::from(at) * 0.1 - 1.0).collect();
    let mut writer = NpyWriter::new(Cursor::new(Vec::new()), 6)?;
    writer.write(numbers.iter().copied())?;
    let bytes = writer.finish()?.into_inner();
    assert_eq!(bytes.len(), HEADER + 24 * 8);
    assert_eq!(read(&bytes, 2), Ok((numbers.chunks(3).map(DVec3::from_slice).collect(), None)));
    Ok(())
}

#[test]
fn both_writers_write_alike() -> io::Result<()> {
    let mut writer = NpyWriter::new(Cursor::new(Vec::new()), 2)?;
    writer.write([1.0, 2.0, 3.0, f64::NAN])?;
    let mut known = Vec::new();
    write_npy(&mut known, 2, 2, [1.0, 2.0, 3.0, f64::NAN])?;
    assert_eq!(writer.finish()?.into_inner(), known);
    assert!(write_npy(&mut Vec::new(), 2, 3, [0.0; 5]).is_err());
    Ok(())
}

#[test]
fn rows_must_be_whole() -> io::Result<()> {
    let mut writer = NpyWriter::new(Cursor::new(Vec::new()), 3)?;
    writer.write([0.0; 5])?;
    assert!(writer.finish().is_err());
    // The header has room for the largest sizes.
    let mut bytes = Vec::new();
    assert!(write_npy(&mut bytes, usize::MAX, usize::MAX, []).is_err());
    let text = String::from_utf8_lossy(&bytes);
    assert!(bytes.len() == HEADER && text.trim_end().ends_with(&format!("{0}, {0}), }}", usize::MAX)), "{text}");
    Ok(())
}

/// As `numpy.save` writes it, version 1.0.
#[test]
fn files_of_numpy_are_read() {
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let mut header = b"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }".to_vec();
    header.resize(0x75, b' ');
    header.push(b'\n');
    bytes.extend(header);
    [1.0_f32, 2.0, 3.0, -4.0, 5.5].iter().for_each(|number| bytes.extend(number.to_be_bytes()));
    let (rows, failure) = read(&bytes, 1).unwrap();
    assert_eq!(rows, [DVec3::new(1.0, 2.0, 3.0)]);
    let expected = "the file is cut off: its header says 2 rows, and 1 row is there";
    assert!(failure.is_some_and(|failure| failure.starts_with(expected)));
    bytes.extend(6.0_f32.to_be_bytes());
    let whole = vec![DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 5.5, 6.0)];
    assert_eq!(read(&bytes, 1), Ok((whole.clone(), None)));
    // What follows the last row is not ignored.
    bytes.push(0);
    let (rows, failure) = read(&bytes, 1).unwrap();
    assert_eq!(rows, whole);
    assert!(failure.is_some_and(|failure| failure.contains("its header says 2 rows, but there is more after them")));
    for (order, is_read) in [("False", true), ("True ", false), ("1    ", false), ("'no' ", false)] {
        let at = bytes.windows(5).position(|part| part == b"False").unwrap();
        let mut other = bytes.clone();
        other[at..at + 5].copy_from_slice(order.as_bytes());
        assert_eq!(read(&other, 1).is_ok(), is_read, "{order}");
    }
}
