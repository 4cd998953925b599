//! XML elements, with errors that have a position.

use crate::error::SceneError;
use crate::printable::{LARGEST, short};
use crate::source::decode;
use crate::syntax_tree::fault::{Fault, Read};
use crate::syntax_tree::known::Known;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use roxmltree::{Document, Node, ParsingOptions};
use std::borrow::Cow;
use std::collections::HashSet;

/// Parses XML. Document type definitions are refused: no format here needs them, and entities can expand without bound.
pub(crate) fn parse(text: &str) -> Read<Document<'_>> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let position = error.pos();
        // Lines and columns count from 1, columns in characters.
        let lines = text.split_inclusive('\n').take(position.row.saturating_sub(1) as usize);
        let line_start: usize = lines.map(str::len).sum();
        let column = position.col.saturating_sub(1) as usize;
        let within = text[line_start..].char_indices().nth(column).map_or(text.len() - line_start, |(at, _)| at);
        let mut at = line_start + within;
        let message = match &error {
            roxmltree::Error::UnexpectedCloseTag(open, close, _) => {
                let opened = opening(text, line_start + within, open).unwrap_or_else(|| format!("<{open}>"));
                format!("</{close}> comes before {opened} is closed")
            }
            roxmltree::Error::UnclosedRootNode => match unclosed(text) {
                Some((element, start)) => {
                    at = start;
                    format!("{element} is never closed")
                }
                None => "an element is never closed".to_owned(),
            },
            error => error.to_string().split(" at ").next().unwrap_or_default().to_owned(),
        };
        Fault::new(Some(at), format!("this is not XML: {message}"))
    })
}

/// Most elements that are closed for a message, and longest text in which that is tried, bytes: it is parsed for each of them.
const MOST_OPEN: usize = 64;
const SHORT_TEXT: usize = 1 << 18;

/// The first element that is still open before the closing tag at an offset, with its line: what would end there if everything were
/// closed before this tag, or if it were the tag of `name`. None if neither makes XML of the text.
fn opening(text: &str, at: usize, name: &str) -> Option<String> {
    let (before, tag) = text.split_at_checked(at).filter(|_| text.len() <= SHORT_TEXT)?;
    let mistyped = tag.split_once('>')?.1;
    [tag, mistyped].into_iter().find_map(|rest| {
        let mut closed = format!("{before}</{name}>");
        for _ in 0..MOST_OPEN {
            let text = format!("{closed}{rest}");
            let document = match Document::parse(&text) {
                Ok(document) => document,
                Err(roxmltree::Error::UnexpectedCloseTag(open, ..)) => {
                    closed += &format!("</{open}>");
                    continue;
                }
                Err(_) => return None,
            };
            let is_open = |node: &Node<'_, '_>| node.is_element() && node.range().end == closed.len();
            let node = document.descendants().find(is_open)?;
            return Some(format!("{} of line {}", title(node), document.text_pos_at(node.range().start).row));
        }
        None
    })
}

/// The innermost element that is open where a text ends, and where it starts.
fn unclosed(text: &str) -> Option<(String, usize)> {
    let (mut closed, mut innermost) = (Some(text).filter(|text| text.len() <= SHORT_TEXT)?.to_owned(), None);
    for _ in 0..MOST_OPEN {
        // A tag that closes nothing tells the name of what is open.
        let Err(roxmltree::Error::UnexpectedCloseTag(open, ..)) = Document::parse(&format!("{closed}</_>")) else {
            break;
        };
        closed += &format!("</{open}>");
        innermost.get_or_insert(closed.len());
    }
    let document = Document::parse(&closed).ok()?;
    let is_innermost = |node: &Node<'_, '_>| node.is_element() && Some(node.range().end) == innermost;
    let node = document.descendants().find(is_innermost)?;
    Some((title(node), node.range().start))
}

/// The text of an XML file, without its declaration. It has the encoding of its byte order mark, otherwise the declared one;
/// UTF-16 without a mark starts with `<` and a zero byte.
pub(crate) fn text(bytes: Vec<u8>, origin: &str) -> Result<String, SceneError> {
    let declared = declared_encoding(&bytes).filter(|_| Encoding::for_bom(&bytes).is_none());
    let encoding = match bytes.as_slice() {
        [b'<', 0, ..] => Some(UTF_16LE),
        [0, b'<', ..] => Some(UTF_16BE),
        // What can be read as ASCII so far is no UTF-16.
        _ => declared.and_then(Encoding::for_label).filter(|encoding| ![UTF_16LE, UTF_16BE].contains(encoding)),
    };
    let text = match encoding {
        Some(encoding) if encoding != UTF_8 => {
            let decoded = encoding.decode_without_bom_handling_and_without_replacement(&bytes);
            decoded.map(Cow::into_owned).ok_or_else(|| {
                let name = encoding.name();
                SceneError::new(origin, format!("this is not {name} text"))
                    .with_hint("save the file as UTF-8 and declare that: <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
            })?
        }
        _ => decode(bytes, origin)?,
    };
    Ok(without_declaration(text))
}

/// What follows the declaration and the comments at the start of an XML file: its root element. Empty if the start ends before it.
pub(crate) fn root_element(mut start: &[u8]) -> &[u8] {
    loop {
        let end: &[u8] = match start {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'!', ..] => b">",
            _ => return start,
        };
        let Some(at) = memchr::memmem::find(start, end) else { return b"" };
        start = start[at + end.len()..].trim_ascii_start();
    }
}

/// The name of the encoding in an XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<&[u8]> {
    let declaration = bytes.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memmem::find(declaration, b"?>")?];
    let (_, after) = declaration.split_at(memchr::memmem::find(declaration, b"encoding")? + b"encoding".len());
    let quoted = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = quoted.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    rest.split(|byte| byte == quote).next()
}

/// Replaces the XML declaration with blanks, so offsets stay the same. The text is already decoded, and many hand-written
/// files have incomplete declarations, or blank lines before them.
fn without_declaration(mut text: String) -> String {
    if let Some(end) = text.trim_start().starts_with("<?xml").then(|| text.find("?>")).flatten() {
        let blanks: String =
            text[..end + 2].chars().map(|c| if c == '\n' { "\n".into() } else { " ".repeat(c.len_utf8()) }).collect();
        text.replace_range(..end + 2, &blanks);
    }
    text
}

/// Most namespace prefixes that are declared for a file.
const MAX_PREFIXES: usize = 16;

/// Declares the namespace prefixes that a file uses without a declaration, in the start tag of its root element; their
/// elements then count as those of a foreign namespace. Returns the prefixes too.
pub(crate) fn with_declared_prefixes(mut text: String) -> (String, Vec<String>) {
    let mut declared = Vec::new();
    while declared.len() < MAX_PREFIXES
        && let Err(roxmltree::Error::UnknownNamespace(prefix, _)) = Document::parse(&text)
        && let Some(at) = end_of_root_name(&text)
    {
        text.insert_str(at, &format!(" xmlns:{prefix}=\"undeclared:{prefix}\""));
        declared.push(prefix);
    }
    (text, declared)
}

/// Offset of the first byte after the name of the root element.
fn end_of_root_name(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let skipped = match &text[at..] {
            comment if comment.starts_with("<!--") => comment.find("-->")?,
            instruction if instruction.starts_with("<?") => instruction.find("?>")?,
            tag => return tag.find(|c: char| c.is_whitespace() || c == '>' || c == '/').map(|end| at + end),
        };
        at += skipped;
    }
}

/// A fault at an element.
pub(crate) fn fault(node: Node<'_, '_>, message: impl Into<String>) -> Fault {
    Fault::new(Some(node.range().start), message)
}

/// An element in messages: its tag, with its name if it has one.
pub(crate) fn title(node: Node<'_, '_>) -> String {
    match node.attribute("name").filter(|name| !name.is_empty()) {
        Some(name) => format!("<{} name=\"{name}\">", node.tag_name().name()),
        None => format!("<{}>", node.tag_name().name()),
    }
}

/// The child elements with a tag, in the namespace of the element itself.
pub(crate) fn children<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    let is_own = move |name: roxmltree::ExpandedName<'_, '_>| {
        name.name() == tag && name.namespace() == node.tag_name().namespace()
    };
    node.children().filter(move |child| child.is_element() && is_own(child.tag_name()))
}

/// The first child element with a tag.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> Option<Node<'a, 'i>> {
    children(node, tag).next()
}

/// What is known of elements with one tag.
pub(crate) struct Part {
    pub tag: &'static str,
    /// Names of attributes, separated by blanks.
    pub attributes: &'static str,
    /// Tags of the children, each of which occurs once.
    pub children: &'static str,
}

impl Part {
    /// The attributes and children of an element that are not known. Those of foreign namespaces are for other programs.
    pub fn unread(&self, node: Node<'_, '_>) -> Vec<Fault> {
        self.unread_among(node, own_children(node))
    }

    /// As [`Part::unread`], of an element whose children may occur any number of times.
    pub fn unread_of_many(&self, node: Node<'_, '_>) -> Vec<Fault> {
        let mut seen = HashSet::new();
        self.unread_among(node, own_children(node).filter(move |child| seen.insert(child.tag_name().name())))
    }

    fn unread_among<'a>(&self, node: Node<'a, '_>, children: impl Iterator<Item = Node<'a, 'a>>) -> Vec<Fault> {
        let place = |at: usize| Some(at);
        let attributes = node.attributes().filter(|attribute| attribute.namespace().is_none());
        let attributes = attributes.map(|attribute| (attribute.name(), place(attribute.range().start)));
        let children = children.map(|child| (child.tag_name().name(), place(child.range().start)));
        let within = format!(" in <{}>", self.tag);
        let known = |kind, names| Known { kind, names };
        let attributes = known("attribute", self.attributes).unread(attributes, &within);
        attributes.chain(known("element", self.children).unread(children, &within)).collect()
    }
}

/// Warnings about parts of a file that are not read, in the order of the text: what is the same in many places is told for the first
/// of them. `told` makes the warning.
pub(crate) fn told_once(found: impl Iterator<Item = Fault>, told: impl Fn(Fault) -> String) -> Vec<String> {
    let mut faults: Vec<(Fault, usize)> = Vec::new();
    for fault in found {
        match faults.iter_mut().find(|(known, _)| known.message == fault.message) {
            Some((_, count)) => *count += 1,
            None => faults.push((fault, 1)),
        }
    }
    faults.sort_by_key(|(fault, _)| fault.place);
    let warning = |(mut fault, count): (Fault, usize)| {
        if count > 1 {
            fault.message = format!("{} ({count} times)", fault.message);
        }
        told(fault)
    };
    faults.into_iter().map(warning).collect()
}

/// The child elements in the namespace of the element itself.
pub(crate) fn own_children<'a, 'i>(node: Node<'a, 'i>) -> impl DoubleEndedIterator<Item = Node<'a, 'i>> {
    let own = move |child: &Node<'_, '_>| child.tag_name().namespace() == node.tag_name().namespace();
    node.children().filter(move |child| child.is_element() && own(child))
}

/// The value of a required attribute, not empty.
pub(crate) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Read<&'a str> {
    let value = node.attribute(name).map(str::trim).filter(|value| !value.is_empty());
    value.ok_or_else(|| fault(node, format!("{} has no attribute {name}=\"...\"", title(node))))
}

/// The finite number of an attribute, if it is present.
pub(crate) fn number(node: Node<'_, '_>, name: &str) -> Read<Option<f64>> {
    Ok(numbers(node, name)?.map(|[value]| value))
}

/// The `N` finite numbers of an attribute, if it is present.
pub(crate) fn numbers<const N: usize>(node: Node<'_, '_>, name: &str) -> Read<Option<[f64; N]>> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    let mut values = [0.0; N];
    let mut words = text.split_whitespace();
    for value in &mut values {
        let missing = || wrong_value(node, name, text, &format!("must be {N} number{}", plural(N)));
        *value = finite(node, name, text, words.next().ok_or_else(missing)?)?;
    }
    match words.next() {
        None => Ok(Some(values)),
        Some(extra) => {
            let what = format!("must be {N} number{}, and `{}` follows", plural(N), short(extra));
            Err(wrong_value(node, name, text, &what))
        }
    }
}

/// All finite numbers of an attribute, if it is present.
pub(crate) fn number_list(node: Node<'_, '_>, name: &str) -> Read<Option<Vec<f64>>> {
    let Some(text) = node.attribute(name) else { return Ok(None) };
    text.split_whitespace().map(|word| finite(node, name, text, word)).collect::<Read<_>>().map(Some)
}

/// The number that is a word of an attribute's text.
fn finite(node: Node<'_, '_>, name: &str, text: &str, word: &str) -> Read<f64> {
    let wrong = |what: &str| wrong_value(node, name, text, what);
    let value: f64 = word.parse().map_err(|_| wrong(&format!("holds `{}`, which is not a number", short(word))))?;
    match (-LARGEST..=LARGEST).contains(&value) {
        true => Ok(value),
        false => Err(wrong(if value.is_finite() { "is beyond 1e100" } else { "is not finite" })),
    }
}

fn wrong_value(node: Node<'_, '_>, name: &str, text: &str, what: &str) -> Fault {
    let fault = fault(node, format!("{}: {name}=\"{}\" {what}", title(node), short(text)));
    let xacro = text.contains("${") || text.contains("$(");
    let hint = match xacro {
        true => Some("this is a macro; run it through xacro first"),
        false => text.contains(',').then_some("decimals follow a point; spaces separate numbers"),
    };
    fault.hint_some(hint.map(str::to_owned))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
