//! From text to syntax tree.

use super::fault::{Fault, Read};
use super::node::{Entry, Node, Value};
use super::pieces;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
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

pub(crate) fn parse_toml(text: &str) -> Read<Node> {
    pieces::parse(text, pieces::LENGTH, parse_whole_toml).map_or_else(|| parse_whole_toml(text), Ok)
}

fn parse_whole_toml(text: &str) -> Read<Node> {
    let table = DeTable::parse(text).map_err(|error| toml_fault(&error))?;
    let place = Some(table.span().start);
    Ok(Node { value: toml_table(table.get_ref(), 0)?, place })
}

/// Parses one TOML value, as on the right of an equals sign. Anything that is not TOML is a string.
pub(crate) fn parse_toml_value(text: &str) -> Read<Node> {
    match DeValue::parse(text) {
        Ok(value) => toml_node(value.get_ref(), 0, 0).map(|mut node| {
            node.change_places(&|_| None);
            node
        }),
        Err(_) => Ok(Node::from(text)),
    }
}

fn toml_fault(error: &toml::de::Error) -> Fault {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    Fault::new(error.span().map(|span| span.start), format!("this is not TOML: {message}"))
}

fn toml_table(table: &DeTable<'_>, depth: usize) -> Read<Value> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let node = toml_node(value.get_ref(), value.span().start, depth + 1)?;
        entries.push(Entry { key: key.get_ref().to_string(), place: Some(key.span().start), node });
    }
    Ok(Value::Table(entries))
}

fn toml_node(value: &DeValue<'_>, offset: usize, depth: usize) -> Read<Node> {
    let place = Some(offset);
    check_depth(depth, offset)?;
    let value = match value {
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
                nodes.push(toml_node(item.get_ref(), item.span().start, depth + 1)?);
            }
            Value::List(nodes)
        }
        DeValue::Table(table) => toml_table(table, depth)?,
    };
    Ok(Node { value, place })
}

fn check_depth(depth: usize, offset: usize) -> Read<()> {
    if depth <= MAX_DEPTH { Ok(()) } else { Err(Fault::new(Some(offset), "lists and tables are nested too deep")) }
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
    check_depth(depth, offset)?;
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
