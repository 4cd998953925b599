//! Sentences in which names stand out.

use std::fmt;

/// Sentences about a step. Names of joints and effectors are marked in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose(String);

/// Before and after a name: Unicode's isolates, which say that what is between them is a text of its own.
const MARKS: [char; 2] = ['\u{2068}', '\u{2069}'];

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run<'a> {
    /// Words.
    Plain(&'a str),
    /// A name, in quotation marks where it is not one of P1, P2, ...
    Name(&'a str),
}

impl Prose {
    pub(super) fn new(text: String) -> Self {
        Prose(text.trim_end().to_owned())
    }

    /// A name as it is written into the text of a prose.
    pub(super) fn name(name: &str, quoted: bool) -> String {
        let [open, close] = MARKS;
        if quoted { format!("{open}“{name}”{close}") } else { format!("{open}{name}{close}") }
    }

    /// Names and what is between them.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let parts = self.0.split(MARKS).enumerate();
        let runs = parts.map(|(at, part)| if at % 2 == 0 { Run::Plain(part) } else { Run::Name(part) });
        runs.filter(|run| *run != Run::Plain(""))
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The text without marks.
impl fmt::Display for Prose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runs().try_for_each(|run| match run {
            Run::Plain(part) | Run::Name(part) => f.write_str(part),
        })
    }
}
