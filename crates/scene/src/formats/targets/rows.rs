//! The rows of a table of targets.

use super::columns::{TargetColumns, TargetRow};
use crate::Scene;
use crate::blocks::{LineBlocks, Numbered, line_ends, lines};
use crate::files::Files;
use crate::formats::npy::{NpyReader, Shape};
use crate::formats::table::{Content, FileFormat, Reader, Rows};
use std::io::{self, BufRead};
use std::path::Path;

/// Iterates over a table in blocks of rows, which any thread can take apart.
#[derive(Debug)]
pub struct RowBlocks<R> {
    source: Source<R>,
    form: Form,
    /// The first row, if it was read in search of a header.
    first: Option<RowBlock>,
}

#[derive(Debug)]
enum Source<R> {
    Text(LineBlocks<R>),
    Array(NpyReader<R>),
}

/// What the bytes of a block are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Lines. In a table, with this number of lines before its first row, those that start with `#` are skipped.
    Lines { header: Option<u64> },
    /// Rows of an array.
    Array(Shape),
}

/// Whole rows as the input has them, not yet parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBlock {
    bytes: Vec<u8>,
    /// Lines or rows of the input before this block.
    before: u64,
    form: Form,
}

/// As [`read_targets`], from a file.
///
/// # Errors
/// The file cannot be read, or the table is none for this scene.
pub fn open_targets(path: &Path, files: &Files, scene: &Scene) -> Result<(TargetColumns, RowBlocks<Table>), String> {
    read_targets(files.open(path).map_err(|error| format!("cannot be read: {error}"))?, path, scene)
}

/// A table that is read from its start on.
pub type Table = Box<dyn BufRead + Send>;

/// Starts reading a table of targets for a scene: its columns, and its rows, numbered from 1. Where the content does not tell its
/// format, the name of the file does; without an extension, it is text.
pub fn read_targets<R: BufRead>(
    mut input: R,
    path: &Path,
    scene: &Scene,
) -> Result<(TargetColumns, RowBlocks<R>), String> {
    let start = input.fill_buf().map_err(|error| format!("cannot be read: {error}"))?;
    let format = FileFormat::of_content(path, start);
    match format.map(|format| (format.read, format.name)) {
        None | Some((Reader::Targets(Rows::Lines), _)) => {}
        Some((Reader::Targets(Rows::Array), name)) => {
            let reader = NpyReader::new(input).map_err(|error| format!("{name}: {error}"))?;
            let columns = TargetColumns::of_array(scene, reader.shape)?;
            let form = Form::Array(reader.shape);
            return Ok((columns, RowBlocks { source: Source::Array(reader), form, first: None }));
        }
        Some((Reader::Advice(message, remedy), _)) => return Err(format!("{message}\n  {remedy}")),
        Some((_, name)) => {
            let tables = FileFormat::list(|format| format.holds(Content::Targets), "and");
            return Err(format!("this is no table of targets, but {name}\n  tables are {tables}"));
        }
    }
    let mut blocks = LineBlocks::new(input);
    // The lines before the rows come one by one.
    blocks.set_most(1);
    loop {
        let block = blocks.next().map_err(|error| format!("cannot be read: {error}"))?;
        let (before, bytes) = block.ok_or("the table is empty\n  the first line names the columns: x,y,z")?;
        // Blank lines are no lines.
        let Some((number, line)) = lines(before, bytes.clone()).next() else { continue };
        let line = line?;
        if is_remark(&line) {
            continue;
        }
        let (mut columns, is_row) = TargetColumns::of_line(scene, &line)?;
        let header = if is_row { number - 1 } else { number };
        let form = Form::Lines { header: Some(header) };
        let first = is_row.then_some(RowBlock { bytes, before, form });
        blocks.set_most(usize::MAX);
        columns.lines_before = Some(header);
        return Ok((columns, RowBlocks { source: Source::Text(blocks), form, first }));
    }
}

/// Starts reading cases, one per line.
pub fn read_cases<R: BufRead>(input: R) -> RowBlocks<R> {
    RowBlocks { source: Source::Text(LineBlocks::new(input)), form: Form::Lines { header: None }, first: None }
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
        match &mut self.source {
            Source::Text(blocks) => blocks.set_most(most),
            Source::Array(reader) => reader.set_most(most),
        }
        self
    }
}

impl<R: BufRead> Iterator for RowBlocks<R> {
    type Item = io::Result<RowBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let next = match &mut self.source {
            Source::Text(blocks) => blocks.next(),
            Source::Array(reader) => reader.next_block(),
        };
        let form = self.form;
        next.map(|block| block.map(|(before, bytes)| RowBlock { bytes, before, form })).transpose()
    }
}

impl RowBlock {
    /// Number of rows, blank lines and comments included.
    pub fn count(&self) -> usize {
        match self.form {
            Form::Lines { .. } => line_ends(&self.bytes).count(),
            Form::Array(shape) => self.bytes.len() / shape.row_size(),
        }
    }

    /// Adds the block that follows on this one.
    pub fn append(&mut self, next: RowBlock) {
        self.bytes.extend(next.bytes);
    }

    /// The rows with their numbers, counted from 1.
    pub fn rows(self) -> Box<dyn Iterator<Item = Numbered<TargetRow>>> {
        let (count, RowBlock { bytes, before, form }) = (self.count(), self);
        let header = match form {
            Form::Lines { header } => header,
            Form::Array(shape) => {
                let row = move |at: usize| TargetRow::Numbers(shape.row(&bytes, at));
                return Box::new((0..count).map(move |at| (before + at as u64 + 1, Ok(row(at)))));
            }
        };
        let is_row =
            move |(_, line): &Numbered<String>| header.is_none() || !line.as_ref().is_ok_and(|line| is_remark(line));
        let row = move |(number, line): Numbered<String>| (number - header.unwrap_or(0), line.map(TargetRow::Line));
        Box::new(lines(before, bytes).filter(is_row).map(row))
    }
}
