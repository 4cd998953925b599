//! Default classes: what an element does not say, its class says, or the class around that one.

use crate::formats::xml::{children, fault, number, numbers, own_children};
use crate::printable::short;
use crate::syntax_tree::fault::{Read, did_you_mean};
use roxmltree::Node;
use std::collections::HashMap;

/// The class around all others.
pub(crate) const MAIN: usize = 0;

pub(crate) struct Classes<'a, 'i> {
    list: Vec<Class<'a, 'i>>,
    by_name: HashMap<&'a str, usize>,
}

struct Class<'a, 'i> {
    parent: Option<usize>,
    /// Its elements. Of two with the same tag, the last counts first.
    parts: Vec<Node<'a, 'i>>,
}

impl<'a, 'i> Classes<'a, 'i> {
    pub fn read(model: Node<'a, 'i>) -> Read<Self> {
        let main = Class { parent: None, parts: Vec::new() };
        let mut classes = Classes { list: vec![main], by_name: HashMap::from([("main", MAIN)]) };
        // A default element with the class around it; at the top it is the class of all.
        let mut waiting: Vec<_> = children(model, "default").map(|node| (node, None)).collect();
        waiting.reverse();
        while let Some((node, parent)) = waiting.pop() {
            let at = match (parent, node.attribute("class").filter(|name| !name.is_empty())) {
                (None, None | Some("main")) => MAIN,
                (None, Some(_)) => {
                    return Err(fault(node, "the outermost <default> is the class `main` and cannot be renamed")
                        .hint("write the class inside it: <default><default class=\"...\">"));
                }
                (Some(_), None) => return Err(fault(node, "a <default> inside another needs class=\"...\"")),
                (Some(parent), Some(name)) => classes.add(node, name, parent)?,
            };
            let parts = own_children(node).filter(|part| !part.has_tag_name("default"));
            classes.list[at].parts.extend(parts);
            waiting
                .extend(children(node, "default").map(|inner| (inner, Some(at))).collect::<Vec<_>>().into_iter().rev());
        }
        Ok(classes)
    }

    fn add(&mut self, node: Node<'_, '_>, name: &'a str, parent: usize) -> Read<usize> {
        let at = self.list.len();
        if self.by_name.insert(name, at).is_some() {
            let message = format!("two default classes are named `{}`", short(name));
            return Err(fault(node, message).hint("every class needs a name of its own"));
        }
        self.list.push(Class { parent: Some(parent), parts: Vec::new() });
        Ok(at)
    }

    /// The class that an attribute names, if it is present.
    pub fn named(&self, node: Node<'_, '_>, attribute: &str) -> Read<Option<usize>> {
        let Some(name) = node.attribute(attribute) else { return Ok(None) };
        self.by_name.get(name).copied().map(Some).ok_or_else(|| {
            let message = format!("there is no default class `{}`", short(name));
            let hint = did_you_mean(name, self.by_name.keys().copied());
            fault(node, message).hint_some(hint)
        })
    }

    /// An element whose defaults are those of `tag` in its own class, or in `class`.
    pub fn element(&self, node: Node<'a, 'i>, tag: &'static str, class: usize) -> Read<Element<'a, 'i>> {
        let mut layers = vec![node];
        let mut next = Some(self.named(node, "class")?.unwrap_or(class));
        while let Some(Class { parent, parts }) = next.map(|at| &self.list[at]) {
            layers.extend(parts.iter().rev().filter(|part| part.has_tag_name(tag)));
            next = *parent;
        }
        Ok(Element { node, layers })
    }
}

/// An element with its defaults.
pub(crate) struct Element<'a, 'i> {
    pub node: Node<'a, 'i>,
    /// The element, then what its classes say of such elements, the nearest class first.
    pub layers: Vec<Node<'a, 'i>>,
}

impl<'a, 'i> Element<'a, 'i> {
    /// An element without defaults.
    pub fn plain(node: Node<'a, 'i>) -> Self {
        Element { node, layers: vec![node] }
    }

    /// The element that says what an attribute is: itself if no class does.
    pub fn holder(&self, name: &str) -> Node<'a, 'i> {
        self.layers.iter().find(|layer| layer.has_attribute(name)).copied().unwrap_or(self.node)
    }

    pub fn word(&self, name: &str) -> Option<&'a str> {
        self.holder(name).attribute(name)
    }

    pub fn number(&self, name: &str) -> Read<Option<f64>> {
        number(self.holder(name), name)
    }

    pub fn numbers<const N: usize>(&self, name: &str) -> Read<Option<[f64; N]>> {
        numbers(self.holder(name), name)
    }
}
