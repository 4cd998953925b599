//! The list of warnings.

use crate::syntax_tree::fields::Item;

/// Most warnings with the same code; the rest is counted.
const MOST: usize = 10;

/// Warnings, each with the code by which the Khronos validator names the violation.
#[derive(Default)]
pub(super) struct Findings {
    warnings: Vec<String>,
    /// How often each code was found.
    counts: Vec<(&'static str, usize)>,
}

impl Findings {
    /// Adds a warning about an object.
    pub fn add(&mut self, code: &'static str, item: &Item<'_>, what: impl AsRef<str>) {
        self.push(code, item.fault(what).message);
    }

    /// Adds a warning.
    pub fn push(&mut self, code: &'static str, message: String) {
        let at = self.counts.iter().position(|(known, _)| *known == code).unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        });
        self.counts[at].1 += 1;
        if self.counts[at].1 <= MOST {
            self.warnings.push(format!("{message} ({code})"));
        }
    }

    /// The sentences, with one more for each code that was found too often.
    pub fn into_sentences(mut self) -> Vec<String> {
        for (code, count) in self.counts.into_iter().filter(|(_, count)| *count > MOST) {
            self.warnings.push(format!("{} more warnings are like the {MOST} above ({code})", count - MOST));
        }
        self.warnings
    }
}
