//! Lines of numbers, separated by commas, semicolons, tabs or blanks.

use std::io::{BufRead, Read};

/// Longest line that is read, bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The lines of a table; empty ones and those that begin with `#` are passed over.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    number: usize,
    /// A line that was read to see whether it is a header, and is not.
    held: Option<Vec<String>>,
}

/// What the first line is.
#[derive(Debug, PartialEq)]
pub(super) enum Header {
    /// The names of the columns.
    Names(Vec<String>),
    /// Numbers already, so many.
    None(usize),
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Lines { input, number: 0, held: None }
    }

    /// Looks at the first line.
    pub fn header(&mut self) -> Result<Header, String> {
        let cells = self.cells().ok_or("the table is empty")??;
        if cells.iter().all(|cell| cell.parse::<f64>().is_ok()) {
            let width = cells.len();
            self.held = Some(cells);
            return Ok(Header::None(width));
        }
        Ok(Header::Names(cells))
    }

    /// The numbers of the next line, of which there must be `width`.
    pub fn row(&mut self, width: usize) -> Option<Result<Vec<f64>, String>> {
        let cells = match self.held.take() {
            Some(cells) => Ok(cells),
            None => self.cells()?,
        };
        let number = self.number;
        let read = |cells: Vec<String>| {
            if cells.len() != width {
                return Err(format!("line {number}: expected {width} numbers, found {}", cells.len()));
            }
            let finite = |cell: &String| cell.parse().ok().filter(|value: &f64| value.abs() <= 1e100);
            let value = |cell: &String| {
                let short: String = cell.chars().take(40).collect();
                finite(cell).ok_or_else(|| format!("line {number}: `{short}` is not a finite number"))
            };
            cells.iter().map(value).collect()
        };
        Some(cells.and_then(read))
    }

    /// The cells of the next line that has some.
    fn cells(&mut self) -> Option<Result<Vec<String>, String>> {
        loop {
            let mut line = Vec::new();
            let length = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut line);
            self.number += 1;
            match length {
                Err(error) => return Some(Err(format!("line {}: cannot be read: {error}", self.number))),
                Ok(0) => return None,
                Ok(length) if length as u64 == LONGEST_LINE => {
                    return Some(Err(format!("line {} is longer than {LONGEST_LINE} bytes", self.number)));
                }
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let marks = [',', ';', '\t'];
            let cells = match marks.iter().find(|&&mark| text.contains(mark)) {
                Some(&mark) => text.split(mark).map(|cell| cell.trim().trim_matches('"').to_owned()).collect(),
                None => text.split_whitespace().map(str::to_owned).collect(),
            };
            return Some(Ok(cells));
        }
    }
}
