//! Words of a line: separated by blanks, in quotation marks if they contain blanks.

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
