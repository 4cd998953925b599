//! Nodes of the syntax tree.

use crate::printable::shown_number;
use glam::{DQuat, DVec3};

/// Byte offset in the text; none for nodes that are not in a text.
pub(crate) type Place = Option<usize>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
}

/// The values of TOML and JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// JSON only.
    Null,
    Bool(bool),
    /// Wide enough for every integer of both syntaxes.
    Integer(i128),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// One key of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    /// Offset of the key.
    pub place: Place,
    pub node: Node,
}

impl Node {
    /// A value that is not in a text.
    pub fn new(value: Value) -> Self {
        Node { value, place: None }
    }

    pub fn list(items: impl IntoIterator<Item = impl Into<Node>>) -> Self {
        Node::new(Value::List(items.into_iter().map(Into::into).collect()))
    }

    pub fn table<'k>(entries: impl IntoIterator<Item = (&'k str, Node)>) -> Self {
        entries.into_iter().collect::<Table>().into()
    }

    /// A description for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".into(),
            Value::Bool(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Number(value) => shown_number(*value),
            Value::Text(text) if text.chars().count() > 40 => "a long text".into(),
            Value::Text(text) => format!("the text {text:?}"),
            Value::List(items) if items.is_empty() => "an empty list".into(),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".into(),
        }
    }
}

impl From<f64> for Node {
    fn from(value: f64) -> Self {
        Node::new(Value::Number(value))
    }
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Node::new(Value::Bool(value))
    }
}

impl From<u64> for Node {
    fn from(value: u64) -> Self {
        Node::new(Value::Integer(value.into()))
    }
}

impl From<DVec3> for Node {
    fn from(vector: DVec3) -> Self {
        Node::list(vector.to_array())
    }
}

impl From<DQuat> for Node {
    fn from(rotation: DQuat) -> Self {
        Node::list(rotation.to_array())
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Node::new(Value::Text(text.to_owned()))
    }
}

/// A table under construction.
#[derive(Default)]
pub(crate) struct Table(Vec<Entry>);

impl Table {
    pub fn put(&mut self, key: &str, node: impl Into<Node>) {
        self.0.push(Entry { key: key.to_owned(), place: None, node: node.into() });
    }

    /// Adds a key if there is a value.
    pub fn put_some(&mut self, key: &str, node: Option<impl Into<Node>>) {
        if let Some(node) = node {
            self.put(key, node);
        }
    }

    /// Adds a list unless it is empty.
    pub fn put_list(&mut self, key: &str, items: impl IntoIterator<Item = impl Into<Node>>) {
        let mut items = items.into_iter().peekable();
        self.put_some(key, items.peek().is_some().then(|| Node::list(items)));
    }

    /// Adds a key unless its value is the default.
    pub fn put_unless<T: Into<Node> + PartialEq>(&mut self, key: &str, value: T, default: T) {
        self.put_some(key, (value != default).then_some(value));
    }

    pub fn put_table(&mut self, key: &str, table: Table) {
        self.put_some(key, (!table.0.is_empty()).then_some(table));
    }
}

impl<'k> FromIterator<(&'k str, Node)> for Table {
    fn from_iter<I: IntoIterator<Item = (&'k str, Node)>>(entries: I) -> Self {
        let mut table = Table::default();
        entries.into_iter().for_each(|(key, node)| table.put(key, node));
        table
    }
}

impl From<Table> for Node {
    fn from(table: Table) -> Self {
        Node::new(Value::Table(table.0))
    }
}
