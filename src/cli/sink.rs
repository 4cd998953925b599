//! Where the answers of `solve` go.

use super::common::unwritable;
use super::ending::Failure;
use fabrik3d_scene::FileDraft;
use fabrik3d_scene::formats::npy::NpyWriter;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Standard output, or a file that appears only when it is complete.
pub(super) struct Sink {
    out: Out,
    path: Option<PathBuf>,
}

enum Out {
    Printed(BufWriter<io::Stdout>),
    Text(BufWriter<FileDraft>),
    /// An array: its header is put right in the end.
    Array(NpyWriter<BufWriter<FileDraft>>),
}

impl Sink {
    /// Answers as text.
    pub fn text(path: Option<&Path>) -> Result<Self, Failure> {
        let out = match path {
            // Not locked: the lock cannot go where the sink goes, and nobody else prints.
            None => Out::Printed(BufWriter::with_capacity(1 << 16, io::stdout())),
            Some(path) => Out::Text(BufWriter::new(draft(path)?)),
        };
        Ok(Sink { out, path: path.map(Path::to_owned) })
    }

    /// Answers as rows of so many numbers.
    pub fn array(path: &Path, width: usize) -> Result<Self, Failure> {
        let writer = NpyWriter::new(BufWriter::new(draft(path)?), width).map_err(unwritable(path))?;
        Ok(Sink { out: Out::Array(writer), path: Some(path.to_owned()) })
    }

    /// Writes the next answers: text, or numbers where they go to an array.
    pub fn write(&mut self, text: &[u8], numbers: impl IntoIterator<Item = f64>) -> Result<(), Failure> {
        let written = match &mut self.out {
            Out::Printed(out) => out.write_all(text),
            Out::Text(out) => out.write_all(text),
            Out::Array(out) => out.write(numbers),
        };
        self.checked(written)
    }

    /// What was answered is there for whoever reads along.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let flushed = match &mut self.out {
            Out::Printed(out) => out.flush(),
            // Nobody reads a file that has no name yet.
            Out::Text(_) | Out::Array(_) => Ok(()),
        };
        self.checked(flushed)
    }

    /// Ends what was written.
    pub fn finish(self) -> Result<(), Failure> {
        let whole = |out: BufWriter<FileDraft>| out.into_inner().map_err(io::IntoInnerError::into_error)?.keep();
        let finished = match self.out {
            Out::Printed(mut out) => out.flush(),
            Out::Text(out) => whole(out),
            Out::Array(out) => out.finish().and_then(whole),
        };
        finished.map_err(|error| failure(self.path.as_deref(), error))
    }

    fn checked(&self, result: io::Result<()>) -> Result<(), Failure> {
        result.map_err(|error| failure(self.path.as_deref(), error))
    }
}

fn failure(path: Option<&Path>, error: io::Error) -> Failure {
    match path {
        Some(path) => unwritable(path)(error),
        None => error.into(),
    }
}

/// Begins a file, which an interruption takes away.
fn draft(path: &Path) -> Result<FileDraft, Failure> {
    let draft = FileDraft::new(path).map_err(unwritable(path))?;
    if let Some(meanwhile) = draft.temporary().map(Path::to_owned) {
        // Where no handler can be set, the file in the meantime stays behind, under a name of its own.
        let _ = ctrlc::set_handler(move || {
            let _ = std::fs::remove_file(&meanwhile);
            std::process::exit(130);
        });
    }
    Ok(draft)
}
