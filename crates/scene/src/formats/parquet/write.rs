//! Writes answers. The columns are those of CSV: numbers, integers and texts with their types.

use super::failure;
use super::types::named;
use crate::Scene;
use crate::cell::Cell;
use crate::formats::answer_row::{answer_names, error_cells, outcome_cells};
use crate::formats::carried::{CarriedColumns, Ids};
use crate::outcome::Outcome;
use parquet::basic::{Compression, LogicalType, Type as Physical};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::io::{self, Write};

/// Rows in a group. They wait in memory until the group is complete.
const GROUP: usize = 1 << 15;

/// The names of the columns that hold texts, flags and integers. The others hold numbers.
const TEXTS: [&str; 2] = ["stop", "message"];
const INTEGERS: [&str; 2] = ["iterations", "attempts"];

/// Answers as rows of cells.
#[derive(Clone, Debug, Default)]
pub struct AnswerRows {
    /// Row after row.
    cells: Vec<Cell<'static>>,
}

impl AnswerRows {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    /// Adds the answer to a solved row.
    pub fn push(&mut self, scene: &Scene, id: Cell<'_>, outcome: &Outcome, carried: &[Cell<'_>]) {
        outcome_cells(scene, id, outcome, carried, |cell| self.cells.push(cell.into_owned()));
    }

    /// Adds the answer to a row that is not solved.
    pub fn push_error(&mut self, scene: &Scene, id: Cell<'_>, message: &str, carried: &[Cell<'_>]) {
        error_cells(scene, id, message, carried, |cell| self.cells.push(cell.into_owned()));
    }
}

/// Writes answers as Parquet, compressed with Snappy. Memory stays constant.
#[derive(Debug)]
pub struct ParquetWriter<W: Write + Send> {
    out: SerializedFileWriter<W>,
    width: usize,
    /// The rows of the next group.
    waiting: Vec<Cell<'static>>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Starts a file. Ids and other columns that come from a table of Parquet keep their types; those from CSV and JSON
    /// are texts.
    pub fn new(out: W, scene: &Scene, carried: &CarriedColumns) -> io::Result<Self> {
        let fields = fields(scene, carried).map_err(failure)?;
        let width = fields.len();
        let mut properties =
            WriterProperties::builder().set_compression(Compression::SNAPPY).set_dictionary_enabled(false);
        for field in fields.iter().filter(|field| field.get_physical_type() == Physical::BYTE_ARRAY) {
            let path = ColumnPath::new(vec![field.name().to_owned()]);
            properties = properties.set_column_dictionary_enabled(path, true);
        }
        let schema = Type::group_type_builder("answers").with_fields(fields).build().map_err(failure)?;
        let out = SerializedFileWriter::new(out, schema.into(), properties.build().into()).map_err(failure)?;
        Ok(ParquetWriter { out, width, waiting: Vec::new() })
    }

    /// Adds answers.
    pub fn write(&mut self, answers: &AnswerRows) -> io::Result<()> {
        self.waiting.extend_from_slice(&answers.cells);
        while self.waiting.len() >= GROUP * self.width {
            self.write_group(GROUP)?;
        }
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.waiting.is_empty() {
            self.write_group(self.waiting.len() / self.width)?;
        }
        self.out.into_inner().map_err(failure)
    }

    /// Writes the first rows that wait as a group.
    fn write_group(&mut self, rows: usize) -> io::Result<()> {
        let cells: Vec<Cell<'static>> = self.waiting.drain(..rows * self.width).collect();
        let mut write = || {
            let mut group = self.out.next_row_group()?;
            let mut first = 0;
            while let Some(mut column) = group.next_column()? {
                write_column(column.untyped(), cells.iter().skip(first).step_by(self.width))?;
                column.close()?;
                first += 1;
            }
            group.close().map(drop)
        };
        write().map_err(failure)
    }
}

/// The columns of a file of answers.
fn fields(scene: &Scene, carried: &CarriedColumns) -> Result<Vec<TypePtr>> {
    let names = answer_names(scene, carried.columns.iter().map(|(name, _)| name.as_str()));
    let (own, copied) = names.split_at(names.len() - carried.columns.len());
    let field = |name: &String| match name.as_str() {
        "id" => match &carried.ids {
            Ids::Like(kind) => named(kind, name),
            Ids::Numbers => field(name, Physical::INT64),
            Ids::Texts => text_field(name),
        },
        "reached" => field(name, Physical::BOOLEAN),
        word if TEXTS.contains(&word) => text_field(name),
        word if INTEGERS.contains(&word) => field(name, Physical::INT64),
        _ => field(name, Physical::DOUBLE),
    };
    let like = |(name, (_, kind)): (&String, &(String, Option<TypePtr>))| match kind {
        Some(kind) => named(kind, name),
        None => text_field(name),
    };
    own.iter().map(field).chain(copied.iter().zip(&carried.columns).map(like)).collect()
}

fn field(name: &str, physical: Physical) -> Result<TypePtr> {
    Ok(Type::primitive_type_builder(name, physical).build()?.into())
}

fn text_field(name: &str) -> Result<TypePtr> {
    let builder = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
    Ok(builder.with_logical_type(Some(LogicalType::String)).build()?.into())
}

/// Writes the cells of a column. Cells without a value of its type are empty.
fn write_column<'a>(column: &mut ColumnWriter<'_>, cells: impl Iterator<Item = &'a Cell<'static>>) -> Result<()> {
    let integer = |cell: &Cell<'_>| match cell {
        Cell::Integer(integer) => Some(*integer),
        Cell::Unsigned(integer) => Some(integer.cast_signed()),
        _ => None,
    };
    let number = |cell: &Cell<'_>| match cell {
        Cell::Number(number) => Some(*number),
        _ => None,
    };
    match column {
        ColumnWriter::BoolColumnWriter(column) => write(column, cells, |cell| match cell {
            Cell::Flag(flag) => Some(*flag),
            _ => None,
        }),
        // The integers of such a column come from one.
        ColumnWriter::Int32ColumnWriter(column) => write(column, cells, |cell| integer(cell).map(|value| value as i32)),
        ColumnWriter::Int64ColumnWriter(column) => write(column, cells, integer),
        ColumnWriter::FloatColumnWriter(column) => write(column, cells, |cell| number(cell).map(|value| value as f32)),
        ColumnWriter::DoubleColumnWriter(column) => write(column, cells, number),
        ColumnWriter::ByteArrayColumnWriter(column) => write(column, cells, |cell| match cell {
            Cell::Text(text) => Some(ByteArray::from(text.as_ref())),
            // Rows that cannot be split have numbers as ids.
            Cell::Integer(integer) => Some(ByteArray::from(integer.to_string().as_str())),
            Cell::Unsigned(integer) => Some(ByteArray::from(integer.to_string().as_str())),
            _ => None,
        }),
        // `fields` has no such column.
        ColumnWriter::Int96ColumnWriter(_) | ColumnWriter::FixedLenByteArrayColumnWriter(_) => Ok(()),
    }
}

fn write<'a, T: DataType>(
    column: &mut ColumnWriterImpl<'_, T>,
    cells: impl Iterator<Item = &'a Cell<'static>>,
    value: impl Fn(&Cell<'static>) -> Option<T::T>,
) -> Result<()> {
    let values: Vec<Option<T::T>> = cells.map(value).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    column.write_batch(&values, Some(&levels), None).map(drop)
}
