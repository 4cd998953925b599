//! What a file dialog is for.

use crate::session::command::AppCommand;
use crate::session::{Command, FileCommand, MotionCommand, SessionCommand};
use crate::solve::examples::PREFIX;
use fabrik3d_scene::{Content, FileFormat};
use std::path::{Path, PathBuf};

/// Suffix of the file name of a character saved with its pose.
const POSED: &str = "-posed";

/// The purpose of the chosen file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Open,
    Save,
    Motion,
}

impl Purpose {
    pub fn title(self) -> &'static str {
        match self {
            Purpose::Open => "Open a scene",
            Purpose::Save => "Save the scene",
            Purpose::Motion => "Open a motion",
        }
    }

    /// Whether the list shows files of this format.
    pub fn offers(self, format: &FileFormat) -> bool {
        match self {
            Purpose::Open => format.is_offered_as_scene(),
            Purpose::Save => format.is_written(),
            Purpose::Motion => format.holds(Content::Motion) || format.holds(Content::Targets),
        }
    }

    pub fn command(self, file: PathBuf) -> Command {
        match self {
            Purpose::Open => Command::App(AppCommand::File(FileCommand::Open(Some(file)))),
            Purpose::Save => Command::App(AppCommand::File(FileCommand::Save(Some(file)))),
            Purpose::Motion => Command::Session(SessionCommand::Motion(MotionCommand::Open(file))),
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

/// The end of a name's stem, if it looks like an extension: `xyz` in `arm.xyz.toml`, but not `2` in `arm.2.toml`.
pub(super) fn inner_extension(path: &Path) -> Option<String> {
    let stem = path.file_stem().map(PathBuf::from)?;
    let extension = stem.extension()?.to_string_lossy().into_owned();
    let is_word = (2..=5).contains(&extension.len()) && extension.chars().all(|letter| letter.is_ascii_alphabetic());
    is_word.then_some(extension)
}

/// The suggested file name: the current name as TOML. The prefix of built-in scenes is removed. A character is saved
/// beside its own file, so that it keeps its meshes.
pub(super) fn name_to_save(current: Option<&Path>) -> String {
    let current = current.unwrap_or(Path::new("scene"));
    let stem = current.file_stem().unwrap_or_default().to_string_lossy();
    if FileFormat::of(current).is_some_and(FileFormat::keeps_body) {
        return format!("{}{POSED}.glb", stem.trim_end_matches(POSED));
    }
    let name = current.with_extension("toml");
    let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_prefix(PREFIX).map_or_else(|| name.clone(), str::to_owned)
}
