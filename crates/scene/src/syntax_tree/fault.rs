//! Errors while reading a syntax tree, before the name of the file is added.

use super::node::Place;
use crate::error::SceneError;
use fabrik3d_ik::errors::nearest_name;

/// What is wrong, where in the text, and how to fix it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub place: Place,
    pub message: String,
    pub hint: Option<String>,
}

/// The result of reading a part of a syntax tree.
pub(crate) type Read<T> = Result<T, Fault>;

impl Fault {
    /// A fault at an offset in the text.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Fault { place, message: message.into(), hint: None }
    }

    /// The same fault with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same fault with a hint, if there is one.
    #[must_use]
    pub fn hint_some(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// The fault as a warning about this text: one sentence that starts with the line.
    pub fn warning(self, text: &str) -> String {
        let SceneError { position, message, hint, .. } = self.in_text("", text);
        let line = position.map_or(String::new(), |position| format!("line {}: ", position.line));
        format!("{line}{message}{}", hint.map_or(String::new(), |hint| format!("; {hint}")))
    }

    /// The error for a text from `origin`.
    pub fn in_text(self, origin: &str, text: &str) -> SceneError {
        let error = SceneError { origin: origin.into(), position: None, message: self.message, hint: self.hint };
        match self.place {
            Some(offset) => error.at(text, offset),
            None => error,
        }
    }
}

/// A hint about an unknown word: the nearest known word, or all of them if they are few.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    let list = || (1..=24).contains(&known.len()).then(|| format!("known: {}", known.join(", ")));
    suggestion(word, known.iter().copied()).or_else(list)
}

/// A hint about an unknown word: the first known word of which it is the beginning or the end, such as `shoulder_pan` of
/// `shoulder_pan_joint`, or the nearest one, if one is near. One letter of two says nothing.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    let is_part = |known: &&&str| {
        known.strip_prefix(word).is_some_and(|rest| rest.starts_with('_'))
            || known.strip_suffix(word).is_some_and(|rest| rest.ends_with('_'))
    };
    let near = || nearest_name(word, known.iter().copied()).filter(|near| near.len() > 2);
    known.iter().find(is_part).copied().or_else(near).map(|near| format!("did you mean `{near}`?"))
}
