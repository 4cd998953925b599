//! All commands as lines to choose from, and the search that finds them by words.

use super::command::Command;
use super::row::Row;
use super::table::rows;
use super::view::{Section, Show, ViewPreset};
use fabrik3d_ik::settings::Method;

/// A line that can be chosen from the list of all commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// A command; or only its name, if it takes arguments that nobody can list.
    pub line: String,
    /// What it does.
    pub help: String,
    /// The arguments that it asks for; none if the line is a whole command.
    pub asks: Option<String>,
}

impl Choice {
    /// The command, if the line is a whole one.
    pub fn command(&self) -> Option<Command> {
        self.line.parse().ok().filter(|_| self.asks.is_none())
    }
}

/// All commands: with each of their arguments where these can be listed, otherwise as lines that ask for them.
pub fn choices() -> Vec<Choice> {
    rows().flat_map(choices_of).collect()
}

fn choices_of(row: &Row) -> Vec<Choice> {
    let is_whole = |line: &String| line.parse::<Command>().is_ok();
    let mut lines: Vec<String> = vec![row.name().to_owned()];
    lines.extend(listed(row).filter(is_whole));
    lines.retain(is_whole);
    let takes_more = row.form.contains(|letter: char| letter.is_ascii_uppercase());
    let asks = (lines.is_empty() || takes_more && !is_listed(row)).then(|| row.expected());
    let whole = lines.into_iter().map(|line| Choice { line, help: row.help.to_owned(), asks: None });
    let asking = asks.map(|asks| Choice { line: row.name().to_owned(), help: row.help.to_owned(), asks: Some(asks) });
    whole.chain(asking).collect()
}

/// Whether all arguments of a command are listed.
fn is_listed(row: &Row) -> bool {
    row.form.split(' ').skip(1).all(|word| !alternatives(row, word).is_empty())
}

/// The lines with all listed arguments; those of other commands lack some.
fn listed(row: &Row) -> impl Iterator<Item = String> + '_ {
    let words = row.form.split(' ').skip(1).map(|word| alternatives(row, word));
    let start = vec![row.name().to_owned()];
    let lines = words.fold(start, |lines, words| {
        let longer = lines.iter().flat_map(|line| words.iter().map(move |word| format!("{line} {word}")));
        longer.collect()
    });
    lines.into_iter().filter(|line| line.contains(' '))
}

/// What may stand for a word of a form: `on|off` lists it, and so do the names of what can be shown, and the like.
fn alternatives(row: &Row, word: &str) -> Vec<&'static str> {
    let names = |names: &[&'static str]| names.to_vec();
    match (row.name(), word) {
        (_, "WHAT") => names(&Show::NAMES.map(|(name, _)| name)),
        (_, "SIDE") => names(&ViewPreset::NAMES.map(|(name, _)| name)),
        ("panel.section", "NAME") => names(&Section::NAMES.map(|(name, _)| name)),
        ("method", "NAME") => names(&Method::ALL.map(Method::key)),
        _ => {
            let bare = row.form.split(' ').find(|other| *other == word).unwrap_or_default();
            let bare = bare.trim_start_matches('[').trim_end_matches(']');
            let is_literal = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_ascii_uppercase());
            if bare.split('|').all(is_literal) { bare.split('|').collect() } else { Vec::new() }
        }
    }
}

/// How well words fit a text of which the first part is a name: 0 if each begins the name or a part of it, more if some are only
/// elsewhere; none if one is missing. Upper and lower case are the same.
pub fn fit(query: &str, name: &str, rest: &str) -> Option<usize> {
    let (name, rest) = (name.to_lowercase(), rest.to_lowercase());
    let begins = |word: &str| {
        let parts = name.split(|letter: char| !letter.is_alphanumeric());
        name.starts_with(word) || parts.into_iter().any(|part| part.starts_with(word))
    };
    let costs = query.split_whitespace().map(|word| {
        let word = word.to_lowercase();
        match () {
            () if begins(&word) => Some(0),
            () if name.contains(&word) => Some(1),
            () if rest.contains(&word) => Some(2),
            () => None,
        }
    });
    costs.sum()
}
