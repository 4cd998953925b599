//! The table of all commands, and the syntax that follows from it.

use super::command::Command;
use super::quoting::{quoted, split};
use super::row::Row;
use super::rows::FAMILIES;
use fabrik3d_scene::did_you_mean;
use std::fmt;
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
        row.read(&words).map(|command| command.to_string())
    })
}

/// The command as a script writes it. It reads back as the same command.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written = rows().filter_map(|row| Some((row.name(), row.write(self)?)));
        let (name, arguments) = written.next().unwrap_or_default();
        f.write_str(name)?;
        arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}
