//! Reads arrays, in blocks of rows.

use super::MAGIC;
use crate::blocks::Blocks;
use std::io::{self, ErrorKind, Read};

/// Longest header that is read, bytes.
const MAX_HEADER: usize = 1 << 16;
/// Most numbers per row.
pub(crate) const MAX_WIDTH: usize = 1 << 16;

/// Reads the rows of an array in blocks. All dimensions after the first are flattened.
#[derive(Debug)]
pub(crate) struct NpyReader<R> {
    blocks: Blocks<R>,
    pub shape: Shape,
    /// Rows that are in no block yet; none after an error, or when what follows the last row was looked for.
    left: Option<usize>,
    /// Most rows in a block.
    most: usize,
}

/// How the rows of an array are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Number of rows according to the header.
    pub rows: usize,
    /// Numbers per row, at least one.
    pub width: usize,
    number: Number,
    /// Whether the rows are matrices of four rows of four numbers.
    pub has_transforms: bool,
}

impl<R: Read> NpyReader<R> {
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
        let shape = Shape::parse(&String::from_utf8_lossy(&header))?;
        Ok(NpyReader { blocks: Blocks::new(input), shape, left: Some(shape.rows), most: usize::MAX })
    }

    /// Sets the most rows in a block.
    pub fn set_most(&mut self, most: usize) {
        self.most = most.max(1);
    }

    /// The next rows, as many as the input has ready, at least one: the number of rows before them, and their bytes.
    ///
    /// # Errors
    /// The input cannot be read, it goes on after the last row, or ends before it ([`ErrorKind::UnexpectedEof`]).
    pub fn next_block(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        let (Some(left), rows) = (self.left.take(), self.shape.rows) else { return Ok(None) };
        if left == 0 {
            let Some(_) = self.blocks.next(|bytes| bytes.len().min(1))? else { return Ok(None) };
            let more = format!("its header says {rows} rows, but there is more after them; save all rows as one array");
            return Err(io::Error::new(ErrorKind::InvalidData, more));
        }
        let size = self.shape.row_size();
        let most = left.min(self.most).saturating_mul(size);
        let whole = |bytes: &[u8]| bytes.len().min(most) / size * size;
        let mut bytes = self.blocks.next(whole)?.unwrap_or_default();
        let (count, before) = (bytes.len() / size, rows - left);
        if count == 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, cut_off(rows, before)));
        }
        // A part of a row is left where the file is cut.
        bytes.truncate(count * size);
        self.left = Some(left - count);
        Ok(Some((before as u64, bytes)))
    }
}

impl Shape {
    pub fn row_size(self) -> usize {
        self.width * self.number.size
    }

    /// The numbers of one of the rows that these bytes hold.
    pub fn row(self, bytes: &[u8], at: usize) -> Vec<f64> {
        let row = &bytes[at * self.row_size()..][..self.row_size()];
        row.chunks_exact(self.number.size).map(|bytes| self.number.read(bytes)).collect()
    }

    fn parse(header: &str) -> Result<Shape, String> {
        let code = value(header, "descr").and_then(|text| text.split(['\'', '"']).nth(1)).unwrap_or_default();
        let number = Number::of(code)
            .ok_or_else(|| format!("numbers of type `{code}` are not read; save `array.astype(float)`"))?;
        match value(header, "fortran_order") {
            Some(text) if text.starts_with("True") => {
                return Err("the array is stored column by column; save `numpy.ascontiguousarray(array)`".to_owned());
            }
            Some(text) if !text.starts_with("False") => {
                return Err(
                    "the header does not say whether the array is stored row by row: `fortran_order` must be False"
                        .to_owned(),
                );
            }
            _ => {}
        }
        let shape = value(header, "shape").and_then(|text| text.strip_prefix('(')?.split_once(')'));
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
        if width == 0 {
            return Err(format!("an array of shape ({shape}) holds no numbers"));
        }
        let has_transforms = inner.ends_with(&[4, 4]);
        Ok(Shape { rows, width, number, has_transforms })
    }
}

/// The message for an array that ends before its last row.
fn cut_off(rows: usize, found: usize) -> String {
    let whole = if found == 1 { "row is" } else { "rows are" };
    format!(
        "the file is cut off: its header says {rows} rows, and {found} {whole} there\n  copy it again, or save the array again"
    )
}

/// The text after a key of the header, which is a Python dictionary.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")].iter().find_map(|key| Some(header.find(key)? + key.len()))?;
    Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn read_exact(input: &mut impl Read, bytes: &mut [u8]) -> Result<(), String> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => "the file is cut off".to_owned(),
        _ => format!("cannot be read: {error}"),
    })
}

/// Storage type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number {
    is_float: bool,
    /// Whether the most significant byte comes first.
    is_big: bool,
    size: usize,
}

impl Number {
    fn of(code: &str) -> Option<Self> {
        let (order, kind) = code.split_at_checked(1)?;
        let (is_float, size) = match kind {
            "f4" => (true, 4),
            "f8" => (true, 8),
            "i4" => (false, 4),
            "i8" => (false, 8),
            _ => return None,
        };
        ["<", "=", ">"].contains(&order).then_some(Number { is_float, is_big: order == ">", size })
    }

    /// Reads a number; `bytes` has exactly its size.
    #[inline]
    fn read(self, bytes: &[u8]) -> f64 {
        let mut ordered = [0; 8];
        ordered[..self.size].copy_from_slice(bytes);
        if self.is_big {
            ordered[..self.size].reverse();
        }
        let four = [ordered[0], ordered[1], ordered[2], ordered[3]];
        match (self.is_float, self.size) {
            (true, 4) => f64::from(f32::from_le_bytes(four)),
            (true, _) => f64::from_le_bytes(ordered),
            (false, 4) => f64::from(i32::from_le_bytes(four)),
            (false, _) => i64::from_le_bytes(ordered) as f64,
        }
    }
}
