//! Parquet in a build without the feature `parquet`: messages that say how to get it.

use crate::Scene;
use crate::cell::{Cell, Content};
use crate::formats::carried::CarriedColumns;
use crate::outcome::Outcome;
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

const ABSENT: &str = "this build does not have Parquet\n  \
    build it with `cargo install --path . --features parquet`, or convert the table to CSV or NPY";
/// Why Parquet cannot be read as a stream.
pub(crate) const NO_STREAM: &str = ABSENT;

/// The type of a column in a file. There is none.
pub(crate) type ColumnType = Arc<Infallible>;

/// Rows of a file. There are none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParquetRows(Infallible);

/// A file that is read. There is none.
#[derive(Debug)]
pub(crate) struct ParquetReader(Infallible);

/// A file whose columns are known. There is none.
pub(crate) struct ParquetFile(Infallible);

impl ParquetFile {
    /// Fails.
    pub fn open(_: File) -> Result<Self, String> {
        Err(ABSENT.to_owned())
    }

    pub fn columns(&self) -> Vec<(String, Content, ColumnType)> {
        match self.0 {}
    }

    pub fn rows(self, _: Vec<usize>) -> Result<ParquetReader, String> {
        match self.0 {}
    }
}

impl ParquetReader {
    pub fn set_most(&mut self, _: usize) {
        match self.0 {}
    }

    pub fn next_block(&mut self) -> io::Result<Option<ParquetRows>> {
        match self.0 {}
    }
}

impl ParquetRows {
    pub fn count(&self) -> usize {
        match self.0 {}
    }

    pub fn append(&mut self, _: ParquetRows) {
        match self.0 {}
    }
}

impl Iterator for ParquetRows {
    type Item = (u64, Vec<Cell<'static>>);

    fn next(&mut self) -> Option<Self::Item> {
        match self.0 {}
    }
}

/// Answers as rows of a Parquet file. This build cannot write them.
#[derive(Clone, Debug, Default)]
pub struct AnswerRows;

impl AnswerRows {
    /// Removes all rows.
    pub fn clear(&mut self) {}

    /// Does nothing.
    pub fn push(&mut self, _: &Scene, _: Cell<'_>, _: &Outcome, _: &[Cell<'_>]) {}

    /// Does nothing.
    pub fn push_error(&mut self, _: &Scene, _: Cell<'_>, _: &str, _: &[Cell<'_>]) {}
}

/// Writes Parquet. This build has no such writer.
#[derive(Debug)]
pub struct ParquetWriter<W>(Infallible, PhantomData<W>);

impl<W> ParquetWriter<W> {
    /// Fails with the way to get Parquet.
    pub fn new(_: W, _: &Scene, _: &CarriedColumns) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, ABSENT))
    }

    /// Adds answers.
    pub fn write(&mut self, _: &AnswerRows) -> io::Result<()> {
        match self.0 {}
    }

    /// Completes the file.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {}
    }
}
