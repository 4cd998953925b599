//! What a table hands on to its answers.

use super::parquet::ColumnType;

/// The columns that a table hands on to a typed table of answers. By default there are none, and ids are texts.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has types"))]
#[derive(Clone, Debug, Default)]
pub struct CarriedColumns {
    pub(crate) ids: Ids,
    /// Names, and types unless the cells are texts.
    pub(crate) columns: Vec<(String, Option<ColumnType>)>,
}

/// The type of the ids.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has types"))]
#[derive(Clone, Debug, Default)]
pub(crate) enum Ids {
    /// Numbers of rows.
    Numbers,
    #[default]
    Texts,
    Like(ColumnType),
}
