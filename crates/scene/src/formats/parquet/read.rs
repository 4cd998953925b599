//! Reads tables of targets, in blocks of rows.

use super::failure;
use super::types::{ColumnType, can_read, content_of, name};
use crate::cell::{Cell, Content};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, Length, SerializedFileReader};
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads the columns of a file that a table of targets uses, some rows at a time.
pub(crate) struct ParquetReader {
    file: Box<dyn FileReader>,
    /// The columns that are used.
    columns: Vec<UsedColumn>,
    /// The next group of rows.
    group: usize,
    /// The columns of the present group.
    open: Vec<ColumnReader>,
    /// Rows of the present group that are not read yet.
    left: usize,
    /// Rows read so far.
    read: u64,
    /// Most rows in a block.
    most: usize,
}

#[derive(Clone, Copy, Debug)]
struct UsedColumn {
    /// Its place in the file.
    place: usize,
    content: Content,
    /// The definition level of cells that are not empty.
    full: i16,
}

/// Most rows in a block, whatever was asked for.
const MOST: usize = 8192;

/// Some rows of a file: an iterator over their cells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParquetRows {
    columns: Vec<Vec<Cell<'static>>>,
    /// Rows of the file before these.
    before: u64,
    /// Rows that are returned already.
    returned: usize,
    count: usize,
}

/// A file whose columns are known.
pub(crate) struct ParquetFile {
    file: Box<dyn FileReader>,
    /// Length of the file, bytes.
    size: i64,
}

impl ParquetFile {
    /// Reads the table of contents.
    pub fn open(file: File) -> Result<Self, String> {
        let size = i64::try_from(file.len()).unwrap_or(i64::MAX);
        let file = guarded(|| SerializedFileReader::new(file)).map_err(|error| error.to_string())?;
        Ok(ParquetFile { file: Box::new(file), size })
    }

    /// Name, content and type of each column.
    pub fn columns(&self) -> Vec<(String, Content, ColumnType)> {
        let columns = self.file.metadata().file_metadata().schema_descr().columns();
        columns.iter().map(|column| (name(column), content_of(column), column.self_type_ptr())).collect()
    }

    /// Starts reading some of the columns, given by their places.
    pub fn rows(self, places: Vec<usize>) -> Result<ParquetReader, String> {
        let schema = self.file.metadata().file_metadata().schema_descr_ptr();
        let used = |place: usize| {
            let column = schema.column(place);
            UsedColumn { place, content: content_of(&column), full: column.max_def_level() }
        };
        let columns: Vec<UsedColumn> = places.into_iter().map(used).collect();
        for group in self.file.metadata().row_groups() {
            for column in &columns {
                let column = group.columns().get(column.place).ok_or("the file is damaged: some rows lack columns")?;
                self.check(column)?;
            }
        }
        Ok(ParquetReader { file: self.file, columns, group: 0, open: Vec::new(), left: 0, read: 0, most: MOST })
    }

    /// Checks that the part of a column in a group of rows can be read.
    fn check(&self, column: &ColumnChunkMetaData) -> Result<(), String> {
        let name = name(column.column_descr());
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let length = column.compressed_size();
        if start < 0 || length < 0 || start.saturating_add(length) > self.size {
            return Err(format!("the file is damaged: the column `{name}` is outside"));
        }
        match can_read(column.compression()) {
            true => Ok(()),
            false => Err(format!(
                "the column `{name}` is compressed with {}\n  write the file with snappy, zstd or gzip",
                column.compression().to_string().split('(').next().unwrap_or_default()
            )),
        }
    }
}

/// Reads something. On some damaged files the library panics instead of failing.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> io::Result<T> {
    let done = catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(ParquetError::General("a value is impossible".to_owned())));
    done.map_err(|error| match failure(error) {
        error if error.kind() == io::ErrorKind::InvalidData => {
            io::Error::new(io::ErrorKind::InvalidData, format!("the file is damaged: {error}"))
        }
        error => error,
    })
}

impl ParquetReader {
    /// Sets the most rows in a block.
    pub fn set_most(&mut self, most: usize) {
        self.most = most.clamp(1, MOST);
    }

    /// The next rows, at least one.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn next_block(&mut self) -> io::Result<Option<ParquetRows>> {
        while self.left == 0 {
            if self.group == self.file.num_row_groups() {
                return Ok(None);
            }
            guarded(|| self.open_group())?;
        }
        let count = self.left.min(self.most);
        let columns = self.open.iter_mut().zip(&self.columns);
        let columns = guarded(|| columns.map(|(column, used)| cells(column, *used, count)).collect())?;
        let rows = ParquetRows { columns, before: self.read, returned: 0, count };
        self.left -= count;
        self.read += count as u64;
        Ok(Some(rows))
    }

    fn open_group(&mut self) -> Result<(), ParquetError> {
        let group = self.file.get_row_group(self.group)?;
        self.left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        self.open = self.columns.iter().map(|used| group.get_column_reader(used.place)).collect::<Result<_, _>>()?;
        self.group += 1;
        Ok(())
    }
}

impl fmt::Debug for ParquetReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetReader")
            .field("columns", &self.columns)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

/// The next cells of a column.
fn cells(column: &mut ColumnReader, used: UsedColumn, count: usize) -> Result<Vec<Cell<'static>>, ParquetError> {
    let is_unsigned = used.content == Content::Unsigned;
    let full = used.full;
    match column {
        ColumnReader::BoolColumnReader(column) => values(column, full, count, Cell::Flag),
        ColumnReader::Int32ColumnReader(column) => values(column, full, count, |value| match is_unsigned {
            true => Cell::Unsigned(value.cast_unsigned().into()),
            false => Cell::Integer(value.into()),
        }),
        ColumnReader::Int64ColumnReader(column) => values(column, full, count, |value| match is_unsigned {
            true => Cell::Unsigned(value.cast_unsigned()),
            false => Cell::Integer(value),
        }),
        ColumnReader::FloatColumnReader(column) => values(column, full, count, |value| Cell::Number(value.into())),
        ColumnReader::DoubleColumnReader(column) => values(column, full, count, Cell::Number),
        ColumnReader::ByteArrayColumnReader(column) => values(column, full, count, |value: ByteArray| {
            Cell::Text(Cow::Owned(String::from_utf8_lossy(value.data()).into_owned()))
        }),
        // No such column is used.
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            Err(ParquetError::NYI("columns of this type".to_owned()))
        }
    }
}

/// The next cells of a column. Those whose definition level is not `full` are empty.
fn values<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    full: i16,
    count: usize,
    cell: impl Fn(T::T) -> Cell<'static>,
) -> Result<Vec<Cell<'static>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::with_capacity(count));
    let mut records = 0;
    while records < count {
        let (more, ..) = column.read_records(count - records, Some(&mut levels), None, &mut values)?;
        if more == 0 {
            return Err(ParquetError::EOF("a column has fewer rows than the others".to_owned()));
        }
        records += more;
    }
    if full == 0 {
        return Ok(values.into_iter().map(cell).collect());
    }
    let mut values = values.into_iter();
    let mut next = |level| if level == full { values.next().map_or(Cell::Empty, &cell) } else { Cell::Empty };
    Ok(levels.into_iter().map(&mut next).collect())
}

impl ParquetRows {
    /// Number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds the rows that follow on these.
    pub fn append(&mut self, next: ParquetRows) {
        self.columns.iter_mut().zip(next.columns).for_each(|(column, next)| column.extend(next));
        self.count += next.count;
    }
}

/// The rows with their numbers, counted from 1 over the whole file.
impl Iterator for ParquetRows {
    type Item = (u64, Vec<Cell<'static>>);

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.returned;
        if at == self.count {
            return None;
        }
        self.returned += 1;
        let row = self.columns.iter_mut().map(|column| column.get_mut(at).map_or(Cell::Empty, std::mem::take));
        Some((self.before + self.returned as u64, row.collect()))
    }
}
