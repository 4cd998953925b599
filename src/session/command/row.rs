//! A row of the table of commands.

use super::command::Command;
use super::view::{Section, Show};
use fabrik3d_ik::settings::Method;

/// One command: how it is written, an example, and what it does.
#[derive(Debug)]
pub struct Row {
    /// Its name and arguments.
    pub form: &'static str,
    /// A complete line for a script.
    pub example: &'static str,
    /// What it does.
    pub help: &'static str,
    expected: &'static str,
    syntax: Syntax,
}

/// How a command is read and written.
#[derive(Debug)]
enum Syntax {
    /// A command without arguments.
    Name(Command),
    /// A command with arguments.
    Arguments { read: Read, write: Write },
}

/// The command with these arguments; none if they do not fit.
type Read = fn(&[&str]) -> Option<Command>;
/// The arguments of a command; none if it belongs to another row.
type Write = fn(&Command) -> Option<Vec<String>>;

/// A command without arguments.
pub(super) const fn plain(name: &'static str, help: &'static str, command: Command) -> Row {
    Row { form: name, example: name, help, expected: "no arguments", syntax: Syntax::Name(command) }
}

/// A command with arguments. The texts are its form, an example, what it does, and the arguments that it takes. In the
/// latter `{methods}`, `{things}` and `{sections}` stand for the names of all methods, of everything that can be shown, and of
/// the sections of the side panel.
pub(super) const fn row(texts: [&'static str; 4], read: Read, write: Write) -> Row {
    let [form, example, help, expected] = texts;
    Row { form, example, help, expected, syntax: Syntax::Arguments { read, write } }
}

/// The arguments of commands that match a pattern.
macro_rules! written {
    ($pattern:pat => $arguments:expr) => {
        |command| match command {
            $pattern => Some($arguments),
            _ => None,
        }
    };
}
pub(super) use written;

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
            Syntax::Arguments { read, .. } => read(arguments),
        }
    }

    /// The arguments of a command; none if it belongs to another row.
    pub(super) fn write(&self, command: &Command) -> Option<Vec<String>> {
        match &self.syntax {
            Syntax::Name(own) => (own == command).then(Vec::new),
            Syntax::Arguments { write, .. } => write(command),
        }
    }
}
