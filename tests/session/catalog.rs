//! The list of all commands: each can be found by words and carried out, and what takes arguments asks for them.

use fabrik3d_viewer::session::command::{Command, Section, Show, choices, fit, rows};
use std::collections::HashSet;

/// The lines that words find, best first.
fn found(words: &str) -> Vec<String> {
    let mut fits: Vec<(usize, usize, String)> = choices()
        .into_iter()
        .enumerate()
        .filter_map(|(at, choice)| Some((fit(words, &choice.line, &choice.help)?, at, choice.line)))
        .collect();
    fits.sort();
    fits.into_iter().map(|(.., line)| line).collect()
}

#[test]
fn every_command_is_listed_and_every_line_is_a_command_or_asks_for_its_arguments() {
    let choices = choices();
    let mut lines = HashSet::new();
    for choice in &choices {
        let whole = choice.line.parse::<Command>().is_ok();
        assert!(whole || choice.asks.is_some(), "{choice:?}");
        assert_eq!(choice.command().is_some(), choice.asks.is_none(), "{choice:?}");
        assert!(lines.insert((&choice.line, choice.asks.is_some())), "{} is there twice", choice.line);
    }
    for row in rows() {
        let name = row.name();
        let own = choices.iter().filter(|choice| choice.line.split(' ').next() == Some(name)).collect::<Vec<_>>();
        assert!(!own.is_empty(), "{name} is not listed");
        let takes_none = !row.form.contains(' ');
        assert_eq!(takes_none, own.len() == 1 && own[0].line == name && own[0].asks.is_none(), "{own:?}");
    }
    for line in ["theme light", "show passes on", "toggle grid", "camera.view top", "method ccd", "passes.pace 1/10"] {
        assert!(choices.iter().any(|choice| choice.line == line && choice.asks.is_none()), "{line}");
    }
    let count = |start: &str| choices.iter().filter(|choice| choice.line.starts_with(start)).count();
    assert_eq!(count("toggle "), Show::NAMES.len());
    assert_eq!(count("panel.section "), 2 * Section::NAMES.len());
}

#[test]
fn words_in_any_order_and_case_find_the_command_whose_name_has_them() {
    for row in rows() {
        let words: Vec<&str> = row.name().split('.').collect();
        let backward: String = words.iter().rev().map(|word| word.to_uppercase() + " ").collect();
        for query in [row.name(), &words.join(" "), &backward] {
            let lines = found(query);
            let first = lines.iter().take(12).any(|line| line.split(' ').next() == Some(row.name()));
            assert!(first, "{query} finds {lines:?}");
        }
    }
    assert_eq!(found("light theme")[0], "theme light");
    assert_eq!(found("size text")[0], "font.scale");
    assert!(found("tolerance colours grid").is_empty());
    assert_eq!(found("").len(), choices().len());
}
