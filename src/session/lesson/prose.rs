//! Sentences with highlighted names.

use std::fmt;

/// Sentences about a step, in which the names of joints and effectors are marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose(String);

/// Marks before and after a name: the isolate characters of Unicode.
const MARKS: [char; 2] = ['\u{2068}', '\u{2069}'];

/// A part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProsePart<'a> {
    /// Ordinary text.
    Plain(&'a str),
    /// A name, in quotation marks unless it is one of P1, P2, ...
    Name(&'a str),
}

impl Prose {
    pub(super) fn new(text: String) -> Self {
        Prose(text.trim_end().to_owned())
    }

    /// A name with its marks, for the text of a prose.
    pub(super) fn name(name: &str, quoted: bool) -> String {
        let [open, close] = MARKS;
        if quoted { format!("{open}“{name}”{close}") } else { format!("{open}{name}{close}") }
    }

    /// The names and the text between them.
    pub fn parts(&self) -> impl Iterator<Item = ProsePart<'_>> {
        let parts = self.0.split(MARKS).enumerate();
        let runs = parts.map(|(at, part)| if at % 2 == 0 { ProsePart::Plain(part) } else { ProsePart::Name(part) });
        runs.filter(|run| *run != ProsePart::Plain(""))
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The text without the marks.
impl fmt::Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|part| match part {
            ProsePart::Plain(part) | ProsePart::Name(part) => f.write_str(part),
        })
    }
}
