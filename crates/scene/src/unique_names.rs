//! Names that are unique, whatever a file calls its parts.

use std::collections::{HashMap, HashSet};

/// Names given so far.
#[derive(Default)]
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
    /// The number to try next behind a name.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    /// The name itself where it is still free, else with the next free number behind it: `hand`, `hand.2`.
    pub fn claim(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            let next = self.next.entry(wanted.to_owned()).or_insert(2);
            name = format!("{wanted}.{next}");
            *next += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::UniqueNames;

    #[test]
    fn equal_names_get_numbers() {
        let mut names = UniqueNames::default();
        assert_eq!(["a", "a", "b", "a"].map(|name| names.claim(name)), ["a", "a.2", "b", "a.3"]);
    }
}
