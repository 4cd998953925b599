//! The top-level lists of a glTF document, and references between them.

use crate::syntax_tree::fault::Read;
use crate::syntax_tree::fields::Item;
use crate::syntax_tree::{Node, Value};

/// The top-level lists, whose elements refer to each other by index.
pub(crate) struct Lists<'a> {
    pub root: Item<'a>,
    pub nodes: Vec<Item<'a>>,
    pub meshes: Vec<Item<'a>>,
    pub skins: Vec<Item<'a>>,
    pub animations: Vec<Item<'a>>,
    pub accessors: Vec<Item<'a>>,
    pub buffer_views: Vec<Item<'a>>,
    pub buffers: Vec<Item<'a>>,
    pub materials: Vec<Item<'a>>,
    pub textures: Vec<Item<'a>>,
    pub images: Vec<Item<'a>>,
    pub samplers: Vec<Item<'a>>,
    pub scenes: Vec<Item<'a>>,
}

impl<'a> Lists<'a> {
    pub fn new(document: &'a Node) -> Read<Self> {
        let root = Item::root(document);
        if !matches!(document.value, Value::Table(_)) {
            return Err(root.fault("this is not glTF: expected an object"));
        }
        let list = |key| list(&root, key);
        Ok(Lists {
            nodes: list("nodes")?,
            meshes: list("meshes")?,
            skins: list("skins")?,
            animations: list("animations")?,
            accessors: list("accessors")?,
            buffer_views: list("bufferViews")?,
            buffers: list("buffers")?,
            materials: list("materials")?,
            textures: list("textures")?,
            images: list("images")?,
            samplers: list("samplers")?,
            scenes: list("scenes")?,
            root,
        })
    }
}

/// The value of a required key.
pub(crate) fn require<'a>(item: &Item<'a>, key: &str) -> Read<Item<'a>> {
    match &item.node.value {
        Value::Table(_) => item.get(key).ok_or_else(|| item.fault(format!("lacks the key `{key}`"))),
        _ => Err(item.fault("expected an object")),
    }
}

/// The elements of a list; none if it is absent.
pub(crate) fn list<'a>(item: &Item<'a>, key: &str) -> Read<Vec<Item<'a>>> {
    item.get(key).map_or(Ok(Vec::new()), |list| list.list())
}

/// The string of a key, if present.
pub(crate) fn word<'a>(item: &Item<'a>, key: &str) -> Read<Option<&'a str>> {
    let Some(value) = item.get(key) else { return Ok(None) };
    match &value.node.value {
        Value::Text(text) => Ok(Some(text)),
        _ => Err(value.fault("expected a text")),
    }
}

/// A non-negative integer.
pub(crate) fn count(item: &Item<'_>) -> Read<usize> {
    item.integer(0_usize, "a whole number that is not negative")
}

/// The non-negative integer of a key, if present.
pub(crate) fn count_of(item: &Item<'_>, key: &str) -> Read<Option<usize>> {
    item.get(key).map(|value| count(&value)).transpose()
}

/// A valid index into a list; `what` names its elements.
pub(crate) fn index(item: &Item<'_>, list: &[Item<'_>], what: &str) -> Read<usize> {
    let at = count(item)?;
    if at < list.len() {
        return Ok(at);
    }
    let there = match list.len() {
        0 => "there are none".to_owned(),
        1 => "there is one, 0".to_owned(),
        many => format!("there are {many}, counted from 0"),
    };
    Err(item.fault(format!("there is no {what} {at}; {there}")))
}

/// The valid index of a key, if present.
pub(crate) fn index_of(item: &Item<'_>, key: &str, list: &[Item<'_>], what: &str) -> Read<Option<usize>> {
    item.get(key).map(|value| index(&value, list, what)).transpose()
}
