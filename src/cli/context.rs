//! What all subcommands share: settings of their output, warnings, and how they end.

use clap::ColorChoice;
use fabrik3d_ik::Stop;
use fabrik3d_scene::{Outcome, Scene, printable};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

/// Output settings of all subcommands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Colours on standard output.
    pub out: Painter,
    /// Colours on standard error.
    pub err: Painter,
    /// Level of detail: the number of `-v` flags.
    pub verbose: u8,
}

const SHOWN_WARNINGS: usize = 5;

impl Context {
    /// Prints the warnings of a scene.
    pub fn warn(&self, file: &Path, scene: &Scene) {
        let warnings = scene.warnings();
        let shown = if self.verbose > 0 { warnings.len() } else { warnings.len().min(SHOWN_WARNINGS) };
        warnings[..shown].iter().for_each(|warning| self.note(&format!("{}: {warning}", file.display())));
        let method = scene.settings.method;
        if !fabrik3d_viewer::session::method_applies(scene, method) {
            let name = method.key();
            self.note(&format!(
                "{}: {name} solves only single chains without limits; accelerated is used instead",
                file.display()
            ));
        }
        if shown < warnings.len() {
            let more = warnings.len() - shown;
            self.note(&format!("{}: {more} more warnings; -v shows all", file.display()));
        }
    }

    /// Prints a line to standard error with `-v`.
    pub fn detail(&self, text: &str) {
        if self.verbose > 0 {
            let _ = writeln!(io::stderr(), "{}", printable(text));
        }
    }

    /// Prints a warning to standard error.
    pub fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{} {}", self.err.strong("warning:"), printable(text));
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter(bool);

impl Painter {
    /// The choice for a stream. `auto` uses colours on terminals unless `NO_COLOR` is set.
    pub fn new(choice: ColorChoice, stream: &impl IsTerminal) -> Self {
        Painter(match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !refused
            }
        })
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Emphasis, for headings.
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }
}

/// Exit code after an error.
pub(super) const FAILED: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Success: all targets were reached.
    Done,
    /// A target was not reached, or a check failed.
    Unmet,
    /// The user ended a solve. What was found until then has been printed.
    Interrupted,
}

impl Ending {
    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome.report.stop {
            Stop::Interrupted => Ending::Interrupted,
            stop if stop.is_reached() => Ending::Done,
            _ => Ending::Unmet,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// A message for the user; it may have a second line with advice.
    #[error("{0}")]
    Message(String),
    /// Standard output was closed by its reader, which is not an error.
    #[error("standard output was closed")]
    Closed,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Message(format!("standard output: cannot be written: {error}")),
        }
    }
}

impl From<fabrik3d_scene::SceneError> for Failure {
    fn from(error: fabrik3d_scene::SceneError) -> Self {
        Failure::Message(error.to_string())
    }
}

pub(super) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    Ok(out.flush()?)
}
