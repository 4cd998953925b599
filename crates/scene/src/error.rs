//! Errors about files: what is wrong, where, and how to fix it.

use std::path::Path;
use std::{fmt, io};

/// A position in a text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line.
    pub line: usize,
    /// Character in the line.
    pub column: usize,
}

/// Why a scene cannot be read, written or changed. Displayed as `file:line:column: message`, with the hint on the next
/// line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file, or another source of the text.
    pub origin: String,
    /// Position in the text, if there is one.
    pub position: Option<Position>,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

impl SceneError {
    /// An error about a file as a whole.
    pub fn new(origin: impl Into<String>, message: impl Into<String>) -> Self {
        SceneError { origin: origin.into(), position: None, message: message.into(), hint: None }
    }

    /// The error about a file that cannot be written.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        SceneError::new(path.display().to_string(), format!("cannot be written: {error}"))
    }

    /// The same error with advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with the position of a byte of `text`. Offsets past the end give the end.
    #[must_use]
    pub fn at(mut self, text: &str, offset: usize) -> Self {
        // An offset inside a character counts as its start.
        let before = (0..=offset.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        self.position = Some(Position { line, column: before[line_start..].chars().count() + 1 });
        self
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.origin)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\n  {hint}"))
    }
}

impl std::error::Error for SceneError {}
