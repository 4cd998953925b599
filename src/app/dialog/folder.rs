//! What a file dialog is for, the files of a folder, and what a typed name means in it.

use crate::examples::PREFIX;
use fabrik3d_scene::{Content, FileFormat};
use fabrik3d_viewer::hud::file_name;
use fabrik3d_viewer::session::command::AppCommand;
use fabrik3d_viewer::session::{Command, FileCommand, MotionCommand, SessionCommand};
use std::io;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf, is_separator};

/// Suffix of the file name of a character saved with its pose.
const POSED: &str = "-posed";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub is_folder: bool,
}

/// The entries of a folder without hidden ones: folders first, then the files that pass a test, each by name.
pub(super) fn entries(folder: &Path, offers: impl Fn(&Path) -> bool) -> io::Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = std::fs::read_dir(folder)?
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.to_owned();
            let is_folder = path.is_dir();
            let is_shown = !name.starts_with('.') && (is_folder || offers(&path));
            is_shown.then_some(Entry { name, is_folder })
        })
        .collect();
    entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase(), entry.name.clone()));
    Ok(entries)
}

/// The path that a typed text means in a folder: relative, absolute, or from the home folder with `~`.
pub(super) fn resolved(folder: &Path, text: &str, home: Option<&Path>) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with(is_separator) => home.join(rest.trim_start_matches(is_separator)),
        _ => folder.join(text),
    }
}

/// A typed text as the part up to its last separator, which names a folder, and the start of a name in that folder.
pub(super) fn parted(text: &str) -> (&str, &str) {
    text.rfind(is_separator).map_or(("", text), |at| text.split_at(at + 1))
}

/// Whether a name matches the start of a name: anywhere, in upper or lower case.
pub(super) fn matches(name: &str, start: &str) -> bool {
    name.to_lowercase().contains(&start.trim().to_lowercase())
}

/// The text with its last part completed as far as all entries with that beginning agree. Only folders end in a separator.
pub(super) fn completed(text: &str, entries: &[Entry]) -> String {
    let (folder, start) = parted(text);
    let fitting: Vec<&Entry> = entries.iter().filter(|entry| entry.name.starts_with(start)).collect();
    let [first, others @ ..] = &fitting[..] else { return text.to_owned() };
    let starts = first.name.char_indices().map(|(at, letter)| &first.name[..at + letter.len_utf8()]);
    let common = starts.take_while(|start| others.iter().all(|other| other.name.starts_with(start))).last();
    let end = if others.is_empty() && first.is_folder { MAIN_SEPARATOR_STR } else { "" };
    format!("{folder}{}{end}", common.unwrap_or_default())
}

/// The folder and the folders around it, the outermost first, with names to show.
pub(super) fn trail(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut folders: Vec<_> = folder.ancestors().map(|path| (file_name(path).into_owned(), path.to_owned())).collect();
    folders.reverse();
    folders
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum FileDialogKind {
    Open,
    Save,
    Motion,
}

impl FileDialogKind {
    pub fn title(self) -> &'static str {
        match self {
            FileDialogKind::Open => "Open a scene",
            FileDialogKind::Save => "Save the scene or its pose",
            FileDialogKind::Motion => "Open a motion, or a table of targets or of joint values",
        }
    }

    /// Whether the list shows files of this format.
    pub fn offers(self, format: &FileFormat) -> bool {
        match self {
            FileDialogKind::Open => format.is_offered_as_scene(),
            FileDialogKind::Save => format.is_written(),
            FileDialogKind::Motion => format.holds(Content::Motion) || format.holds(Content::Targets),
        }
    }

    /// Whether a file has a name that can be opened.
    pub fn takes(self, path: &Path) -> bool {
        FileFormat::of(path).is_some_and(|format| self.offers(format))
    }

    pub fn command(self, file: PathBuf) -> Command {
        match self {
            FileDialogKind::Open => Command::App(AppCommand::File(FileCommand::Open(Some(file)))),
            FileDialogKind::Save => Command::App(AppCommand::File(FileCommand::Save(Some(file)))),
            FileDialogKind::Motion => {
                Command::Session(SessionCommand::Motion(MotionCommand::Open(file, Vec::new(), None)))
            }
        }
    }
}

/// The path that a typed path means. Without an extension it is TOML. A name with an extension that replaces only the
/// stem of the suggested name has two of them, `arm.json.toml`: what was typed counts.
pub(super) fn path_to_save(path: PathBuf) -> PathBuf {
    if path.extension().is_none() {
        return path.with_extension("toml");
    }
    let stem = path.with_extension("");
    if FileFormat::of(&stem).is_some() { stem } else { path }
}

/// The suggested file name: the current name as TOML. The prefix of built-in scenes is removed. A character is saved
/// beside its own file, so that it keeps its meshes.
pub(in crate::app) fn name_to_save(current: Option<&Path>) -> String {
    let current = current.unwrap_or(Path::new("scene"));
    let stem = current.file_stem().unwrap_or_default().to_string_lossy();
    if FileFormat::of(current).is_some_and(FileFormat::keeps_body) {
        return format!("{}{POSED}.glb", stem.trim_end_matches(POSED));
    }
    let name = current.with_extension("toml");
    let name = file_name(&name);
    name.strip_prefix(PREFIX).unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<Entry> {
        let entry = |name: &&str| Entry { name: name.trim_end_matches('/').into(), is_folder: name.ends_with('/') };
        names.iter().map(entry).collect()
    }

    #[test]
    fn folders_come_first_and_files_that_are_not_offered_or_hidden_do_not_come_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.toml", "A.toml", "c.txt", ".hidden.toml"] {
            std::fs::write(folder.path().join(name), "").expect("can be written");
        }
        std::fs::create_dir(folder.path().join("z")).expect("can be made");
        let found =
            entries(folder.path(), |path| path.extension().is_some_and(|it| it == "toml")).expect("can be read");
        assert_eq!(found, list(&["z/", "A.toml", "b.toml"]));
        assert!(entries(&folder.path().join("none"), |_| true).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_typed_text_is_relative_absolute_or_from_the_home_folder() {
        let (folder, home) = (Path::new("/scenes"), Some(Path::new("/home/me")));
        for (text, path) in [
            ("arm.toml", "/scenes/arm.toml"),
            (" arm.toml ", "/scenes/arm.toml"),
            ("left/arm.toml", "/scenes/left/arm.toml"),
            ("/arm.toml", "/arm.toml"),
            ("~/arm.toml", "/home/me/arm.toml"),
            ("~", "/home/me"),
            ("~arm.toml", "/scenes/~arm.toml"),
        ] {
            assert_eq!(resolved(folder, text, home), Path::new(path), "{text}");
        }
        assert_eq!(resolved(folder, "~/arm.toml", None), Path::new("/scenes/~/arm.toml"));
        assert_eq!(parted("a/b/arm"), ("a/b/", "arm"));
        assert_eq!(parted("arm"), ("", "arm"));
        assert_eq!(parted("/"), ("/", ""));
        let names: Vec<String> = trail(Path::new("/home/me")).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["/", "home", "me"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_text_is_completed_as_far_as_the_names_agree() {
        let names = list(&["left/", "lever.toml", "arm.toml", "ärmel.toml", "ärger.toml"]);
        for (text, whole) in [
            ("a", "arm.toml"),
            ("l", "le"),
            ("lef", "left/"),
            ("x", "x"),
            ("", ""),
            ("sub/a", "sub/arm.toml"),
            ("ä", "är"),
        ] {
            assert_eq!(completed(text, &names), whole, "{text}");
        }
        assert!(matches("Lever.toml", "EVE") && !matches("Lever.toml", "arm") && matches("Lever.toml", ""));
    }
}
