//! What a cell of a table holds.

use std::borrow::Cow;

/// The value in a cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    #[default]
    Empty,
    /// True or false.
    Flag(bool),
    /// An integer; dates and times are integers too, in the unit of their column.
    Integer(i64),
    /// An integer of a column without negative numbers.
    Unsigned(u64),
    /// A number.
    Number(f64),
    /// Text, which is all that CSV has.
    Text(Cow<'a, str>),
}

impl Cell<'_> {
    /// The cell of a result: nothing if the number is missing or not finite.
    pub fn of_number(number: impl Into<Option<f64>>) -> Self {
        number.into().filter(|number| number.is_finite()).map_or(Cell::Empty, Cell::Number)
    }

    /// The cell of a JSON value: a string without its quotes, an integer, nothing for `null`; others are their own text.
    pub fn of_json(json: &str) -> Cell<'_> {
        match json {
            "null" => Cell::Empty,
            text if text.starts_with('"') => {
                Cell::Text(serde_json::from_str(text).map_or(Cow::Borrowed(text), Cow::Owned))
            }
            other => other.parse().map_or(Cell::Text(Cow::Borrowed(other)), Cell::Integer),
        }
    }

    /// The value as JSON; `null` for nothing and for numbers that are not finite.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Cell::Empty => serde_json::Value::Null,
            Cell::Flag(flag) => (*flag).into(),
            Cell::Integer(integer) => (*integer).into(),
            Cell::Unsigned(integer) => (*integer).into(),
            Cell::Number(number) => (*number).into(),
            Cell::Text(text) => text.as_ref().into(),
        }
    }

    /// The same value, borrowed.
    pub fn borrowed(&self) -> Cell<'_> {
        match self {
            Cell::Empty => Cell::Empty,
            Cell::Flag(flag) => Cell::Flag(*flag),
            Cell::Integer(integer) => Cell::Integer(*integer),
            Cell::Unsigned(integer) => Cell::Unsigned(*integer),
            Cell::Number(number) => Cell::Number(*number),
            Cell::Text(text) => Cell::Text(Cow::Borrowed(text)),
        }
    }

    /// The same value with a text of its own.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Cell::Empty => Cell::Empty,
            Cell::Flag(flag) => Cell::Flag(flag),
            Cell::Integer(integer) => Cell::Integer(integer),
            Cell::Unsigned(integer) => Cell::Unsigned(integer),
            Cell::Number(number) => Cell::Number(number),
            Cell::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
        }
    }
}

/// What the cells of a column with a type hold.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has types"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Flag,
    Integer,
    Unsigned,
    Number,
    Text,
    /// Something that is no cell: a list, bytes, a decimal.
    Other,
}

impl Content {
    /// For messages.
    pub fn word(self) -> &'static str {
        match self {
            Content::Flag => "true and false",
            Content::Integer | Content::Unsigned => "integers",
            Content::Number => "numbers",
            Content::Text => "text",
            Content::Other => "lists, bytes, decimals or another type that is not read",
        }
    }
}
