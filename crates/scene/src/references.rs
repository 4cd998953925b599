//! Files that other files name. References are written on other machines: with backslashes, with `%20` for a blank, and for file
//! systems that ignore case.

use crate::files::Files;
use percent_encoding::percent_decode_str;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A reference with slashes, and with the bytes that `%XX` stand for.
pub(crate) fn plain(reference: &str) -> String {
    percent_decode_str(&reference.replace('\\', "/")).decode_utf8_lossy().into_owned()
}

/// Files, and the names in their folders as far as they were needed.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    files: Files,
    names: HashMap<PathBuf, Vec<String>>,
}

impl Folders {
    pub fn of(files: &Files) -> Self {
        Folders { files: files.clone(), names: HashMap::new() }
    }

    /// The first file that there is, by a reference as it is written, then as a [`plain`] one, then without regard to case. `places`
    /// says where a reference may be.
    pub fn find<P: Iterator<Item = PathBuf>>(
        &mut self,
        reference: &str,
        places: impl Fn(&str) -> P,
    ) -> Option<PathBuf> {
        let plain = plain(reference);
        let mut exact = places(reference).chain(places(&plain));
        exact.find(|path| self.files.is_file(path)).or_else(|| places(&plain).find_map(|path| self.in_any_case(&path)))
    }

    /// The file whose path differs from this one at most in the case of letters.
    fn in_any_case(&mut self, path: &Path) -> Option<PathBuf> {
        let mut found = PathBuf::new();
        for part in path.components() {
            let next = found.join(part);
            found = match self.files.exists(&next) {
                true => next,
                false => found.join(self.name_like(&found, part.as_os_str().to_str()?)?),
            };
        }
        self.files.is_file(&found).then_some(found)
    }

    fn name_like(&mut self, folder: &Path, name: &str) -> Option<&String> {
        let names = self.names.entry(folder.to_owned()).or_insert_with(|| self.files.names_in(folder));
        let wanted = name.to_lowercase();
        names.iter().find(|own| own.to_lowercase() == wanted)
    }
}
