//! Commands to the program around the scene.

use super::argument::{Expected, alone};
use crate::session::file::FileCommand;
use crate::session::words::quoted;
use std::fmt;
use std::path::PathBuf;

/// A change to the program around the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum AppCommand {
    /// `screenshot FILE`; without a file a name with date and time is made.
    Screenshot(Option<PathBuf>),
    /// `open`, `save` and `record`.
    File(FileCommand),
    /// `reload`: the file again, the pose kept.
    Reload,
    /// `fullscreen`.
    Fullscreen,
    /// `cancel`: what Esc does.
    Cancel,
    /// `dismiss [NUMBER]`: takes the message of this number off the window, or all of them.
    Dismiss(Option<u64>),
    /// `quit`.
    Quit,
}

impl AppCommand {
    /// The command of these words, if it is one of these; an error says what should follow the name.
    pub(super) fn parse(name: &str, rest: &[&str]) -> Result<Option<Self>, Expected> {
        Ok(Some(match name {
            "screenshot" => match rest {
                [] => AppCommand::Screenshot(None),
                [file] => AppCommand::Screenshot(Some(PathBuf::from(file))),
                _ => return Err("a file name"),
            },
            "open" | "save" | "record" | "motion.open" => AppCommand::File(FileCommand::parse(name, rest)?),
            "reload" => alone(AppCommand::Reload, rest)?,
            "fullscreen" => alone(AppCommand::Fullscreen, rest)?,
            "cancel" => alone(AppCommand::Cancel, rest)?,
            "dismiss" => match rest {
                [] => AppCommand::Dismiss(None),
                [number] => AppCommand::Dismiss(Some(number.parse().map_err(|_| "the number of a message")?)),
                _ => return Err("the number of a message"),
            },
            "quit" => alone(AppCommand::Quit, rest)?,
            _ => return Ok(None),
        }))
    }
}

/// The words of the command.
impl fmt::Display for AppCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppCommand::Screenshot(None) => write!(f, "screenshot"),
            AppCommand::Screenshot(Some(file)) => {
                write!(f, "screenshot {}", quoted(&file.display().to_string()))
            }
            AppCommand::File(command) => write!(f, "{command}"),
            AppCommand::Reload => write!(f, "reload"),
            AppCommand::Fullscreen => write!(f, "fullscreen"),
            AppCommand::Cancel => write!(f, "cancel"),
            AppCommand::Dismiss(None) => write!(f, "dismiss"),
            AppCommand::Dismiss(Some(number)) => write!(f, "dismiss {number}"),
            AppCommand::Quit => write!(f, "quit"),
        }
    }
}
