//! Commands: the one way to change anything. Keys, mouse, panels and scripts all speak them; this is their grammar.

mod app;
mod argument;
mod camera;
mod display;
pub mod guide;
mod session;

pub use app::AppCommand;
pub use camera::{CameraCommand, ViewPreset};
pub use display::{DisplayCommand, Show, Theme};
pub use session::SessionCommand;

use super::words::split;
use fabrik3d_scene::did_you_mean;
use std::fmt;

/// One change, as a key gives it or a script line spells it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// To targets, solver and clock.
    Session(SessionCommand),
    /// To the camera.
    Camera(CameraCommand),
    /// To what is drawn and how.
    Display(DisplayCommand),
    /// To the program around the scene.
    App(AppCommand),
}

/// Why a script line is no command.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseError {
    /// A quotation mark without its partner.
    #[error("a quotation mark is not closed")]
    Quote,
    /// The first word is not known.
    #[error("unknown command `{name}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// The word.
        name: String,
        /// What was perhaps meant.
        hint: Option<String>,
    },
    /// Too few, too many or unsuitable words after it.
    #[error("`{command}` takes {expected}")]
    Arguments {
        /// The command.
        command: String,
        /// What should follow it.
        expected: &'static str,
    },
}

impl std::str::FromStr for Command {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words = split(text).ok_or(ParseError::Quote)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (&name, rest) = words.split_first().ok_or_else(|| unknown(""))?;
        let fail = |expected| ParseError::Arguments { command: name.to_owned(), expected };
        if let Some(command) = SessionCommand::parse(name, rest).map_err(fail)? {
            return Ok(Command::Session(command));
        }
        if let Some(command) = CameraCommand::parse(name, rest).map_err(fail)? {
            return Ok(Command::Camera(command));
        }
        if let Some(command) = DisplayCommand::parse(name, rest).map_err(fail)? {
            return Ok(Command::Display(command));
        }
        if let Some(command) = AppCommand::parse(name, rest).map_err(fail)? {
            return Ok(Command::App(command));
        }
        Err(unknown(name))
    }
}

fn unknown(name: &str) -> ParseError {
    let hint = did_you_mean(name, guide::GUIDE.iter().map(guide::Entry::name));
    ParseError::Unknown { name: name.to_owned(), hint }
}

/// The words of a command; what they parse to is the command again.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Session(command) => write!(f, "{command}"),
            Command::Camera(command) => write!(f, "{command}"),
            Command::Display(command) => write!(f, "{command}"),
            Command::App(command) => write!(f, "{command}"),
        }
    }
}
