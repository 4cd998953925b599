//! Where files are read from: the system, or memory where there is none.

use crate::error::SceneError;
use crate::source::{HEAD, check_content, unreadable};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files in memory by their paths. A path finds the file whose own path is its longest end, so files may be held without the
/// folders above them.
pub type HeldFiles = BTreeMap<PathBuf, Vec<u8>>;

fn find<'a>(held: &'a HeldFiles, path: &Path) -> Option<&'a Vec<u8>> {
    let ends = held.iter().filter(|(own, _)| path.ends_with(own));
    ends.max_by_key(|(own, _)| own.components().count()).map(|(_, bytes)| bytes)
}

/// The files that a scene is read from: its own, and those that it names.
#[derive(Clone, Debug, Default)]
pub enum Files {
    /// Those of the system.
    #[default]
    System,
    /// Those of the system; all that is read is held too, so that the scene can be read from memory elsewhere.
    Noted(Arc<Mutex<HeldFiles>>),
    /// These, and no others.
    Held(Arc<HeldFiles>),
}

impl Files {
    /// Those of the system, and the list of what will have been read.
    pub fn noted() -> (Files, Arc<Mutex<HeldFiles>>) {
        let list = Arc::default();
        (Files::Noted(Arc::clone(&list)), list)
    }

    /// Reads a file of at most `largest` bytes.
    pub(crate) fn read(&self, path: &Path, largest: u64) -> Result<Vec<u8>, SceneError> {
        let too_large =
            || SceneError::new(path.display().to_string(), format!("the file is larger than {} MiB", largest >> 20));
        let bytes = match self {
            Files::Held(held) => find(held, path).ok_or_else(|| unreadable(path, &ErrorKind::NotFound.into()))?.clone(),
            _ => read_system(path, largest).map_err(|error| unreadable(path, &error))?.ok_or_else(too_large)?,
        };
        if bytes.len() as u64 > largest {
            return Err(too_large());
        }
        if let Files::Noted(list) = self {
            list.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), bytes.clone());
        }
        check_content(&bytes, &path.display().to_string())?;
        Ok(bytes)
    }

    /// Reads a regular file. Reading a pipe or a device may never end.
    pub(crate) fn read_regular(&self, path: &Path, largest: u64) -> Result<Vec<u8>, SceneError> {
        match path.metadata() {
            Ok(meta) if !meta.is_file() && !meta.is_dir() => {
                Err(SceneError::new(path.display().to_string(), "this is not a regular file"))
            }
            _ => self.read(path, largest),
        }
    }

    /// A file for sequential reading.
    pub(crate) fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
        match self {
            Files::System => Ok(Box::new(BufReader::new(File::open(path)?))),
            Files::Held(held) => {
                let bytes = find(held, path).ok_or(ErrorKind::NotFound)?;
                Ok(Box::new(Cursor::new(bytes.clone())))
            }
            Files::Noted(list) => {
                let bytes = std::fs::read(path)?;
                list.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), bytes.clone());
                Ok(Box::new(Cursor::new(bytes)))
            }
        }
    }

    /// The first bytes of a file. None of a pipe, which could not be read again, or if there is no such file.
    pub(crate) fn head(&self, path: &Path) -> Vec<u8> {
        match self {
            Files::Held(held) => find(held, path).map(|bytes| bytes[..bytes.len().min(HEAD)].to_vec()),
            _ if path.is_file() => File::open(path).ok().and_then(|file| {
                let mut bytes = Vec::new();
                file.take(HEAD as u64).read_to_end(&mut bytes).ok().map(|_| bytes)
            }),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Checks that there is a file.
    pub(crate) fn check(&self, path: &Path) -> Result<(), SceneError> {
        if let Files::Held(held) = self {
            return if find(held, path).is_some() {
                Ok(())
            } else {
                Err(unreadable(path, &ErrorKind::NotFound.into()))
            };
        }
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => Err(unreadable(path, &ErrorKind::IsADirectory.into())),
            Ok(_) => Ok(()),
            Err(error) => Err(unreadable(path, &error)),
        }
    }

    /// Whether there is a file with this path.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        match self {
            Files::Held(held) => find(held, path).is_some(),
            _ => path.is_file(),
        }
    }

    /// Whether there is a file, a folder or a link with this path, also one that leads nowhere.
    pub(crate) fn has_entry(&self, path: &Path) -> bool {
        match self {
            Files::Held(held) => find(held, path).is_some() || held.keys().any(|known| known.starts_with(path)),
            _ => path.symlink_metadata().is_ok(),
        }
    }

    /// Whether there is a file or a folder with this path.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        match self {
            Files::Held(_) => self.has_entry(path),
            _ => path.exists(),
        }
    }

    /// The names in a folder, sorted.
    pub(crate) fn names_in(&self, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Files::Held(held) => {
                let inside = held.keys().filter_map(|path| path.strip_prefix(folder).ok()?.components().next());
                inside.filter_map(|part| Some(part.as_os_str().to_str()?.to_owned())).collect()
            }
            _ => {
                let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                let entries = here.read_dir().into_iter().flatten().flatten();
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
            }
        };
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The path of a folder without links, if the system knows one.
    pub(crate) fn absolute(&self, folder: &Path) -> PathBuf {
        match self {
            Files::Held(_) => folder.to_owned(),
            _ => folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
        }
    }
}

/// The bytes of a file of the system; none if it is larger.
fn read_system(path: &Path, largest: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    // A pipe tells its size only at its end.
    if file.metadata()?.len() > largest {
        return Ok(None);
    }
    file.take(largest + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}
