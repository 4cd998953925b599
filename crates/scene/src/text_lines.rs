//! Lines of a text of any length, one at a time, so memory stays constant.

use std::io::{self, BufRead, Read};

/// Longest line that is read, bytes.
pub(crate) const LONGEST_LINE: usize = 4 << 20;

/// The non-blank lines of a text, without line ends. Each comes with its number, counted from 1 over all lines. A line that
/// is too long or not UTF-8 is an error; the following lines are still read. A failure of the input ends the iteration.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    number: u64,
    failed: bool,
}

/// The number of a line or row, with its contents or the error in it.
pub type Numbered<T> = (u64, Result<T, String>);

impl<R: BufRead> Lines<R> {
    /// The lines of an input.
    pub fn new(input: R) -> Self {
        Lines::after(0, input)
    }

    /// The lines of a part of a text, which follows on this number of lines.
    pub(crate) fn after(number: u64, input: R) -> Self {
        Lines { input, number, failed: false }
    }

    fn read(&mut self) -> io::Result<Option<Result<String, String>>> {
        let mut bytes = Vec::new();
        if self.input.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.last() != Some(&b'\n') && bytes.len() == LONGEST_LINE {
            self.input.skip_until(b'\n')?;
            return Ok(Some(Err(format!("the line is longer than {} MiB", LONGEST_LINE >> 20))));
        }
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        Ok(Some(String::from_utf8(bytes).map_err(|_| "the line is not UTF-8 text".to_owned())))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Numbered<String>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            self.number += 1;
            match self.read() {
                Ok(None) => return None,
                Ok(Some(Ok(text))) if text.trim().is_empty() => {}
                Ok(Some(line)) => return Some(Ok((self.number, line))),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
