//! Input in blocks and lines, of bounded size.

use crate::source::decode;
use std::io::{self, Cursor, ErrorKind, Read};

/// Most bytes that are read at once.
const READ: usize = 1 << 19;

/// The mark that some programs put at the start of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Cuts an input into blocks. A block ends where the input has no more bytes ready: rows never wait for later ones.
#[derive(Debug)]
pub(crate) struct Blocks<R> {
    input: R,
    bytes: Vec<u8>,
    /// Start of the bytes that are in no block yet.
    start: usize,
}

impl<R: Read> Blocks<R> {
    pub fn new(input: R) -> Self {
        Blocks { input, bytes: Vec::new(), start: 0 }
    }

    /// The next block; `whole` returns how many of the bytes so far it may consist of. The last block is what is left.
    pub fn next(&mut self, whole: impl Fn(&[u8]) -> usize) -> io::Result<Option<Vec<u8>>> {
        loop {
            let ready = &self.bytes[self.start..];
            let mut end = whole(ready);
            if end == 0 {
                self.bytes.drain(..self.start);
                self.start = 0;
                if self.read()? {
                    continue;
                }
                end = self.bytes.len();
            }
            let block = self.bytes[self.start..][..end].to_vec();
            self.start += end;
            return Ok(Some(block).filter(|block| !block.is_empty()));
        }
    }

    /// Reads the bytes that are ready, at least one. Returns false at the end of the input.
    fn read(&mut self) -> io::Result<bool> {
        let before = self.bytes.len();
        self.bytes.resize(before + READ, 0);
        let count = loop {
            match self.input.read(&mut self.bytes[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                count => break count,
            }
        };
        self.bytes.truncate(before + count.as_ref().copied().unwrap_or(0));
        Ok(count? > 0)
    }
}

/// A text as UTF-8. UTF-16 with a byte order mark, as spreadsheets write it, is read to its end and decoded; anything else comes as
/// it is.
#[derive(Debug)]
struct Utf8<R> {
    input: R,
    has_begun: bool,
    decoded: Cursor<Vec<u8>>,
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.has_begun {
            let count = self.decoded.read(out)?;
            return if count > 0 { Ok(count) } else { self.input.read(out) };
        }
        let mut count = self.input.read(out)?;
        if count == 1 && matches!(out[0], 0xff | 0xfe) && out.len() > 1 {
            count += self.input.read(&mut out[1..2])?;
        }
        self.has_begun = true;
        if !matches!(out[..count], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Ok(count);
        }
        let mut bytes = out[..count].to_vec();
        self.input.read_to_end(&mut bytes)?;
        let text = decode(bytes, "").map_err(|error| io::Error::new(ErrorKind::InvalidData, error.message))?;
        self.decoded = Cursor::new(text.into_bytes());
        self.decoded.read(out)
    }
}

/// A text whose lines end with a line feed, also if they end with a carriage return, or with both, in the input.
#[derive(Debug)]
struct LineFeeds<R> {
    input: Utf8<R>,
    /// Whether the last byte was a carriage return. A line feed that follows belongs to it.
    after_return: bool,
}

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.input.read(out)?;
            if !self.after_return && memchr::memchr(b'\r', &out[..count]).is_none() {
                return Ok(count);
            }
            let mut kept = 0;
            for at in 0..count {
                let byte = out[at];
                let belongs = self.after_return && byte == b'\n';
                self.after_return = byte == b'\r';
                if !belongs {
                    out[kept] = if self.after_return { b'\n' } else { byte };
                    kept += 1;
                }
            }
            // Nothing is left of a line feed alone, but zero bytes would be the end.
            if kept > 0 || count == 0 {
                return Ok(kept);
            }
        }
    }
}

/// A text in blocks of whole lines.
#[derive(Debug)]
pub(crate) struct LineBlocks<R> {
    blocks: Blocks<LineFeeds<R>>,
    /// Lines in the blocks so far.
    lines: u64,
    /// Most lines in a block.
    most: usize,
    /// Whether the last block ended within a line that is too long. The rest of that line is dropped.
    in_long_line: bool,
}

impl<R: Read> LineBlocks<R> {
    pub fn new(input: R) -> Self {
        LineBlocks {
            blocks: Blocks::new(LineFeeds {
                input: Utf8 { input, has_begun: false, decoded: Cursor::default() },
                after_return: false,
            }),
            lines: 0,
            most: usize::MAX,
            in_long_line: false,
        }
    }

    /// Sets the most lines in a block.
    pub fn set_most(&mut self, most: usize) {
        self.most = most.max(1);
    }

    /// The next block, without a byte order mark, with the number of lines before it. Its last line has an end. A line that is too long is cut to a
    /// length that is still too long.
    pub fn next(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        let most = self.most;
        let whole = |bytes: &[u8]| match line_ends(bytes).take(most).last() {
            Some(end) => end + 1,
            None if bytes.len() >= LONGEST_LINE => bytes.len(),
            None => 0,
        };
        while let Some(mut block) = self.blocks.next(whole)? {
            if self.in_long_line {
                let end = line_ends(&block).next();
                block.drain(..end.map_or(block.len(), |end| end + 1));
                self.in_long_line = end.is_none();
            }
            if block.is_empty() {
                continue;
            }
            let before = self.lines;
            if before == 0 && block.starts_with(BYTE_ORDER_MARK) {
                block.drain(..BYTE_ORDER_MARK.len());
            }
            self.in_long_line = block.last() != Some(&b'\n');
            if self.in_long_line {
                block.push(b'\n');
            }
            self.lines += line_ends(&block).count() as u64;
            return Ok(Some((before, block)));
        }
        Ok(None)
    }

    /// The [lines] of all blocks. A failure of the input ends them.
    pub fn lines(mut self) -> impl Iterator<Item = io::Result<Numbered<String>>> {
        std::iter::from_fn(move || self.next().transpose()).flat_map(|block| {
            let (block, failure) = block.map_or_else(|error| (None, Some(Err(error))), |block| (Some(block), None));
            block.into_iter().flat_map(|(before, bytes)| lines(before, bytes)).map(Ok).chain(failure)
        })
    }
}

/// The non-blank lines of an input as they arrive, each with its number, counted from 1. A line that is longer than 4 MiB or not
/// UTF-8 is an error in its place; a failure of the input ends them.
pub fn read_lines<R: Read>(input: R) -> impl Iterator<Item = io::Result<Numbered<String>>> {
    LineBlocks::new(input).lines()
}

/// The indices of the line ends in a text.
pub(crate) fn line_ends(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memchr_iter(b'\n', text)
}

/// Longest line that is read, bytes.
pub(crate) const LONGEST_LINE: usize = 4 << 20;

/// The number of a line or row, with its contents or the error in it.
pub type Numbered<T> = (u64, Result<T, String>);

/// The non-blank lines of a block that follows on this number of lines, without line ends. Each comes with its number, counted
/// from 1 over all lines. A line that is too long or not UTF-8 is an error.
pub(crate) fn lines(before: u64, block: Vec<u8>) -> impl Iterator<Item = Numbered<String>> {
    let (mut start, mut number) = (0, before);
    let lines = std::iter::from_fn(move || {
        let line = &block[start..start + line_ends(&block[start..]).next()?];
        (start, number) = (start + line.len() + 1, number + 1);
        if line.len() >= LONGEST_LINE {
            return Some((number, Err(format!("the line is longer than {} MiB", LONGEST_LINE >> 20))));
        }
        let text = std::str::from_utf8(line).map(str::to_owned);
        Some((number, text.map_err(|_| "the line is not UTF-8 text".to_owned())))
    });
    lines.filter(|(_, line)| line.as_ref().map_or(true, |line| !line.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that has only a few bytes ready at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(out.len()).min(self.0.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    /// The lines of a text by way of blocks are those of the text, with the same numbers, wherever the blocks end.
    #[test]
    fn lines_of_blocks_are_the_lines_of_the_text() {
        let long = vec![b'x'; LONGEST_LINE + 3];
        let texts: [Vec<u8>; 5] = [
            b"".to_vec(),
            b"one\n\ntwo\r\n \nthree".to_vec(),
            b"\n\n\xff\n1,2,3\n".to_vec(),
            [&b"a\n"[..], &long, b"\nb\n\nc"].concat(),
            [&long[..], &long].concat(),
        ];
        for text in &texts {
            let expected: Vec<(u64, Option<&str>)> = (1..)
                .zip(text.split(|byte| *byte == b'\n'))
                .map(|(number, line)| (number, std::str::from_utf8(line).ok().filter(|line| line.len() < LONGEST_LINE)))
                .filter(|(_, line)| line.is_none_or(|line| !line.trim().is_empty()))
                .map(|(number, line)| (number, line.map(str::trim_end)))
                .collect();
            for step in [1, 2, 7, 1 << 20] {
                if text.len() > 100 && step < 100 {
                    continue;
                }
                let mut blocks = LineBlocks::new(Drip(text, step));
                blocks.set_most(step.max(2));
                let found: Vec<_> = blocks.lines().map(|line| line.unwrap_or_else(|e| panic!("{e}"))).collect();
                let found: Vec<_> = found.iter().map(|(number, line)| (*number, line.as_deref().ok())).collect();
                assert_eq!(found, expected, "step {step}");
                if text.len() > 100 {
                    continue;
                }
                for end in ["\r", "\r\n"] {
                    let plain = String::from_utf8_lossy(text).replace("\r\n", "\n");
                    let other = plain.replace('\n', end);
                    let lines = |text: &str| {
                        let lines = LineBlocks::new(Drip(text.as_bytes(), step)).lines();
                        lines.map(|line| line.unwrap_or_else(|e| panic!("{e}"))).collect::<Vec<_>>()
                    };
                    assert_eq!(lines(&other), lines(&plain), "step {step}, {end:?}");
                    for order in [u16::to_le_bytes, u16::to_be_bytes] {
                        let wide: Vec<u8> = format!("\u{feff}{other}").encode_utf16().flat_map(order).collect();
                        let found = LineBlocks::new(Drip(&wide, step)).lines();
                        let found: Vec<_> = found.map(|line| line.unwrap_or_else(|e| panic!("{e}"))).collect();
                        assert_eq!(found, lines(&plain), "step {step}, {end:?}, UTF-16");
                    }
                }
            }
        }
    }
}
