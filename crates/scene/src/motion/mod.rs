//! Recorded motion: poses over time, as clips of characters and motion capture provide them.

pub(crate) mod channels;
pub(crate) mod clip;
pub(crate) mod keys;
pub(crate) mod steps;
pub(crate) mod transform;

pub use clip::{Motion, MovedPoses, Recording, Values};

/// Most frames of a motion and rows of a table. An hour at 240 frames per second has fewer.
pub const MAX_FRAMES: usize = 1_000_000;

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
