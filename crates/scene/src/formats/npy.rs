//! NPY, the array files of NumPy: versions 1 to 3, floats and integers of 4 and 8 bytes, either byte order, row-major.
//!
//! Source: NEP 1, *A Simple File Format for NumPy Arrays*.

use crate::Scene;
use crate::motion::Motion;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longest header that is read, bytes.
const MAX_HEADER: usize = 1 << 16;
/// Most numbers per row.
const MAX_WIDTH: usize = 1 << 16;

/// Iterates over the rows of an array. All dimensions after the first are flattened.
#[derive(Debug)]
pub struct NpyReader<R> {
    input: R,
    rows: usize,
    width: usize,
    next: usize,
    number: Number,
}

/// Storage type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Little4,
    Little8,
    Big4,
    Big8,
    LittleInteger4,
    LittleInteger8,
    BigInteger4,
    BigInteger8,
}

impl Number {
    fn of(code: &str) -> Option<Self> {
        Some(match code {
            "<f4" | "=f4" => Number::Little4,
            "<f8" | "=f8" => Number::Little8,
            ">f4" => Number::Big4,
            ">f8" => Number::Big8,
            "<i4" | "=i4" => Number::LittleInteger4,
            "<i8" | "=i8" => Number::LittleInteger8,
            ">i4" => Number::BigInteger4,
            ">i8" => Number::BigInteger8,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        use Number::{Big4, BigInteger4, Little4, LittleInteger4};
        if matches!(self, Little4 | Big4 | LittleInteger4 | BigInteger4) { 4 } else { 8 }
    }

    /// Reads a number; `bytes` has exactly its size.
    fn read(self, bytes: &[u8]) -> f64 {
        let mut ordered = [0; 8];
        let size = self.size();
        ordered[..size].copy_from_slice(bytes);
        if matches!(self, Number::Big4 | Number::Big8 | Number::BigInteger4 | Number::BigInteger8) {
            ordered[..size].reverse();
        }
        let four = [ordered[0], ordered[1], ordered[2], ordered[3]];
        match self {
            Number::Little4 | Number::Big4 => f64::from(f32::from_le_bytes(four)),
            Number::Little8 | Number::Big8 => f64::from_le_bytes(ordered),
            Number::LittleInteger4 | Number::BigInteger4 => f64::from(i32::from_le_bytes(four)),
            Number::LittleInteger8 | Number::BigInteger8 => i64::from_le_bytes(ordered) as f64,
        }
    }
}

impl<R: Read> NpyReader<R> {
    /// Reads the header.
    pub fn new(mut input: R) -> Result<Self, String> {
        let mut start = [0; 8];
        read_exact(&mut input, &mut start)?;
        if !start.starts_with(MAGIC) {
            return Err("this is not NPY".to_owned());
        }
        let mut length = [0; 4];
        read_exact(&mut input, &mut length[..if start[6] == 1 { 2 } else { 4 }])?;
        let length = u32::from_le_bytes(length) as usize;
        if !(1..=3).contains(&start[6]) || length > MAX_HEADER {
            return Err(format!("NPY version {} with a header of {length} bytes is not supported", start[6]));
        }
        let mut header = vec![0; length];
        read_exact(&mut input, &mut header)?;
        let header = String::from_utf8_lossy(&header).into_owned();
        let code = value(&header, "descr").and_then(|text| text.split(['\'', '"']).nth(1)).unwrap_or_default();
        let number = Number::of(code)
            .ok_or_else(|| format!("numbers of type `{code}` are not read; save `array.astype(float)`"))?;
        if value(&header, "fortran_order").is_some_and(|text| text.starts_with("True")) {
            return Err("the array is stored column by column; save `numpy.ascontiguousarray(array)`".to_owned());
        }
        let shape = value(&header, "shape").and_then(|text| text.strip_prefix('(')?.split_once(')'));
        let shape = shape.ok_or("the header has no shape")?.0;
        let sides = shape.split(',').map(str::trim).filter(|side| !side.is_empty());
        let sides = sides.map(|side| side.parse::<usize>().map_err(|_| format!("the shape ({shape}) is not known")));
        let sides = sides.collect::<Result<Vec<_>, String>>()?;
        // A one-dimensional array is a single row.
        let (rows, inner) = match sides.as_slice() {
            [] => (1, &[][..]),
            [_] => (1, &sides[..]),
            [rows, inner @ ..] => (*rows, inner),
        };
        let width =
            inner.iter().try_fold(1_usize, |width, &side| width.checked_mul(side)).filter(|&width| width <= MAX_WIDTH);
        let width = width.ok_or_else(|| format!("rows of shape ({shape}) are too wide"))?;
        Ok(NpyReader { input, rows, width, next: 0, number })
    }

    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows read so far.
    pub fn rows_read(&self) -> usize {
        self.next
    }

    /// Number of rows according to the header.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl<R: Read> Iterator for NpyReader<R> {
    type Item = Result<Vec<f64>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.rows {
            return None;
        }
        self.next += 1;
        let mut bytes = vec![0; self.width * self.number.size()];
        if read_exact(&mut self.input, &mut bytes).is_err() {
            // The iteration ends after this error.
            let rows = std::mem::replace(&mut self.rows, self.next);
            return Some(Err(format!("the file ends here, but its header says {rows} rows")));
        }
        let numbers: Vec<f64> = bytes.chunks_exact(self.number.size()).map(|bytes| self.number.read(bytes)).collect();
        Some(Ok(numbers))
    }
}

/// The text after a key of the header, which is a Python dictionary.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")].iter().find_map(|key| Some(header.find(key)? + key.len()))?;
    Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn read_exact(input: &mut impl Read, bytes: &mut [u8]) -> Result<(), String> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file is cut off".to_owned(),
        _ => format!("cannot be read: {error}"),
    })
}

/// Writes an array with a row for each frame: the coordinates of all joints, in the order of the columns of a CSV table.
pub(crate) fn write_motion(scene: &Scene, motion: &Motion, out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &scene.skeleton;
    let width = skeleton.joints().iter().map(|joint| joint.kind.coordinate_count()).sum();
    let numbers =
        (0..motion.len()).flat_map(|frame| scene.pose_numbers(&motion.pose(skeleton, frame)).collect::<Vec<f64>>());
    write_npy(out, motion.len(), width, numbers)
}

/// Writes an array of float64 of known size. `numbers` are the elements, row by row.
pub fn write_npy(
    out: &mut (impl Write + ?Sized),
    rows: usize,
    width: usize,
    numbers: impl IntoIterator<Item = f64>,
) -> io::Result<()> {
    out.write_all(&header(rows as u64, width))?;
    let mut count = 0;
    for number in numbers {
        out.write_all(&number.to_le_bytes())?;
        count += 1;
    }
    match rows.checked_mul(width) == Some(count) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "the numbers do not fill the array")),
    }
}

/// Length of a written header, bytes: a multiple of 64, with room for any number of rows.
const HEADER: usize = 128;

/// Writes rows of float64 of unknown number; `finish` completes the header.
#[derive(Debug)]
pub struct NpyWriter<W> {
    out: W,
    width: usize,
    numbers: u64,
}

impl<W: Write + Seek> NpyWriter<W> {
    /// Starts an array with rows of `width` numbers, at least 1.
    pub fn new(mut out: W, width: usize) -> io::Result<Self> {
        out.write_all(&header(0, width))?;
        Ok(NpyWriter { out, width, numbers: 0 })
    }

    /// Writes the next numbers, row by row.
    pub fn write(&mut self, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
        for number in numbers {
            self.out.write_all(&number.to_le_bytes())?;
            self.numbers += 1;
        }
        Ok(())
    }

    /// Ends the array, which must consist of whole rows.
    pub fn finish(mut self) -> io::Result<W> {
        let width = self.width as u64;
        if width == 0 || !self.numbers.is_multiple_of(width) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the numbers are not whole rows"));
        }
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header(self.numbers / width, self.width))?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A header of version 1.0, padded with spaces up to the final newline.
fn header(rows: u64, width: usize) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    // Version 1.0 stores the length in two bytes.
    bytes.extend(((HEADER - 10) as u16).to_le_bytes());
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {width}), }}");
    bytes.extend(text.bytes());
    bytes.resize(HEADER - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn what_is_written_reads_back() -> io::Result<()> {
        let numbers: Vec<f64> = (0..24).map(|at| f64::from(at) * 0.1 - 1.0).collect();
        let mut writer = NpyWriter::new(Cursor::new(Vec::new()), 6)?;
        writer.write(numbers.iter().copied())?;
        let bytes = writer.finish()?.into_inner();
        assert_eq!(bytes.len(), HEADER + 24 * 8);
        let reader = NpyReader::new(bytes.as_slice()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((reader.rows(), reader.width()), (4, 6));
        let rows: Result<Vec<Vec<f64>>, String> = reader.collect();
        assert_eq!(rows.map(|rows| rows.concat()), Ok(numbers));
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
        assert_eq!(header(u64::MAX, usize::MAX).len(), HEADER);
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
        let mut reader = NpyReader::new(bytes.as_slice()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(reader.next(), Some(Ok(vec![1.0, 2.0, 3.0])));
        assert_eq!(reader.next(), Some(Err("the file ends here, but its header says 2 rows".to_owned())));
        assert_eq!(reader.next(), None);
    }
}
