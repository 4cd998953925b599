//! From text to syntax tree.

use super::fault::{Fault, Read};
use super::node::{Entry, Node, Place, Value};
use memchr::memmem;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The syntaxes of scene files. Both have the same keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// TOML, for people.
    Toml,
    /// JSON, for programs.
    Json,
}

impl Syntax {
    pub(crate) fn parse(self, text: &str) -> Read<Node> {
        match self {
            Syntax::Toml => parse_toml(text),
            Syntax::Json => parse_json(text),
        }
    }
}

/// Deepest nesting that is read; a scene needs five levels.
const MAX_DEPTH: usize = 32;

/// Usual length of a piece of a large TOML text, bytes. The parser takes about 45 bytes per byte of the text that it is given.
const PIECE: usize = 1 << 20;

pub(crate) fn parse_toml(text: &str) -> Read<Node> {
    parse_pieces(text, PIECE, parse_piece).map_or_else(|| parse_piece(text, 0), Ok)
}

/// Parses TOML that has this offset in the whole text.
fn parse_piece(text: &str, start: usize) -> Read<Node> {
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        let message = message.replace("expected `\"`", "a closing quotation mark is missing");
        Fault::new(error.span().map(|span| span.start), format!("this is not TOML: {message}"))
    })?;
    let place = Some(start + table.span().start);
    Ok(Node { value: toml_table(table.get_ref(), Some(start), 0)?, place })
}

/// Parses a text in pieces of about `length` bytes that begin with a `[[header]]`. The result is that of parsing the whole
/// text.
///
/// `None` if the whole text must be parsed at once: it is short, it has an error, or two pieces have the same key and it is
/// not a list whose elements have headers. A piece that begins inside a string or a list is such an error, since what
/// precedes it has no end.
fn parse_pieces(text: &str, length: usize, parse_piece: impl Fn(&str, usize) -> Read<Node>) -> Option<Node> {
    if text.len() <= length {
        return None;
    }
    // What precedes the first header has no lists that headers extend.
    let opening = if text.starts_with("[[") { 0 } else { next_header(text, 0) };
    let mut document = parse_piece(&text[..opening], 0).ok()?;
    let Value::Table(entries) = &mut document.value else { return None };
    let closed = entries.len();
    let mut start = opening;
    while start < text.len() {
        let end = next_header(text, start + length);
        let Value::Table(more) = parse_piece(&text[start..end], start).ok()?.value else { return None };
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

/// Parses one TOML value, as on the right of an equals sign. Anything that is not TOML is a string.
pub(crate) fn parse_toml_value(text: &str) -> Read<Node> {
    match DeValue::parse(text) {
        Ok(value) => toml_node(&value, None, 0),
        Err(_) => Ok(Node::from(text)),
    }
}

/// A table of a text that has the offset `start` in the whole text; none: its nodes have no places.
fn toml_table(table: &DeTable<'_>, start: Place, depth: usize) -> Read<Value> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let place = start.map(|start| start + key.span().start);
        entries.push(Entry { key: key.get_ref().to_string(), place, node: toml_node(value, start, depth + 1)? });
    }
    Ok(Value::Table(entries))
}

fn toml_node(value: &Spanned<DeValue<'_>>, start: Place, depth: usize) -> Read<Node> {
    let place = start.map(|start| start + value.span().start);
    check_depth(depth, place)?;
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => {
            let digits = integer.as_str();
            Value::Integer(
                i128::from_str_radix(digits, integer.radix())
                    .map_err(|_| Fault::new(place, format!("the number {digits} is too large")))?,
            )
        }
        DeValue::Float(float) => Value::Number(
            float.as_str().parse().map_err(|_| Fault::new(place, format!("`{}` is not a number", float.as_str())))?,
        ),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(items) => {
            let mut nodes = Vec::with_capacity(items.len());
            for item in items {
                nodes.push(toml_node(item, start, depth + 1)?);
            }
            Value::List(nodes)
        }
        DeValue::Table(table) => toml_table(table, start, depth)?,
    };
    Ok(Node { value, place })
}

fn check_depth(depth: usize, place: Place) -> Read<()> {
    if depth <= MAX_DEPTH { Ok(()) } else { Err(Fault::new(place, "lists and tables are nested too deep")) }
}

/// Parses JSON. Each value is first read as raw text, which gives its offset.
pub(crate) fn parse_json(text: &str) -> Read<Node> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| json_fault(&error, text, 0))?;
    json_node(raw, text, 0)
}

/// The fault for an error in `part`, which starts at `offset` in the text. The error's line and column count from there.
fn json_fault(error: &serde_json::Error, part: &str, offset: usize) -> Fault {
    let line_start: usize = part.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let place = offset + line_start + error.column().saturating_sub(1);
    let message = error.to_string();
    let message = match message.split(" at line ").next().unwrap_or_default() {
        "expected ident" => "expected true, false or null",
        "expected value" => "expected a value",
        message => message,
    };
    Fault::new(Some(place), format!("this is not JSON: {message}"))
}

fn json_node(raw: &RawValue, text: &str, depth: usize) -> Read<Node> {
    let part = raw.get();
    let offset = part.as_ptr() as usize - text.as_ptr() as usize;
    check_depth(depth, Some(offset))?;
    let fault = |error: serde_json::Error| json_fault(&error, part, offset);
    let value = match part.as_bytes().first() {
        Some(b'{') => {
            let entries: Entries<'_> = serde_json::from_str(part).map_err(fault)?;
            let entries = entries.0.into_iter().map(|(key, raw)| {
                let node = json_node(raw, text, depth + 1)?;
                Ok(Entry { key: key.into_owned(), place: node.place, node })
            });
            Value::Table(entries.collect::<Read<_>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(part).map_err(fault)?;
            Value::List(items.into_iter().map(|raw| json_node(raw, text, depth + 1)).collect::<Read<_>>()?)
        }
        Some(b'"') => Value::Text(serde_json::from_str(part).map_err(fault)?),
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'n') => Value::Null,
        _ => match part.parse::<i128>() {
            Ok(integer) => Value::Integer(integer),
            Err(_) => {
                Value::Number(part.parse().map_err(|_| Fault::new(Some(offset), format!("`{part}` is not a number")))?)
            }
        },
    };
    Ok(Node { value, place: Some(offset) })
}

/// The entries of one JSON object, in file order. A duplicate key is an error.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
                let mut seen = std::collections::HashSet::new();
                while let Some((key, raw)) = map.next_entry::<Cow<'de, str>, _>()? {
                    if !seen.insert(key.clone()) {
                        return Err(A::Error::custom(format!("the key `{key}` appears twice")));
                    }
                    entries.push((key, raw));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
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
            if let Some(document) = parse_pieces(&text, length, parse_piece) {
                prop_assert_eq!(Ok(document), parse_piece(&text, 0));
            }
        }
    }

    #[test]
    fn a_long_list_of_joints_is_parsed_in_pieces() {
        let joint = |at: usize| format!("[[joint]]\nname = \"j{at}\"\noffset = [0, {at}, 0]\n");
        let text = format!("name = \"é\"\n[solver]\nseed = 1\n{}", (0..100).map(joint).collect::<String>());
        let whole = parse_piece(&text, 0).expect("is TOML");
        for length in [0, 1, 50, 1000] {
            let longest = Cell::new(0);
            let document = parse_pieces(&text, length, |piece, start| {
                longest.set(piece.len().max(longest.get()));
                parse_piece(piece, start)
            });
            assert_eq!(document.as_ref(), Some(&whole));
            assert!(longest.get() < length + 60, "{longest:?}");
        }
    }
}
