//! The rows of a table of targets.

use super::columns::{TargetColumns, TargetRow};
use crate::Scene;
use crate::blocks::{LineBlocks, Lines, Numbered, line_ends};
use crate::formats::npy::{self, NpyReader, NpyRows};
use std::io::{self, BufRead};

/// The first bytes of files that people have targets in too, and what to do with them.
const REFUSED: [(&[u8], &str); 2] = [
    (b"PK\x03\x04", "this is an archive as written by numpy.savez; write a single array with numpy.save"),
    (
        b"PAR1",
        "this is Parquet, which is not read\n  \
        pandas makes a table of it: pandas.read_parquet(\"targets.parquet\").to_csv(\"targets.csv\", index=False)",
    ),
];

/// Iterates over a table in blocks of rows, which any thread can take apart.
#[derive(Debug)]
pub struct RowBlocks<R>(Source<R>);

#[derive(Debug)]
enum Source<R> {
    Text {
        blocks: LineBlocks<R>,
        /// The first row, if it was read in search of a header.
        first: Option<RowBlock>,
        /// Lines before the first row.
        header: u64,
        remarks: Remarks,
    },
    Array(NpyReader<R>),
}

/// Whether lines that start with `#` are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remarks {
    Skip,
    Keep,
}

/// Whole rows as the input has them, not yet parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBlock(Content);

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Text {
        bytes: Vec<u8>,
        /// Lines of the input before this block.
        before: u64,
        /// Lines before the first row.
        header: u64,
        remarks: Remarks,
    },
    Array(NpyRows),
}

/// Starts reading a table of targets for a scene: its columns, and its rows, numbered from 1.
pub fn read_targets<R: BufRead>(mut input: R, scene: &Scene) -> Result<(TargetColumns, RowBlocks<R>), String> {
    let start = input.fill_buf().map_err(|error| format!("cannot be read: {error}"))?;
    if start.starts_with(npy::MAGIC) {
        let reader = NpyReader::new(input)?;
        let columns = TargetColumns::by_position(scene, reader.width())?;
        return Ok((columns, RowBlocks(Source::Array(reader))));
    }
    if let Some((_, advice)) = REFUSED.iter().find(|(first, _)| start.starts_with(first)) {
        return Err((*advice).to_owned());
    }
    let mut blocks = LineBlocks::new(input);
    // The lines before the rows come one by one.
    blocks.set_most(1);
    loop {
        let block = blocks.next().map_err(|error| format!("cannot be read: {error}"))?;
        let (before, bytes) = block.ok_or("the table is empty\n  the first line names the columns: x,y,z")?;
        // Blank lines are no lines. Memory does not fail.
        let Some(Ok((number, line))) = Lines::after(before, &bytes[..]).next() else { continue };
        let line = line?;
        if is_remark(&line) {
            continue;
        }
        let (columns, is_row) = TargetColumns::of_line(scene, &line)?;
        let (header, remarks) = (if is_row { number - 1 } else { number }, Remarks::Skip);
        let first = is_row.then_some(RowBlock(Content::Text { bytes, before, header, remarks }));
        blocks.set_most(usize::MAX);
        return Ok((columns.after_lines(header), RowBlocks(Source::Text { blocks, first, header, remarks })));
    }
}

/// Starts reading cases, one per line.
pub fn read_cases<R: BufRead>(input: R) -> RowBlocks<R> {
    RowBlocks(Source::Text { blocks: LineBlocks::new(input), first: None, header: 0, remarks: Remarks::Keep })
}

fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

impl<R: BufRead> RowBlocks<R> {
    /// The rows one by one. An error in a row does not end them; a failure of the input does.
    pub fn rows(self) -> impl Iterator<Item = io::Result<Numbered<TargetRow>>> {
        self.flat_map(|block| {
            let (rows, failure) =
                block.map_or_else(|error| (None, Some(Err(error))), |block| (Some(block.rows()), None));
            rows.into_iter().flatten().map(Ok).chain(failure)
        })
    }

    /// The same blocks with at most this number of rows each.
    #[must_use]
    pub fn with_most_rows(mut self, most: usize) -> Self {
        match &mut self.0 {
            Source::Text { blocks, .. } => blocks.set_most(most),
            Source::Array(reader) => reader.set_most(most),
        }
        self
    }
}

impl<R: BufRead> Iterator for RowBlocks<R> {
    type Item = io::Result<RowBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Text { first, .. } if first.is_some() => first.take().map(Ok),
            Source::Text { blocks, header, remarks, .. } => {
                let (header, remarks) = (*header, *remarks);
                let block = |(before, bytes)| RowBlock(Content::Text { bytes, before, header, remarks });
                blocks.next().map(|next| next.map(block)).transpose()
            }
            Source::Array(reader) => {
                reader.next_block().map(|next| next.map(|rows| RowBlock(Content::Array(rows)))).transpose()
            }
        }
    }
}

impl RowBlock {
    /// Number of rows, blank lines and comments included.
    pub fn count(&self) -> usize {
        match &self.0 {
            Content::Text { bytes, .. } => line_ends(bytes).count(),
            Content::Array(rows) => rows.count(),
        }
    }

    /// Adds the block that follows on this one.
    pub fn append(&mut self, next: RowBlock) {
        match (&mut self.0, next.0) {
            (Content::Text { bytes, .. }, Content::Text { bytes: next, .. }) => bytes.extend(next),
            (Content::Array(rows), Content::Array(next)) => rows.append(next),
            // An input has blocks of one kind.
            _ => {}
        }
    }

    /// The rows with their numbers, counted from 1.
    pub fn rows(self) -> Box<dyn Iterator<Item = Numbered<TargetRow>>> {
        match self.0 {
            Content::Text { bytes, before, header, remarks } => {
                let lines = Lines::after(before, io::Cursor::new(bytes)).map_while(Result::ok);
                let is_row = move |(_, line): &Numbered<String>| {
                    remarks == Remarks::Keep || !line.as_ref().is_ok_and(|line| is_remark(line))
                };
                let row = move |(number, line): Numbered<String>| (number - header, line.map(TargetRow::Line));
                Box::new(lines.filter(is_row).map(row))
            }
            Content::Array(rows) => Box::new(rows.map(|(number, row)| (number, Ok(TargetRow::Numbers(row))))),
        }
    }
}
