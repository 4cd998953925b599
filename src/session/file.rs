//! Commands that open, save and record files.

use super::words::quoted;
use std::fmt;
use std::path::PathBuf;

/// What to do with which file; without a file one is asked for, or a free name is taken.
#[derive(Clone, Debug, PartialEq)]
pub enum FileCommand {
    /// `open [FILE]`: shows another scene.
    Open(Option<PathBuf>),
    /// `save [FILE]`: writes the scene with its present targets.
    Save(Option<PathBuf>),
    /// `motion.open` without a file: asks for a recording.
    AskForMotion,
    /// `record [FILE]`: starts a film of the window, or ends the one under way.
    Record(Option<PathBuf>),
}

impl FileCommand {
    /// Reads the words after `name`; the error says what should follow it.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Self, &'static str> {
        let file = match rest {
            [] => None,
            [file] => Some(PathBuf::from(file)),
            _ => return Err("a file name, in quotation marks if it holds blanks"),
        };
        if name == "motion.open" {
            return Ok(FileCommand::AskForMotion);
        }
        Ok(match name {
            "open" => FileCommand::Open(file),
            "save" => FileCommand::Save(file),
            _ => FileCommand::Record(file),
        })
    }
}

impl fmt::Display for FileCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, file) = match self {
            FileCommand::Open(file) => ("open", file),
            FileCommand::Save(file) => ("save", file),
            FileCommand::Record(file) => ("record", file),
            FileCommand::AskForMotion => ("motion.open", &None),
        };
        match file {
            Some(file) => write!(f, "{word} {}", quoted(&file.display().to_string())),
            None => write!(f, "{word}"),
        }
    }
}
