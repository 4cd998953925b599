//! NPY, the array files of NumPy: versions 1 to 3, floats and integers of 4 and 8 bytes, either byte order, row-major.
//!
//! Source: NEP 1, *A Simple File Format for NumPy Arrays*.

mod read;
mod write;

pub(crate) use read::{MAX_WIDTH, NpyReader, Shape};
pub(crate) use write::{FLOAT, header, whole_rows, write_texts};
pub use write::{NpyWriter, write_npy};

use crate::Scene;
use crate::motion::Motion;
use std::io::{self, Write};

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Writes an array with a row for each frame: the coordinates of all joints, in the order of the columns of a CSV table.
pub(crate) fn write_motion(scene: &Scene, motion: &Motion, out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let width = skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum();
    let numbers =
        (0..motion.len()).flat_map(|frame| scene.pose_numbers(&motion.pose(skeleton, frame)).collect::<Vec<f64>>());
    write_npy(out, motion.len(), width, numbers)
}

#[cfg(test)]
mod tests {
    use super::write::HEADER;
    use super::*;
    use std::io::Cursor;

    /// The rows of an array up to the first failure.
    fn read(bytes: &[u8]) -> (Vec<Vec<f64>>, Option<String>) {
        let mut reader = NpyReader::new(bytes).unwrap_or_else(|error| panic!("{error}"));
        let mut rows = Vec::new();
        let failure = loop {
            match reader.next_block() {
                Ok(None) => break None,
                Ok(Some((before, bytes))) => {
                    assert_eq!(before, rows.len() as u64);
                    rows.extend((0..bytes.len() / reader.shape.row_size()).map(|at| reader.shape.row(&bytes, at)));
                }
                Err(error) => break Some(error.to_string()),
            }
        };
        (rows, failure)
    }

    #[test]
    fn what_is_written_reads_back() -> io::Result<()> {
        let numbers: Vec<f64> = (0..24).map(|at| f64::from(at) * 0.1 - 1.0).collect();
        let mut writer = NpyWriter::new(Cursor::new(Vec::new()), 6)?;
        writer.write(numbers.iter().copied())?;
        let bytes = writer.finish()?.into_inner();
        assert_eq!(bytes.len(), HEADER + 24 * 8);
        let rows: Vec<Vec<f64>> = numbers.chunks(6).map(<[f64]>::to_vec).collect();
        assert_eq!(read(&bytes), (rows, None));
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
        assert_eq!(header("<U18446744073709551615", u64::MAX, Some(usize::MAX)).len(), HEADER);
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
        let (rows, failure) = read(&bytes);
        assert_eq!(rows, [[1.0, 2.0, 3.0]]);
        let expected = "the file is cut off: its header says 2 rows, and 1 row is there";
        assert!(failure.is_some_and(|failure| failure.starts_with(expected)));
        bytes.extend(6.0_f32.to_be_bytes());
        let whole = vec![vec![1.0, 2.0, 3.0], vec![-4.0, 5.5, 6.0]];
        assert_eq!(read(&bytes), (whole.clone(), None));
        // What follows the last row is not ignored.
        bytes.push(0);
        let (rows, failure) = read(&bytes);
        assert_eq!(rows, whole);
        assert!(
            failure.is_some_and(|failure| failure.contains("its header says 2 rows, but there is more after them"))
        );
        for (order, is_read) in [("False", true), ("True ", false), ("1    ", false), ("'no' ", false)] {
            let header = String::from_utf8_lossy(&bytes[..128]).into_owned();
            assert!(header.contains("False"));
            let at = bytes.windows(5).position(|part| part == b"False").unwrap_or_default();
            let mut other = bytes.clone();
            other[at..at + 5].copy_from_slice(order.as_bytes());
            assert_eq!(NpyReader::new(other.as_slice()).is_ok(), is_read, "{order}");
        }
    }
}
