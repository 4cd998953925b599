//! Large TOML texts, parsed piece by piece: the parser takes about 45 bytes per byte of the text that it is given.

use super::fault::Read;
use super::node::{Node, Value};
use memchr::memmem;

/// Usual length of a piece, bytes.
pub(super) const LENGTH: usize = 1 << 20;

/// Parses a text in pieces of about `length` bytes that begin with a `[[header]]`. The result is that of parsing the whole
/// text.
///
/// `None` if the whole text must be parsed at once: it is short, it has an error, or two pieces have the same key and it is
/// not a list whose elements have headers. A piece that begins inside a string or a list is such an error, since what
/// precedes it has no end.
pub(super) fn parse(text: &str, length: usize, parse_piece: impl Fn(&str) -> Read<Node>) -> Option<Node> {
    if text.len() <= length {
        return None;
    }
    // What precedes the first header has no lists that headers extend.
    let opening = if text.starts_with("[[") { 0 } else { next_header(text, 0) };
    let mut document = parse_piece(&text[..opening]).ok()?;
    let Value::Table(entries) = &mut document.value else { return None };
    let closed = entries.len();
    let mut start = opening;
    while start < text.len() {
        let end = next_header(text, start + length);
        let mut piece = parse_piece(&text[start..end]).ok()?;
        piece.change_places(&|place| place.map(|offset| start + offset));
        let Value::Table(more) = piece.value else { return None };
        for entry in more {
            match entries.iter().position(|known| known.key == entry.key) {
                None => entries.push(entry),
                Some(at) => match (&mut entries[at].node.value, entry.node.value) {
                    (Value::List(items), Value::List(more)) if at >= closed => items.extend(more),
                    _ => return None,
                },
            }
        }
        start = end;
    }
    // The order in which the parser lists them.
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    Some(document)
}

/// The offset of the first line after `from` that begins like a header of a list; the length of the text if there is none.
fn next_header(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    memmem::find(rest, b"\n[[").map_or(text.len(), |at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::parse::Syntax;
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Lines that are valid in some order, with headers where a piece must not begin.
    const LINES: &[&str] = &[
        "[[joint]]",
        "[[joint]]",
        "[[joint]]\r",
        "[[effector]]",
        "  [[effector]]",
        "[[joint.part]]",
        "[joint.mimic]",
        "[solver]",
        "[solver.more]",
        "joint = []",
        "joint = [\n[[1, 2], [3]],\n[[4]]\n]",
        "a = 1",
        "b = \"é [[joint]]\" # [[joint]]",
        "c = \"\"\"\n[[joint]]\nname = 1\n\"\"\"",
        "d = '''\n[[joint]]'''",
        "e.f = { g = 2 }",
        "\"h i\" = 1979-05-27",
        "# a comment",
        "",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn pieces_give_the_tree_of_the_whole_text(
            lines in proptest::collection::vec(proptest::sample::select(LINES), 1..12),
            length in 0_usize..40,
        ) {
            let text = lines.join("\n");
            let whole = |text: &str| Syntax::Toml.parse(text);
            if let Some(document) = parse(&text, length, whole) {
                prop_assert_eq!(Ok(document), whole(&text));
            }
        }
    }

    #[test]
    fn a_long_list_of_joints_is_parsed_in_pieces() {
        let joint = |at: usize| format!("[[joint]]\nname = \"j{at}\"\noffset = [0, {at}, 0]\n");
        let text = format!("name = \"é\"\n[solver]\nseed = 1\n{}", (0..100).map(joint).collect::<String>());
        let whole = Syntax::Toml.parse(&text).expect("is TOML");
        for length in [0, 1, 50, 1000] {
            let longest = Cell::new(0);
            let document = parse(&text, length, |piece| {
                longest.set(piece.len().max(longest.get()));
                Syntax::Toml.parse(piece)
            });
            assert_eq!(document.as_ref(), Some(&whole));
            assert!(longest.get() < length + 60, "{longest:?}");
        }
    }
}
