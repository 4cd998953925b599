//! The rows of a table of targets.

use super::columns::{TargetColumns, TargetRow};
use crate::Scene;
use crate::formats::npy::{self, NpyReader};
use crate::text_lines::{Lines, Numbered};
use std::io::{self, BufRead};

/// The first bytes of a ZIP archive.
const ZIP: &[u8] = b"PK\x03\x04";

/// Iterates over the rows of a table. An error in a row does not end the iteration; a failure of the input does.
#[derive(Debug)]
pub struct TargetRows<R>(Source<R>);

#[derive(Debug)]
enum Source<R> {
    Csv {
        lines: Lines<R>,
        /// The first line, if it is a row.
        first: Option<String>,
        /// Lines before the first row.
        before: u64,
    },
    Npy(NpyReader<R>),
}

/// Starts reading a table of targets for a scene: its columns, and its rows, numbered from 1.
pub fn read_targets<R: BufRead>(mut input: R, scene: &Scene) -> Result<(TargetColumns, TargetRows<R>), String> {
    let start = input.fill_buf().map_err(|error| format!("cannot be read: {error}"))?;
    if start.starts_with(npy::MAGIC) {
        let reader = NpyReader::new(input)?;
        return Ok((TargetColumns::by_position(scene, reader.width())?, TargetRows(Source::Npy(reader))));
    }
    if start.starts_with(ZIP) {
        return Err("this is an archive as written by numpy.savez; write a single array with numpy.save".to_owned());
    }
    let mut lines = Lines::new(input);
    loop {
        let first = lines.next().ok_or("the table is empty\n  the first line names the columns: x,y,z")?;
        let (number, line) = first.map_err(|error| format!("cannot be read: {error}"))?;
        let line = line?;
        let line = line.trim_start_matches('\u{feff}');
        if is_remark(line) {
            continue;
        }
        let (columns, is_row) = TargetColumns::of_line(scene, line)?;
        let (first, before) = if is_row { (Some(line.to_owned()), number - 1) } else { (None, number) };
        return Ok((columns, TargetRows(Source::Csv { lines, first, before })));
    }
}

fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

impl<R: BufRead> Iterator for TargetRows<R> {
    type Item = io::Result<Numbered<TargetRow>>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Csv { first, .. } if first.is_some() => first.take().map(|line| Ok((1, Ok(TargetRow::Line(line))))),
            Source::Csv { lines, before, .. } => {
                let line = lines.find(|line| !matches!(line, Ok((_, Ok(text))) if is_remark(text)))?;
                Some(line.map(|(number, text)| (number - *before, text.map(TargetRow::Line))))
            }
            Source::Npy(reader) => {
                let row = reader.next()?;
                let number = reader.rows_read() as u64;
                Some(Ok((number, row.map(TargetRow::Numbers))))
            }
        }
    }
}
