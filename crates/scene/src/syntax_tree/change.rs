//! Changes to single values of a scene file, such as `--set solver.tolerance=1e-6`.

use super::fault::{Fault, Read, did_you_mean};
use super::node::{Entry, Node, Value};
use super::parse::parse_toml_value;
use std::str::FromStr;

/// A new value for a key, given by its dotted path. List elements are selected by index or by name:
/// `joint.elbow.range=[0, 90]`, `effector[0].target=[1, 2, 0]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    path: Vec<String>,
    value: Node,
}

impl Change {
    /// Sets a top-level key to a string.
    pub fn text(key: &str, value: &str) -> Self {
        Change { path: vec![key.to_owned()], value: Node::from(value) }
    }

    /// Whether it sets a top-level key.
    pub fn sets(&self, key: &str) -> bool {
        self.path[0] == key
    }

    /// Applies the change. Missing tables along the path are created.
    pub(crate) fn apply(&self, document: &mut Node) -> Read<()> {
        let mut node = document;
        for (at, step) in self.path.iter().enumerate() {
            let here = || self.path[..at].join(".");
            node = match &mut node.value {
                Value::Table(entries) => {
                    let index = entries.iter().position(|entry| entry.key == *step).unwrap_or_else(|| {
                        let node = Node::new(Value::Table(Vec::new()));
                        entries.push(Entry { key: step.clone(), place: None, node });
                        entries.len() - 1
                    });
                    &mut entries[index].node
                }
                Value::List(items) => {
                    let index = element(items, step).map_err(|hint| {
                        Fault::new(None, format!("`{}` has no element `{step}`", here())).hint_some(hint)
                    })?;
                    &mut items[index]
                }
                _ => return Err(Fault::new(None, format!("`{}` has no keys, so it has no `{step}`", here()))),
            };
        }
        *node = self.value.clone();
        Ok(())
    }
}

/// The index of a list element, given by index or name. The error is a hint about the elements.
fn element(items: &[Node], step: &str) -> Result<usize, Option<String>> {
    let names: Vec<Option<&str>> = items.iter().map(name).collect();
    let by_name = names.iter().position(|name| *name == Some(step));
    by_name.or_else(|| step.parse().ok().filter(|&index| index < items.len())).ok_or_else(|| {
        let count = format!("there are {}, counted from 0", items.len());
        did_you_mean(step, names.into_iter().flatten()).or(Some(count))
    })
}

fn name(node: &Node) -> Option<&str> {
    let Value::Table(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == "name").and_then(|entry| match &entry.node.value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

impl FromStr for Change {
    type Err = String;

    /// Reads `path=value`. The value is TOML; plain words need no quotes.
    fn from_str(text: &str) -> Result<Self, String> {
        let (path, value) = text.split_once('=').ok_or("expected KEY=VALUE, for example solver.tolerance=1e-6")?;
        let path: Vec<String> =
            path.trim().replace('[', ".").replace(']', "").split('.').map(|step| step.trim().to_owned()).collect();
        if path.iter().any(String::is_empty) {
            return Err("a part of the key's path is empty; expected for example solver.tolerance=1e-6".into());
        }
        let value = parse_toml_value(value.trim()).map_err(|fault| fault.message)?;
        Ok(Change { path, value })
    }
}
