//! Unique names for the parts of a file.

use std::collections::{HashMap, HashSet};

/// The names in use.
#[derive(Default)]
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
    /// For each requested name, the next number to append.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    /// Reserves a name: the requested one, or with a number appended if it is taken: `hand`, `hand.2`.
    pub fn claim(&mut self, requested: &str) -> String {
        let mut name = requested.to_owned();
        while !self.taken.insert(name.clone()) {
            let next = self.next.entry(requested.to_owned()).or_insert(2);
            name = format!("{requested}.{next}");
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
