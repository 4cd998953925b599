//! Writes arrays: of known size at once, or of unknown size row by row.

use super::MAGIC;
use std::io::{self, Seek, SeekFrom, Write};

/// Length of a written header, bytes: a multiple of 64, with room for any number of rows.
const HEADER: usize = 128;
/// The type `float64` in NumPy's notation.
pub(crate) const FLOAT: &str = "<f8";

/// Writes an array of float64 of known size. `numbers` are the elements, row by row.
pub fn write_npy(
    out: &mut (impl Write + ?Sized),
    rows: usize,
    width: usize,
    numbers: impl IntoIterator<Item = f64>,
) -> io::Result<()> {
    out.write_all(&header(FLOAT, rows as u64, Some(width)))?;
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

/// Writes rows of an array of unknown length; `finish` completes the header.
#[derive(Debug)]
pub struct NpyWriter<W> {
    out: W,
    /// Numbers per row.
    width: usize,
    /// Bytes of numbers so far.
    bytes: u64,
}

impl<W: Write + Seek> NpyWriter<W> {
    /// Starts an array of float64 with rows of `width` numbers, at least 1.
    pub fn new(mut out: W, width: usize) -> io::Result<Self> {
        out.write_all(&header(FLOAT, 0, Some(width)))?;
        Ok(NpyWriter { out, width, bytes: 0 })
    }

    /// Writes the next numbers of an array of float64, row by row.
    pub fn write(&mut self, numbers: impl IntoIterator<Item = f64>) -> io::Result<()> {
        for number in numbers {
            self.out.write_all(&number.to_le_bytes())?;
            self.bytes += 8;
        }
        Ok(())
    }

    /// Ends the array, which must consist of whole rows.
    pub fn finish(mut self) -> io::Result<W> {
        let header = header(FLOAT, whole_rows(self.bytes, 8 * self.width)?, Some(self.width));
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header)?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The number of rows, each of `row` bytes, of an array that consists of whole rows.
pub(crate) fn whole_rows(bytes: u64, row: usize) -> io::Result<u64> {
    match row > 0 && bytes.is_multiple_of(row as u64) {
        true => Ok(bytes / row as u64),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "the numbers are not whole rows")),
    }
}

/// A list of texts as an array of strings of equal length, in UTF-32 as NumPy stores them.
pub(crate) fn write_texts<'a>(out: &mut impl Write, texts: impl Iterator<Item = &'a str> + Clone) -> io::Result<()> {
    let longest = texts.clone().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    out.write_all(&header(&format!("<U{longest}"), texts.clone().count() as u64, None))?;
    for text in texts {
        let padded = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        padded.into_iter().try_for_each(|letter| out.write_all(&letter.to_le_bytes()))?;
    }
    Ok(())
}

/// A header of version 1.0, padded with spaces up to the final newline.
pub(crate) fn header(code: &str, rows: u64, width: Option<usize>) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    // Version 1.0 stores the length in two bytes.
    bytes.extend(((HEADER - 10) as u16).to_le_bytes());
    let width = width.map_or(String::new(), |width| format!(" {width}"));
    let text = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': ({rows},{width}), }}");
    bytes.extend(text.bytes());
    bytes.resize(HEADER - 1, b' ');
    bytes.push(b'\n');
    bytes
}
