//! NPZ, the archives of NumPy: a ZIP archive with one NPY file per array, not compressed. `numpy.load` reads them.

use super::npy::{FLOAT, header, whole_rows, write_texts};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use zip::write::{SimpleFileOptions, ZipWriter};

/// The types of elements in NumPy's notation, besides [`FLOAT`].
const BOOLEAN: &str = "|b1";
const INTEGER: &str = "<i8";

/// The arrays of answers: one row per target, or one per solution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerArrays {
    /// Coordinates of all joints, row after row.
    pub angles: Vec<f64>,
    /// For each target, whether it was reached.
    pub reached: Vec<bool>,
    /// For each target, the largest distance from it over all effectors, scene units; NaN without a target position.
    pub distance: Vec<f64>,
    /// For each target, the largest angle to its orientation, radians; NaN without one.
    pub angle: Vec<f64>,
    /// For each target, the smallest distance between links, and of links from obstacles, scene units. Empty unless the
    /// scene keeps clear.
    pub clearance: Vec<f64>,
    /// For each answer, the number of its target, from 1. Empty unless a target may have several answers.
    pub row: Vec<i64>,
}

/// Writes answers as an archive of the arrays `angles`, `names`, `reached`, `distance`, `angle` and perhaps `clearance` and `row`. The
/// archive needs the length of each array first, so the arrays wait in temporary files. Memory stays constant.
#[derive(Debug)]
pub struct NpzWriter<W: Write + Seek> {
    out: W,
    names: Vec<String>,
    arrays: Vec<Spool>,
}

/// The elements of an array in a temporary file.
#[derive(Debug)]
struct Spool {
    name: &'static str,
    /// The type of the elements in NumPy's notation.
    code: &'static str,
    /// Elements per row; `None`: the array has one dimension.
    width: Option<usize>,
    file: BufWriter<File>,
}

impl Spool {
    fn new(name: &'static str, code: &'static str, width: Option<usize>, folder: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?);
        Ok(Spool { name, code, width, file })
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Starts an archive for poses with coordinates of these names. Temporary files are created in `folder`.
    pub fn new(out: W, names: Vec<String>, folder: &Path) -> io::Result<Self> {
        let arrays = vec![
            Spool::new("angles", FLOAT, Some(names.len().max(1)), folder)?,
            Spool::new("reached", BOOLEAN, None, folder)?,
            Spool::new("distance", FLOAT, None, folder)?,
            Spool::new("angle", FLOAT, None, folder)?,
        ];
        Ok(NpzWriter { out, names, arrays })
    }

    /// The same archive with the array `clearance`. Its temporary file is created in `folder`.
    pub fn with_clearance(mut self, folder: &Path) -> io::Result<Self> {
        self.arrays.push(Spool::new("clearance", FLOAT, None, folder)?);
        Ok(self)
    }

    /// The same archive with the array `row`. Its temporary file is created in `folder`.
    pub fn with_rows(mut self, folder: &Path) -> io::Result<Self> {
        self.arrays.push(Spool::new("row", INTEGER, None, folder)?);
        Ok(self)
    }

    /// Adds answers.
    pub fn write(&mut self, answers: &AnswerArrays) -> io::Result<()> {
        let AnswerArrays { angles, reached, distance, angle, clearance, row } = answers;
        let floats = |numbers: &[f64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        self.arrays.iter_mut().try_for_each(|array| {
            let elements = match array.name {
                "angles" => floats(angles),
                "reached" => reached.iter().map(|&reached| u8::from(reached)).collect(),
                "distance" => floats(distance),
                "angle" => floats(angle),
                "clearance" => floats(clearance),
                _ => row.iter().flat_map(|number| number.to_le_bytes()).collect(),
            };
            array.file.write_all(&elements)
        })
    }

    /// Completes the archive.
    pub fn finish(self) -> io::Result<W> {
        let mut archive = ZipWriter::new(self.out);
        // Sizes above 4 GiB need longer fields.
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .large_file(true);
        archive.start_file("names.npy", options)?;
        write_texts(&mut archive, self.names.iter().map(String::as_str))?;
        for Spool { name, code, width, mut file } in self.arrays {
            let size = if code == BOOLEAN { 1 } else { 8 };
            let rows = whole_rows(file.stream_position()?, size * width.unwrap_or(1))?;
            archive.start_file(format!("{name}.npy"), options)?;
            archive.write_all(&header(code, rows, width))?;
            file.rewind()?;
            io::copy(file.get_mut(), &mut archive)?;
        }
        let mut out = archive.finish()?;
        out.flush()?;
        Ok(out)
    }
}
