//! The names that a reader knows in a part of a file. All others are told: keys of scene files, attributes and elements of XML.

use super::fault::{Fault, did_you_mean};
use super::node::Place;
use crate::printable::short;
use std::collections::HashSet;

/// The known names of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// What the names are called in messages.
    pub kind: &'static str,
    /// The names, separated by blanks.
    pub names: &'static str,
}

impl Known {
    pub fn has(self, name: &str) -> bool {
        self.names.split(' ').any(|known| known == name)
    }

    /// A fault for each of these names that is not known, or that occurred before. `within` says where, in messages.
    pub fn unread<'n>(
        self,
        names: impl Iterator<Item = (&'n str, Place)>,
        within: &str,
    ) -> impl Iterator<Item = Fault> {
        let mut seen = HashSet::new();
        names.filter_map(move |(name, place)| {
            let (kind, shown) = (self.kind, short(name));
            if !self.has(name) {
                let hint = did_you_mean(name, self.names.split(' ').filter(|known| !known.is_empty()));
                return Some(Fault::new(place, format!("unknown {kind} `{shown}`{within}")).hint_some(hint));
            }
            (!seen.insert(name))
                .then(|| Fault::new(place, format!("a second {kind} `{shown}`{within}; the first counts")))
        })
    }
}
