//! The types of columns.

use crate::cell::Content;
use parquet::basic::{Compression, ConvertedType, LogicalType, Type as Physical};
use parquet::schema::types::{ColumnDescriptor, Type, TypePtr};

/// The type of a column in a file, for a column of answers with the same content.
pub(crate) type ColumnType = TypePtr;

/// What the cells of a column hold.
pub(super) fn content_of(column: &ColumnDescriptor) -> Content {
    if column.max_rep_level() > 0 {
        return Content::Other;
    }
    let is_string = matches!(column.logical_type_ref(), Some(LogicalType::String));
    match (column.physical_type(), column.converted_type()) {
        (Physical::BOOLEAN, _) => Content::Flag,
        (_, ConvertedType::DECIMAL) => Content::Other,
        (
            Physical::INT32 | Physical::INT64,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
        ) => Content::Unsigned,
        (Physical::INT32 | Physical::INT64, _) => Content::Integer,
        (Physical::FLOAT | Physical::DOUBLE, _) => Content::Number,
        (Physical::BYTE_ARRAY, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON) => Content::Text,
        (Physical::BYTE_ARRAY, _) if is_string => Content::Text,
        _ => Content::Other,
    }
}

/// The name of a column: that of a field, or of a field in a structure as `OUTER.INNER`, or that of a list.
pub(super) fn name(column: &ColumnDescriptor) -> String {
    let parts = column.path().parts();
    if column.max_rep_level() > 0 { parts[0].clone() } else { parts.join(".") }
}

/// A type with the same content under another name. Its cells may be empty.
pub(super) fn named(like: &Type, name: &str) -> parquet::errors::Result<TypePtr> {
    let info = like.get_basic_info();
    let builder = Type::primitive_type_builder(name, like.get_physical_type());
    let builder =
        builder.with_converted_type(info.converted_type()).with_logical_type(info.logical_type_ref().cloned());
    Ok(builder.build()?.into())
}

/// Whether columns with this compression can be read.
pub(super) fn can_read(compression: Compression) -> bool {
    matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_))
}
