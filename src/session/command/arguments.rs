//! Reading and writing of arguments: numbers, vectors, files, and names from a list.

pub(super) use fabrik3d_scene::bounded_number as number;
use fabrik3d_scene::rotation_of;
use glam::{DQuat, DVec3};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The only argument.
pub(super) fn one<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    if let [argument] = arguments { Some(argument) } else { None }
}

/// The first of at most one argument.
pub(super) fn at_most_one<'a>(arguments: &[&'a str]) -> Option<Option<&'a str>> {
    (arguments.len() <= 1).then(|| arguments.first().copied())
}

/// The only argument, as text.
pub(super) fn text(arguments: &[&str]) -> Option<String> {
    one(arguments).map(str::to_owned)
}

/// The only argument, a number above zero.
pub(super) fn factor(arguments: &[&str]) -> Option<f64> {
    number(one(arguments)?).filter(|factor| *factor > 0.0)
}

/// The only argument, a number from a range.
pub(super) fn one_of(arguments: &[&str], range: RangeInclusive<f32>) -> Option<f32> {
    number(one(arguments)?).map(|number| number as f32).filter(|number| range.contains(number))
}

/// All arguments as numbers up to 1e100; none if their count is not `N`.
pub(super) fn numbers<const N: usize>(arguments: &[&str]) -> Option<[f64; N]> {
    let arguments: &[&str; N] = arguments.try_into().ok()?;
    let mut out = [0.0; N];
    for (slot, argument) in out.iter_mut().zip(arguments) {
        *slot = number(argument)?;
    }
    Some(out)
}

/// A rotation: four numbers, a quaternion of about unit length.
pub(super) fn quaternion(arguments: &[&str]) -> Option<DQuat> {
    rotation_of(numbers(arguments)?).ok()
}

/// Three numbers.
pub(super) fn vector(arguments: &[&str]) -> Option<DVec3> {
    numbers(arguments).map(DVec3::from_array)
}

/// The only argument, a name from a list.
pub(super) fn named<T: Copy>(names: &[(&str, T)], arguments: &[&str]) -> Option<T> {
    let name = one(arguments)?;
    names.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
}

/// The only argument: `on` or `off`.
pub(super) fn switch(arguments: &[&str]) -> Option<bool> {
    named(&[("on", true), ("off", false)], arguments)
}

/// At most one argument: a file.
pub(super) fn optional_file(arguments: &[&str]) -> Option<Option<PathBuf>> {
    at_most_one(arguments).map(|file| file.map(PathBuf::from))
}

/// Arguments as they are written.
pub(super) fn written_as<T: Display>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

/// A vector as it is written.
pub(super) fn written_vector(vector: DVec3) -> Vec<String> {
    written_as(vector.to_array())
}

/// The name of a value in a list, as it is written.
pub(super) fn written_name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> Vec<String> {
    names.iter().filter(|(_, other)| *other == value).map(|(name, _)| (*name).to_owned()).collect()
}

/// `on` or `off`.
pub(super) fn written_switch(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// An optional file as it is written.
pub(super) fn written_file(file: Option<&Path>) -> Vec<String> {
    written_as(file.map(Path::display))
}
