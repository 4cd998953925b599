//! Tables of target positions, row by row: CSV and NPY. Files of any length take constant memory.
//!
//! Columns are three for each effector. CSV may name them in its first line (`x,y,z`, or `hand.x,hand.y,hand.z` in any
//! order); without names, and in NPY, they are x, y, z of the first effector, of the second, and so on.

mod csv;
mod npy;

pub use npy::{NpyReader, write_npy};

use super::{Scene, SceneError};
use glam::DVec3;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Targets of one row: for each effector of the scene, where it should go; none: the table has no columns for it.
pub type TargetRow = Vec<Option<DVec3>>;

/// The rows of a table.
#[derive(Debug)]
pub struct TargetTable {
    origin: String,
    effectors: usize,
    /// For each column the effector and the axis (0 to 2) that it gives.
    columns: Vec<(usize, usize)>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Csv(csv::Lines<BufReader<File>>),
    Npy(NpyReader<BufReader<File>>),
}

impl TargetTable {
    /// Opens a table for a scene's effectors; the extension tells the format: `.csv` or `.npy`.
    pub fn open(path: &Path, scene: &Scene) -> Result<Self, SceneError> {
        let origin = path.display().to_string();
        let failed = |error: std::io::Error| SceneError::new(&origin, format!("cannot be read: {error}"));
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let file = || File::open(path).map(BufReader::new).map_err(failed);
        let fault = |message: String| SceneError::new(&origin, message);
        let (source, columns) = match extension.to_ascii_lowercase().as_str() {
            "csv" | "tsv" | "txt" => {
                let mut lines = csv::Lines::new(file()?);
                let header = lines.header().map_err(fault)?;
                let columns = match header {
                    csv::Header::Names(names) => named_columns(&names, scene),
                    csv::Header::None(width) => unnamed_columns(width, scene),
                };
                (Source::Csv(lines), columns)
            }
            "npy" => {
                let reader = NpyReader::new(file()?).map_err(fault)?;
                let columns = unnamed_columns(reader.width(), scene);
                (Source::Npy(reader), columns)
            }
            _ => {
                return Err(SceneError::new(origin, "the format of this table is not known")
                    .with_hint("targets are read from .csv and .npy"));
            }
        };
        let columns = columns.map_err(fault)?;
        Ok(TargetTable { origin, effectors: scene.effectors.len(), columns, source })
    }
}

impl Iterator for TargetTable {
    type Item = Result<TargetRow, SceneError>;

    /// The next row. A row that cannot be read is an error with its line; the rows after it can still be read.
    fn next(&mut self) -> Option<Self::Item> {
        let numbers = match &mut self.source {
            Source::Csv(lines) => lines.row(self.columns.len()),
            Source::Npy(reader) => reader.next(),
        }?;
        let row = numbers.map(|numbers| {
            let mut row: TargetRow = vec![None; self.effectors];
            for (&(effector, axis), number) in self.columns.iter().zip(numbers) {
                row[effector].get_or_insert(DVec3::ZERO)[axis] = number;
            }
            row
        });
        Some(row.map_err(|message| SceneError::new(&self.origin, message)))
    }
}

/// Columns by position.
fn unnamed_columns(width: usize, scene: &Scene) -> Result<Vec<(usize, usize)>, String> {
    let most = 3 * scene.effectors.len();
    if width == 0 || !width.is_multiple_of(3) || width > most {
        let count = scene.effectors.len();
        return Err(format!("there are {width} columns; expected three for each of {count} effectors or fewer"));
    }
    Ok((0..width).map(|column| (column / 3, column % 3)).collect())
}

/// Columns by name: all three axes of an effector, or none.
fn named_columns(names: &[String], scene: &Scene) -> Result<Vec<(usize, usize)>, String> {
    let column = |name: &String| {
        let (owner, axis) =
            name.rsplit_once(['.', '_']).map_or((None, name.as_str()), |(owner, axis)| (Some(owner), axis));
        let axis = ["x", "y", "z"].iter().position(|known| known.eq_ignore_ascii_case(axis));
        let effector = match owner {
            None => (!scene.effectors.is_empty()).then_some(0),
            Some(owner) => scene.effectors.iter().position(|effector| effector.name == owner),
        };
        effector.zip(axis).ok_or_else(|| {
            let known: Vec<String> =
                scene.effectors.iter().take(4).map(|effector| format!("{}.x", effector.name)).collect();
            format!("the column `{name}` is not known; expected x, y, z, or {}", known.join(", "))
        })
    };
    let columns = names.iter().map(column).collect::<Result<Vec<_>, String>>()?;
    for effector in 0..scene.effectors.len() {
        let mut axes: Vec<usize> = columns.iter().filter(|(of, _)| *of == effector).map(|(_, axis)| *axis).collect();
        axes.sort_unstable();
        if !matches!(axes.as_slice(), [] | [0, 1, 2]) {
            return Err(format!("the columns of `{}` must be x, y and z, each once", scene.effectors[effector].name));
        }
    }
    Ok(columns)
}
