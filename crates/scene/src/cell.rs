//! What a cell of a table holds.

use std::borrow::Cow;

/// The value in a cell of a table, such as the id of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Empty,
    /// A whole number.
    Integer(u64),
    /// Text.
    Text(Cow<'a, str>),
}

impl Cell<'_> {
    /// The cell of a JSON value: a string without its quotes, nothing for `null`; others are their own text.
    pub fn of_json(json: &str) -> Cell<'_> {
        match json {
            "null" => Cell::Empty,
            text if text.starts_with('"') => {
                Cell::Text(serde_json::from_str(text).map_or(Cow::Borrowed(text), Cow::Owned))
            }
            other => Cell::Text(Cow::Borrowed(other)),
        }
    }

    /// The value as JSON; `null` for nothing.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Cell::Empty => serde_json::Value::Null,
            Cell::Integer(integer) => (*integer).into(),
            Cell::Text(text) => text.as_ref().into(),
        }
    }
}
