//! A row of the table of commands, and how it reads arguments: numbers, vectors, files, and names from a list.

use super::command::Command;
use super::view::{Section, Show};
use fabrik3d_ik::settings::Method;
pub(super) use fabrik3d_scene::bounded_number as number;
use fabrik3d_scene::rotation_of;
use glam::{DQuat, DVec3};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// One command: how it is written, and what it does.
#[derive(Debug)]
pub struct Row {
    /// Its name and arguments.
    pub form: &'static str,
    /// What it does.
    pub help: &'static str,
    expected: &'static str,
    syntax: Syntax,
}

/// How a command is read.
#[derive(Debug)]
enum Syntax {
    /// A command without arguments.
    Name(Command),
    /// The command with these arguments; none if they do not fit.
    Arguments(fn(&[&str]) -> Option<Command>),
}

/// A command without arguments.
pub(super) const fn plain(name: &'static str, help: &'static str, command: Command) -> Row {
    Row { form: name, help, expected: "no arguments", syntax: Syntax::Name(command) }
}

/// A command with arguments. In the text about the arguments that it takes, `{methods}`, `{things}` and `{sections}` stand for
/// the names of all methods, of everything that can be shown, and of the sections of the side panel.
pub(super) const fn row(
    form: &'static str,
    help: &'static str,
    expected: &'static str,
    read: fn(&[&str]) -> Option<Command>,
) -> Row {
    Row { form, help, expected, syntax: Syntax::Arguments(read) }
}

impl Row {
    /// The first word of the form.
    pub fn name(&self) -> &'static str {
        self.form.split(' ').next().unwrap_or_default()
    }

    /// The arguments that the command takes, for an error message.
    pub(super) fn expected(&self) -> String {
        let list = |names: &[&str]| match names {
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
            [] => String::new(),
        };
        let methods = Method::ALL.map(Method::key);
        let things = Show::NAMES.map(|(name, _)| name);
        let sections = Section::NAMES.map(|(name, _)| name);
        let expected = self.expected.replace("{methods}", &list(&methods));
        expected.replace("{things}", &list(&things)).replace("{sections}", &list(&sections))
    }

    /// The command with these arguments; none if they do not fit.
    pub(super) fn read(&self, arguments: &[&str]) -> Option<Command> {
        match &self.syntax {
            Syntax::Name(command) => arguments.is_empty().then(|| command.clone()),
            Syntax::Arguments(read) => read(arguments),
        }
    }
}

/// The only argument.
pub(super) fn one<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    if let [argument] = arguments { Some(argument) } else { None }
}

/// The only argument, as text.
pub(super) fn text(arguments: &[&str]) -> Option<String> {
    one(arguments).map(str::to_owned)
}

/// Two names.
pub(super) fn pair(arguments: &[&str]) -> Option<(String, String)> {
    if let [first, second] = arguments { Some(((*first).to_owned(), (*second).to_owned())) } else { None }
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

/// The only argument, a file.
pub(super) fn file(arguments: &[&str]) -> Option<PathBuf> {
    one(arguments).map(PathBuf::from)
}

/// What `read` takes, or no argument.
pub(super) fn optional<T>(arguments: &[&str], read: fn(&[&str]) -> Option<T>) -> Option<Option<T>> {
    if arguments.is_empty() { Some(None) } else { read(arguments).map(Some) }
}

/// What `read` takes, or `none`.
pub(super) fn or_none<T>(arguments: &[&str], read: fn(&[&str]) -> Option<T>) -> Option<Option<T>> {
    if arguments == ["none"] { Some(None) } else { read(arguments).map(Some) }
}
