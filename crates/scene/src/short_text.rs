//! Names and texts of files, shortened for messages.

/// Most names in a list of names.
const MAX_NAMES: usize = 12;

/// Names for messages, separated by commas: at most twelve, and how many more there are.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    let mut list: Vec<String> = names.iter().take(MAX_NAMES).map(|name| short(name.as_ref())).collect();
    if names.len() > list.len() {
        list.push(format!("{} more", names.len() - list.len()));
    }
    list.join(", ")
}

/// A text of at most 40 characters for messages.
pub(crate) fn short(text: &str) -> String {
    shortened(text, 40)
}

/// The first `longest` characters of a text, with dots if there are more.
pub(crate) fn shortened(text: &str, longest: usize) -> String {
    let mut short: String = text.chars().take(longest).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}
