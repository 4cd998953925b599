//! From syntax tree to text.

use super::node::{Entry, Node, Value};
use super::parse::Syntax;
use crate::printable::printable_json;
use std::fmt::Write;

/// Longest line of a list, characters.
const WIDTH: usize = 100;

impl Syntax {
    pub(crate) fn print(self, document: &Node) -> String {
        match self {
            Syntax::Toml => to_toml(document),
            Syntax::Json => json(document, 0) + "\n",
        }
    }
}

/// TOML: values first, then tables and lists of tables as sections. The document is a table.
fn to_toml(document: &Node) -> String {
    let Value::Table(entries) = &document.value else { return String::new() };
    let (sections, values): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| is_section(&entry.node));
    let mut out = String::new();
    values.iter().for_each(|entry| toml_line(entry, &mut out));
    for Entry { key, node, .. } in sections {
        match &node.value {
            Value::Table(entries) => toml_section(&format!("[{key}]"), entries, &mut out),
            Value::List(items) => {
                for item in items {
                    if let Value::Table(entries) = &item.value {
                        toml_section(&format!("[[{key}]]"), entries, &mut out);
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// Whether TOML writes it as sections: a table, or a list of tables.
fn is_section(node: &Node) -> bool {
    match &node.value {
        Value::Table(_) => true,
        Value::List(items) => !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Table(_))),
        _ => false,
    }
}

fn toml_section(heading: &str, entries: &[Entry], out: &mut String) {
    out.push('\n');
    out.push_str(heading);
    out.push('\n');
    entries.iter().for_each(|entry| toml_line(entry, out));
}

fn toml_line(entry: &Entry, out: &mut String) {
    let flat = inline(&entry.node, Syntax::Toml);
    let text = match &entry.node.value {
        Value::List(items) if flat.len() > WIDTH => broken(items, "    ", "", Syntax::Toml),
        _ => flat,
    };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{} = {text}", entry.key);
}

/// Indented JSON. Lists and tables that fit into a line are not broken.
fn json(node: &Node, depth: usize) -> String {
    let flat = inline(node, Syntax::Json);
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    let block = |open: char, lines: Vec<String>, close: char| {
        format!("{open}\n{inner}{}\n{outer}{close}", lines.join(&format!(",\n{inner}")))
    };
    match &node.value {
        Value::Table(entries) if depth == 0 || flat.len() > WIDTH => {
            let line = |entry: &Entry| format!("{}: {}", quoted(&entry.key), json(&entry.node, depth + 1));
            block('{', entries.iter().map(line).collect(), '}')
        }
        Value::List(items) if flat.len() > WIDTH => {
            match items.iter().any(|item| matches!(item.value, Value::Table(_))) {
                true => block('[', items.iter().map(|item| json(item, depth + 1)).collect(), ']'),
                false => broken(items, &inner, &outer, Syntax::Json),
            }
        }
        _ => flat,
    }
}

/// A list, broken into lines.
fn broken(items: &[Node], inner: &str, outer: &str, syntax: Syntax) -> String {
    let mut out = String::from("[\n");
    let mut line = String::from(inner);
    for (at, item) in items.iter().enumerate() {
        let mut text = inline(item, syntax);
        if at + 1 < items.len() {
            text.push(',');
        }
        if line.len() > inner.len() && line.len() + 1 + text.len() > WIDTH {
            let _ = writeln!(out, "{line}");
            line = String::from(inner);
        }
        if line.len() > inner.len() {
            line.push(' ');
        }
        line.push_str(&text);
    }
    let _ = write!(out, "{line}\n{outer}]");
    out
}

/// A node in one line.
fn inline(node: &Node, syntax: Syntax) -> String {
    match &node.value {
        Value::Null if syntax == Syntax::Toml => quoted("none"),
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => number(*value),
        Value::Text(text) => quoted(text),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(item, syntax)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(entries) => {
            let entry = |entry: &Entry| match syntax {
                Syntax::Toml => format!("{} = {}", entry.key, inline(&entry.node, syntax)),
                Syntax::Json => format!("{}: {}", quoted(&entry.key), inline(&entry.node, syntax)),
            };
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// The shortest text that reads back as the same number; integers have no fraction.
fn number(value: f64) -> String {
    let whole = value.fract() == 0.0 && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative());
    if whole { format!("{value}") } else { format!("{value:?}") }
}

/// A quoted string: TOML knows all escapes of JSON.
fn quoted(text: &str) -> String {
    printable_json(serde_json::Value::from(text).to_string())
}
