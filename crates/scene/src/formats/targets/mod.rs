//! Tables of targets, read row by row: CSV and NPY. Memory stays constant, whatever the size of the file.
//!
//! The first line of a CSV file may name the columns, see [`TargetColumns`]. Lines that start with `#` are comments. What a
//! file begins with tells its format, whatever its name.

mod case;
pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod headings;
pub(crate) mod rows;

pub use columns::{TargetColumns, TargetRow};
pub use rows::{RowBlock, RowBlocks, open_targets, read_cases, read_targets};
