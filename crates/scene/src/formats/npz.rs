//! NPZ, the archives of NumPy: a ZIP archive with one NPY file per array, not compressed. `numpy.load` reads them.

use super::npy::{NpyWriter, write_texts};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use zip::write::{SimpleFileOptions, ZipWriter};

/// The arrays of answers: one row per target.
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
}

/// Writes answers as an archive of the arrays `angles`, `names`, `reached`, `distance`, `angle` and perhaps
/// `clearance`. The archive needs the
/// length of each array first, so the arrays wait in temporary files. Memory stays constant.
#[derive(Debug)]
pub struct NpzWriter<W: Write + Seek> {
    out: W,
    names: Vec<String>,
    angles: Spool,
    reached: Spool,
    distance: Spool,
    angle: Spool,
    clearance: Option<Spool>,
}

/// An array in a temporary file.
type Spool = NpyWriter<BufWriter<File>>;

fn temporary(folder: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?))
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Starts an archive for poses with coordinates of these names. Temporary files are created in `folder`.
    pub fn new(out: W, names: Vec<String>, folder: &Path) -> io::Result<Self> {
        let file = || temporary(folder);
        Ok(NpzWriter {
            angles: NpyWriter::new(file()?, names.len().max(1))?,
            reached: NpyWriter::booleans(file()?)?,
            distance: NpyWriter::list(file()?)?,
            angle: NpyWriter::list(file()?)?,
            clearance: None,
            out,
            names,
        })
    }

    /// The same archive with the array `clearance`. Its temporary file is created in `folder`.
    pub fn with_clearance(self, folder: &Path) -> io::Result<Self> {
        Ok(NpzWriter { clearance: Some(NpyWriter::list(temporary(folder)?)?), ..self })
    }

    /// Adds answers.
    pub fn write(&mut self, answers: &AnswerArrays) -> io::Result<()> {
        self.angles.write(answers.angles.iter().copied())?;
        self.reached.write_bytes(&answers.reached.iter().map(|&reached| u8::from(reached)).collect::<Vec<u8>>())?;
        self.distance.write(answers.distance.iter().copied())?;
        self.angle.write(answers.angle.iter().copied())?;
        match &mut self.clearance {
            Some(clearance) => clearance.write(answers.clearance.iter().copied()),
            None => Ok(()),
        }
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
        let spools =
            [("angles", self.angles), ("reached", self.reached), ("distance", self.distance), ("angle", self.angle)];
        for (name, spool) in spools.into_iter().chain(self.clearance.map(|clearance| ("clearance", clearance))) {
            archive.start_file(format!("{name}.npy"), options)?;
            let mut file = spool.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            io::copy(&mut file, &mut archive)?;
        }
        let mut out = archive.finish()?;
        out.flush()?;
        Ok(out)
    }
}
