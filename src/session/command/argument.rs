//! What stands behind the name of a command: numbers, vectors, and words from a list.

use glam::DVec3;

/// What a command takes, for the message when something else was given.
pub(super) type Expected = &'static str;

/// The command, if nothing stands behind its name.
pub(super) fn alone<T>(command: T, rest: &[&str]) -> Result<T, Expected> {
    if rest.is_empty() { Ok(command) } else { Err("nothing after it") }
}

/// The only word.
pub(super) fn word<'a>(rest: &[&'a str], expected: Expected) -> Result<&'a str, Expected> {
    match rest {
        [one] => Ok(one),
        _ => Err(expected),
    }
}

/// A finite number.
pub(super) fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// So many finite numbers and nothing else.
pub(super) fn numbers<const N: usize>(words: &[&str]) -> Option<[f64; N]> {
    let words: &[&str; N] = words.try_into().ok()?;
    let mut out = [0.0; N];
    for (slot, word) in out.iter_mut().zip(words) {
        *slot = number(word)?;
    }
    Some(out)
}

/// Three numbers.
pub(super) fn vector(words: &[&str]) -> Option<DVec3> {
    numbers(words).map(DVec3::from_array)
}

/// What a word stands for in a list of names.
pub(super) fn named<T: Copy>(names: &[(&str, T)], word: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// The name of a value in a list of names.
pub(super) fn name_of<T: Copy + PartialEq>(names: &'static [(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}
