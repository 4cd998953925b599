//! The rows of a table of targets.

use super::columns::{TargetColumns, TargetRow};
use crate::Scene;
use crate::formats::npy::{self, NpyReader};
use crate::lines::{Lines, Numbered};
use std::io::{self, BufRead};

/// What archives begin with.
const ZIP: &[u8] = b"PK\x03\x04";

/// The rows of a table, as they stand there. An error of one row does not end them; a failure of the input does.
#[derive(Debug)]
pub struct TargetRows<R>(Source<R>);

#[derive(Debug)]
enum Source<R> {
    Csv {
        lines: Lines<R>,
        /// The first line, where it is a row already.
        first: Option<String>,
        /// Lines before the first row.
        before: u64,
    },
    Npy(NpyReader<R>),
}

/// Begins to read a table for a scene's effectors: what its columns mean, and its rows, numbered from 1.
pub fn read_targets<R: BufRead>(mut input: R, scene: &Scene) -> Result<(TargetColumns, TargetRows<R>), String> {
    let start = input.fill_buf().map_err(|error| format!("cannot be read: {error}"))?;
    if start.starts_with(npy::MAGIC) {
        let reader = NpyReader::new(input)?;
        return Ok((TargetColumns::by_place(scene, reader.width())?, TargetRows(Source::Npy(reader))));
    }
    if start.starts_with(ZIP) {
        return Err("this is an archive, as numpy.savez writes it; numpy.save writes an array alone".to_owned());
    }
    let mut lines = Lines::new(input);
    loop {
        let first = lines.next().ok_or("the table is empty\n  its first line names the columns: x,y,z")?;
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
