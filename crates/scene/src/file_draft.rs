//! Atomic writes: a file appears, or replaces an existing one, only when it is complete.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// A file that is being written. If it is dropped before [`keep`](FileDraft::keep), an existing file stays unchanged.
#[derive(Debug)]
pub struct FileDraft {
    output: Output,
    path: PathBuf,
}

/// Where the bytes go until the file is complete.
#[derive(Debug)]
enum Output {
    /// A temporary file in the same folder, which is renamed at the end; it stays listed until then.
    Temporary(NamedTempFile, Listed),
    /// A device or a pipe, which cannot be replaced.
    Direct(File),
}

/// The temporary files of this process.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file in that list, until it is dropped.
#[derive(Debug)]
struct Listed(PathBuf);

impl Listed {
    /// Creates a temporary file and lists it. The list is locked meanwhile, so that a signal finds every file that exists.
    fn new(create: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<(NamedTempFile, Self)> {
        let mut listed = temporary_files();
        let file = create()?;
        let path = file.path().to_owned();
        listed.push(path.clone());
        Ok((file, Listed(path)))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        temporary_files().retain(|path| *path != self.0);
    }
}

fn temporary_files() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes the temporary files of all drafts, which are then useless: for programs that end at a signal. Afterwards, to create or
/// drop a draft blocks its thread, so that no file is left when the program ends.
pub fn remove_drafts() {
    let listed = temporary_files();
    for path in listed.iter() {
        // Whatever cannot be deleted disturbs nobody.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(listed);
}

impl FileDraft {
    /// Starts writing the file `path`. Errors: the folder is missing or not writable, or `path` is a folder.
    pub fn new(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        // A symbolic link stays a link: its target is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.exists() && !path.is_file() {
            let device = OpenOptions::new().write(true).open(&path)?;
            return Ok(FileDraft { output: Output::Direct(device), path });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !folder.is_dir() {
            let message = format!("the folder {} does not exist", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let suffix = format!(".{extension}");
        let create = || tempfile::Builder::new().prefix(".fabrik3d-").suffix(&suffix).tempfile_in(folder);
        let (file, listed) = Listed::new(|| create().map_err(without_path))?;
        Ok(FileDraft { output: Output::Temporary(file, listed), path })
    }

    /// Path of the bytes until the file is kept, for other programs that write them.
    pub fn path(&self) -> &Path {
        match &self.output {
            Output::Temporary(file, _) => file.path(),
            Output::Direct(_) => &self.path,
        }
    }

    /// Another handle to the same bytes.
    pub fn reopen(&self) -> io::Result<File> {
        match &self.output {
            Output::Temporary(file, _) => file.reopen(),
            Output::Direct(file) => file.try_clone(),
        }
    }

    /// Gives the complete file its name.
    pub fn keep(self) -> io::Result<()> {
        let Output::Temporary(file, _listed) = self.output else { return Ok(()) };
        file.as_file().sync_all()?;
        #[cfg(unix)]
        {
            // Temporary files are private to the user. The result keeps the permissions of the old file or gets the usual ones.
            use std::os::unix::fs::PermissionsExt;
            let before = std::fs::metadata(&self.path).map(|before| before.permissions());
            file.as_file().set_permissions(before.unwrap_or(std::fs::Permissions::from_mode(0o644)))?;
        }
        file.persist(&self.path).map(drop).map_err(|error| error.error)
    }

    fn file(&mut self) -> &mut File {
        match &mut self.output {
            Output::Temporary(file, _) => file.as_file_mut(),
            Output::Direct(file) => file,
        }
    }
}

impl Write for FileDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for FileDraft {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

/// The system's error without the name of the temporary file.
fn without_path(error: io::Error) -> io::Error {
    let text = error.get_ref().and_then(|inner| inner.source()).map(ToString::to_string);
    text.map_or(error.kind().into(), |text| io::Error::new(error.kind(), text))
}

/// Writes a whole file, or leaves an existing one unchanged if that fails.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(FileDraft::new(path)?);
    write(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.keep()
}
