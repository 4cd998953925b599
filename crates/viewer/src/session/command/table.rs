//! The table of all commands, and the syntax that follows from it.

use super::command::Command;
use super::row::Row;
use super::rows::FAMILIES;
use fabrik3d_scene::did_you_mean;
use std::ops::Range;
use std::str::FromStr;

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseError {
    /// A quotation mark has no partner.
    #[error("a quotation mark is not closed")]
    Quote,
    /// The first word is not the name of a command.
    #[error("unknown command `{name}`{}", hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// The word.
        name: String,
        /// A similar name.
        hint: Option<String>,
    },
    /// The arguments are too few, too many or of the wrong kind.
    #[error("`{command}` takes {expected}{}", quoted_line.as_ref().map(|line| format!("; names with blanks need quotation marks: {line}")).unwrap_or_default())]
    Arguments {
        /// Name of the command.
        command: String,
        /// The arguments that it takes.
        expected: String,
        /// The line with quotation marks that make it a command, if there are such.
        quoted_line: Option<String>,
    },
}

/// All commands.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.into_iter().flatten()
}

/// All commands with their explanations, one per line.
pub fn help_text() -> String {
    let width = rows().map(|row| row.form.len()).max().unwrap_or(0);
    rows().map(|row| format!("  {:width$}  {}\n", row.form, row.help)).collect()
}

impl FromStr for Command {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words = split(text).ok_or(ParseError::Quote)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (name, arguments) = words.split_first().map_or(("", &[][..]), |(name, arguments)| (*name, arguments));
        let row = rows().find(|row| row.name() == name).ok_or_else(|| ParseError::Unknown {
            name: name.to_owned(),
            hint: did_you_mean(name, rows().map(Row::name)),
        })?;
        let fail = || ParseError::Arguments {
            command: name.to_owned(),
            expected: row.expected(),
            quoted_line: with_quotation_marks(row, arguments),
        };
        row.read(arguments).ok_or_else(fail)
    }
}

/// The command with quotation marks around neighbouring words that are no numbers, if the row takes it then.
fn with_quotation_marks(row: &Row, arguments: &[&str]) -> Option<String> {
    let ranges = (0..arguments.len()).flat_map(|from| (from + 2..=arguments.len()).map(move |to| from..to));
    let is_name = |range: &Range<usize>| arguments[range.clone()].iter().all(|word| word.parse::<f64>().is_err());
    ranges.filter(is_name).find_map(|range| {
        let name = arguments[range.clone()].join(" ");
        let words = [&arguments[..range.start], &[name.as_str()], &arguments[range.end..]].concat();
        row.read(&words)?;
        Some(words.iter().fold(row.name().to_owned(), |line, word| line + " " + &quoted(word)))
    })
}

/// The words of `text`; none if a quotation mark is not closed.
///
/// Inside quotation marks `\"` is a quotation mark and `\\` a backslash.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if quoted => word.get_or_insert_default().push(letters.next()?),
            _ if letter.is_whitespace() && !quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (!quoted).then_some(words)
}

/// The word in the form that [`split`] reads back, with quotation marks where it needs them.
pub(super) fn quoted(word: &str) -> String {
    if !word.is_empty() && !word.contains(|letter: char| letter.is_whitespace() || "\"#".contains(letter)) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The line up to its comment, which starts at the first `#` outside quotation marks.
pub(in crate::session) fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_read_back() {
        for word in ["wrist", "left hand", "", "a\"b", "C:\\a b\\", "#1", "tab\there", "a\\b"] {
            let line = format!("joint.select {} # a comment", quoted(word));
            let words = split(without_comment(&line)).expect("closed");
            assert_eq!(words, ["joint.select", word], "{line}");
        }
        assert_eq!(split("open \"half"), None);
    }
}
