//! Resolving file references of a robot description.

use std::path::{Path, PathBuf};

/// A folder for messages. That of a file without one is the current folder.
fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { "the current folder".to_owned() } else { folder.display().to_string() }
}

/// The file of a reference; the error says why there is none. `folder` is the folder of the description, `packages` the
/// folders of known packages. Other `package://NAME/REST` references are looked up in the folders above the description: as
/// `NAME/REST`, as `REST` in a folder called NAME, and as `REST`.
pub(crate) fn resolve(reference: &str, folder: &Path, packages: &[(String, PathBuf)]) -> Result<PathBuf, String> {
    // The reason does not name the file, so many files can share it.
    let found = |folder: &Path, rest: &str| {
        let path = folder.join(rest);
        if path.is_file() { Ok(path) } else { Err(format!("not found in {}", shown(folder))) }
    };
    if let Some(path) = reference.strip_prefix("file://") {
        let path = PathBuf::from(path);
        return if path.is_file() { Ok(path) } else { Err("not found".to_owned()) };
    }
    let Some(path) = reference.strip_prefix("package://").or_else(|| reference.strip_prefix("model://")) else {
        return found(folder, reference);
    };
    let Some((package, rest)) = path.split_once('/') else { return Err("expected package://NAME/FILE".to_owned()) };
    if let Some((_, folder)) = packages.iter().find(|(name, _)| name == package) {
        return found(folder, rest);
    }
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let candidates = folder.ancestors().flat_map(|above| {
        let inside = (above.file_name().and_then(|name| name.to_str()) == Some(package)).then(|| above.join(rest));
        [Some(above.join(package).join(rest)), inside, Some(above.join(rest))]
    });
    candidates.flatten().find(|path| path.is_file()).ok_or_else(|| {
        format!("not found in any folder above the description; say where with --package-path {package}=FOLDER")
    })
}
