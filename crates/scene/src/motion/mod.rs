//! Recorded motion: poses over time, as clips of characters and motion capture provide them.

pub(crate) mod channels;
pub(crate) mod clip;
pub(crate) mod keys;
pub(crate) mod steps;
pub(crate) mod transform;

pub use clip::{Motion, Recording, Values};

/// Index of the clip that a user means: by its name, by its number from 1, or by its name with capitals and small letters
/// mixed up, if there is only one such clip.
pub fn find_clip(names: &[&str], wanted: &str) -> Option<usize> {
    let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&at| at < names.len());
    let alike = |name: &str| name.to_lowercase() == wanted.to_lowercase();
    let by_letters = || {
        let mut found = (0..names.len()).filter(|&at| alike(names[at]));
        found.next().filter(|_| found.next().is_none())
    };
    names.iter().position(|name| *name == wanted).or_else(by_number).or_else(by_letters)
}

#[cfg(test)]
mod tests {
    use super::find_clip;

    #[test]
    fn clips_are_found_by_name_by_number_and_by_name_in_other_letters_if_that_is_unique() {
        let names = ["Survey", "Walk", "Run", "run", "2", "Élan"];
        for (wanted, expected) in [
            ("Survey", Some(0)),
            ("survey", Some(0)),
            ("WALK", Some(1)),
            ("Run", Some(2)),
            ("run", Some(3)),
            ("RUN", None),
            ("2", Some(4)),
            ("1", Some(0)),
            ("6", Some(5)),
            ("7", None),
            ("0", None),
            ("élan", Some(5)),
            ("", None),
        ] {
            assert_eq!(find_clip(&names, wanted), expected, "{wanted}");
        }
    }
}
