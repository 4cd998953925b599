//! Files that other files name. References are written on other machines: with backslashes, with `%20` for a blank, and for file
//! systems that ignore case.

use percent_encoding::percent_decode_str;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A reference with slashes, and with the bytes that `%XX` stand for.
pub(crate) fn plain(reference: &str) -> String {
    percent_decode_str(&reference.replace('\\', "/")).decode_utf8_lossy().into_owned()
}

/// The names in folders, as far as they were needed.
#[derive(Debug, Default)]
pub(crate) struct Folders(HashMap<PathBuf, Vec<String>>);

impl Folders {
    /// The first file that there is, by a reference as it is written, then as a [`plain`] one, then without regard to case. `places`
    /// says where a reference may be.
    pub fn find<P: Iterator<Item = PathBuf>>(
        &mut self,
        reference: &str,
        places: impl Fn(&str) -> P,
    ) -> Option<PathBuf> {
        let plain = plain(reference);
        let mut exact = places(reference).chain(places(&plain));
        exact.find(|path| path.is_file()).or_else(|| places(&plain).find_map(|path| self.in_any_case(&path)))
    }

    /// The file whose path differs from this one at most in the case of letters.
    fn in_any_case(&mut self, path: &Path) -> Option<PathBuf> {
        let mut found = PathBuf::new();
        for part in path.components() {
            let next = found.join(part);
            found = match next.exists() {
                true => next,
                false => found.join(self.name_like(&found, part.as_os_str().to_str()?)?),
            };
        }
        found.is_file().then_some(found)
    }

    fn name_like(&mut self, folder: &Path, name: &str) -> Option<&String> {
        let names = self.0.entry(folder.to_owned()).or_insert_with(|| {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let entries = here.read_dir().into_iter().flatten().flatten();
            let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort_unstable();
            names
        });
        let wanted = name.to_lowercase();
        names.iter().find(|own| own.to_lowercase() == wanted)
    }
}
