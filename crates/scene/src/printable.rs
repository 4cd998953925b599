//! Text and numbers from files and arguments: bounded, made safe for a terminal, short for messages.

/// Replaces the characters that would act on a terminal instead of being shown by their escapes, such as `\u{1b}`: control
/// characters, and marks that change the direction of text. A line break stays if indented text follows, as in messages
/// with advice; any other would begin a line that pretends to be a message of its own.
pub fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let acts = match c {
            '\n' => !text[at + 1..].starts_with("  "),
            '\t' => false,
            _ => acts_on_terminal(c),
        };
        if acts { clean.extend(c.escape_default()) } else { clean.push(c) }
    }
    clean
}

/// JSON in which these characters are escaped. The text stays the same.
pub(crate) fn printable_json(json: String) -> String {
    if !json.contains(acts_on_terminal) {
        return json;
    }
    // All of them have no more than 16 bits.
    let escaped = |c: char| if acts_on_terminal(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    json.chars().map(escaped).collect()
}

/// A number for messages: very large and very small ones in scientific notation.
pub fn shown_number(number: f64) -> String {
    let is_ordinary = number == 0.0 || (1e-6..1e15).contains(&number.abs()) || !number.is_finite();
    if is_ordinary { number.to_string() } else { format!("{number:e}") }
}

/// Whether a character is a control character or changes the direction of the text around it (Unicode's explicit directional
/// formatting).
fn acts_on_terminal(c: char) -> bool {
    let turns_text =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns_text
}

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

/// Largest magnitude of a number; its square is finite.
pub(crate) const LARGEST: f64 = 1e100;

/// Reads a number of up to 1e100.
pub fn bounded_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.abs() <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_text_and_shows_every_character() {
        for text in ["a", "\u{9b}31m\u{7f}\u{202e}", "\u{1b}[0m", "手\n\t\"\\"] {
            let json = printable_json(serde_json::to_string(text).expect("text"));
            assert!(!json.contains(acts_on_terminal), "{json:?}");
            assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
        }
    }

    #[test]
    fn numbers_are_short_and_read_back() {
        for number in [0.0, 1.0, -0.5, 123_456.75, 1e-5, 1e-7, 1e15, 1e100, -1e308, f64::MIN_POSITIVE] {
            let text = shown_number(number);
            assert!(text.len() < 25 && text.parse() == Ok(number), "{text}");
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in ["", "Arm", "unknown key `x`\n  known: y, z", "a\tb", "Ärmel 手"] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn no_character_that_acts_on_a_terminal_remains() {
        assert_eq!(
            printable("\u{1b}[31mred\u{202e}\r\nerror: no\u{9b}"),
            "\\u{1b}[31mred\\u{202e}\\r\\nerror: no\\u{9b}"
        );
        let all: String = (0..=0x2100).filter_map(char::from_u32).collect();
        let clean = printable(&all);
        assert!(clean.chars().all(|c| c == '\t' || !acts_on_terminal(c)));
    }
}
