//! Parquet, the column files of data engines: tables of targets and answers, in constant memory.
//!
//! Source: *Apache Parquet Format*, version 2. Without the feature `parquet`, `absent.rs` takes the place of this module.

mod read;
mod types;
mod write;

pub(crate) use read::{ParquetFile, ParquetReader, ParquetRows};
pub(crate) use types::ColumnType;
pub use write::{AnswerRows, ParquetWriter};

use parquet::errors::ParquetError;
use std::io;

/// The first bytes of every file, and the last ones.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// Why Parquet cannot be read as a stream.
pub(crate) const NO_STREAM: &str = "Parquet cannot be read from a pipe: its table of contents is at the end\n  \
    give the path of the file";

/// An error of the library as one of the input or output.
fn failure(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
