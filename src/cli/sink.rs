//! Destinations of the answers of `solve`.

use super::answers::{Encoded, Encoder, Format};
use super::context::Failure;
use super::interrupt::remove_drafts_on_interrupt;
use super::scene_arguments::{input_name, is_standard, unwritable};
use fabrik3d_scene::{FileDraft, NpyWriter, NpzWriter, coordinate_names};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Standard output, or a file that appears only once it is complete.
pub(super) struct Sink {
    out: Out,
    path: Option<PathBuf>,
}

enum Out {
    Printed(BufWriter<io::Stdout>),
    Text(BufWriter<FileDraft>),
    /// An array; the row count in its header is written at the end.
    Array(NpyWriter<BufWriter<FileDraft>>),
    /// An archive; the arrays are put into it at the end.
    Archive(Box<NpzWriter<BufWriter<FileDraft>>>),
}

impl Sink {
    /// A sink for answers, which has their header; standard output without a path.
    pub fn new(path: Option<&Path>, encoder: &Encoder<'_>) -> Result<Self, Failure> {
        let out = match path {
            // Not locked: the lock is not `Send`, and nothing else prints.
            None => Out::Printed(BufWriter::with_capacity(1 << 16, io::stdout())),
            Some(path) => {
                remove_drafts_on_interrupt();
                in_file(path, encoder).map_err(unwritable(path))?
            }
        };
        let mut sink = Sink { out, path: path.map(Path::to_owned) };
        sink.write(&encoder.header())?;
        Ok(sink)
    }

    /// Writes the next answers.
    pub fn write(&mut self, answers: &Encoded) -> Result<(), Failure> {
        let written = match &mut self.out {
            Out::Printed(out) => out.write_all(&answers.text),
            Out::Text(out) => out.write_all(&answers.text),
            Out::Array(out) => out.write(answers.arrays.angles.iter().copied()),
            Out::Archive(out) => out.write(&answers.arrays),
        };
        checked(written, self.path.as_deref())
    }

    /// Makes all answers so far visible to the reader of standard output.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let flushed = match &mut self.out {
            Out::Printed(out) => out.flush(),
            // The file has no name yet.
            Out::Text(_) | Out::Array(_) | Out::Archive(_) => Ok(()),
        };
        checked(flushed, self.path.as_deref())
    }

    /// Completes the output.
    pub fn finish(self) -> Result<(), Failure> {
        let whole = |out: BufWriter<FileDraft>| out.into_inner().map_err(io::IntoInnerError::into_error)?.keep();
        let finished = match self.out {
            Out::Printed(mut out) => out.flush(),
            Out::Text(out) => whole(out),
            Out::Array(out) => out.finish().and_then(whole),
            Out::Archive(out) => out.finish().and_then(whole),
        };
        checked(finished, self.path.as_deref())
    }
}

fn in_file(path: &Path, encoder: &Encoder<'_>) -> io::Result<Out> {
    let (draft, scene) = (FileDraft::new(path)?, encoder.scene);
    Ok(match encoder.format {
        Format::Text | Format::Json(_) | Format::Csv => Out::Text(BufWriter::new(draft)),
        Format::Npy => Out::Array(NpyWriter::new(BufWriter::new(draft), coordinate_names(scene).count())?),
        Format::Npz => {
            let folder = draft.path().parent().map_or(PathBuf::new(), Path::to_owned);
            let mut writer = NpzWriter::new(BufWriter::new(draft), coordinate_names(scene).collect(), &folder)?;
            if scene.keep_clear.is_some() {
                writer = writer.with_clearance(&folder)?;
            }
            if encoder.has_solutions {
                writer = writer.with_rows(&folder)?;
            }
            Out::Archive(Box::new(writer))
        }
    })
}

fn checked(result: io::Result<()>, path: Option<&Path>) -> Result<(), Failure> {
    result.map_err(|error| match path {
        Some(path) => unwritable(path)(error),
        None => error.into(),
    })
}

/// Refuses an output that is read too, under whatever name: the answers would replace the questions.
pub(super) fn keep_inputs<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let written = file_identity(output);
    let input = inputs.into_iter().find(|input| {
        let path = if is_standard(input) { Path::new("/dev/stdin") } else { input };
        written.is_some() && file_identity(path) == written
    });
    match input {
        None => Ok(()),
        Some(input) => {
            let (output, input) = (output.display(), input_name(input));
            let which = if output.to_string() == input { String::new() } else { format!(", as {input}") };
            Err(Failure::Message(format!("{output}: this file is read too{which}\n  write to another file")))
        }
    }
}

/// What two names of the same file have in common; none without such a file. Devices may be read and written.
#[cfg(unix)]
fn file_identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn file_identity(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().filter(|path| path.is_file())
}
