//! The command line: one file per subcommand.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 all reached or done, 1 something was
//! not reached or a check failed, 2 usage, input or environment.

mod bench;
mod check;
mod common;
mod convert;
mod look;
mod paint;
mod progress;
mod render;
mod report;
mod shell;
mod sink;
mod solve;
mod stream;
mod view;

pub use common::SceneArguments;
pub use look::{Look, Size};
pub use render::RenderArguments;
pub use view::ViewArguments;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use fabrik3d_scene::{Outcome, Scene};
use paint::Paint;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// See, use and measure inverse kinematics with FABRIK.
#[derive(Debug, Parser)]
#[command(
    name = "fabrik3d",
    version,
    override_usage = "fabrik3d [OPTIONS] [FILE]\n       fabrik3d [OPTIONS] <COMMAND>",
    subcommand_required = true,
    after_help = "FILE alone is opened in the viewer, nothing at all opens the demo scene: `view` need not be written.\n\
                  example:NAME stands for a scene that comes with the program, anywhere (fabrik3d example:humanoid).\n\
                  Exit codes: 0 all reached or done, 1 something was not reached or a check failed, 2 usage, input or environment."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: OutputArguments,
}

/// Flags of every subcommand.
#[derive(Clone, Copy, Debug, clap::Args)]
struct OutputArguments {
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Output")]
    verbose: u8,
    /// When to use colours
    #[arg(long, global = true, value_name = "auto|always|never", default_value = "auto", hide_possible_values = true)]
    #[arg(help_heading = "Output", hide_default_value = true)]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open the viewer (the default)
    View(Box<ViewArguments>),
    /// Solve a scene, or many cases of it, and print the result
    Solve(Box<solve::SolveArguments>),
    /// Draw a picture or a film without a window
    Render(Box<RenderArguments>),
    /// Convert scenes, clips and solved poses to other formats
    Convert(Box<convert::ConvertArguments>),
    /// Read and validate files, one line each
    Check(check::CheckArguments),
    /// Measure, and print tables
    Bench(bench::BenchArguments),
    /// Print a completion script for a shell
    Completions(shell::CompletionsArguments),
    /// Print the manual page
    Man(shell::ManArguments),
}

/// How a subcommand ended, if nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was reached, or done.
    Done,
    /// Something was not reached, or a check failed.
    Unmet,
}

impl Ending {
    /// How a solve ended.
    fn of(outcome: &Outcome) -> Self {
        if outcome.report.stop.is_reached() { Ending::Done } else { Ending::Unmet }
    }
}

/// Why a subcommand could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A sentence for the user; may have a second line with advice.
    #[error("{0}")]
    Message(String),
    /// The reader of standard output went away: not an error.
    #[error("standard output was closed")]
    Closed,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Message(error.to_string()),
        }
    }
}

impl From<fabrik3d_scene::SceneError> for Failure {
    fn from(error: fabrik3d_scene::SceneError) -> Self {
        Failure::Message(error.to_string())
    }
}

/// What every subcommand knows about its output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Colours on standard output.
    out: Paint,
    /// Colours on standard error.
    err: Paint,
    /// How much to say.
    verbose: u8,
}

/// Warnings of one file that are shown, unless all are asked for.
const MOST_WARNINGS: usize = 5;

impl Context {
    /// Shows what the reader of a file had to leave out, on standard error.
    fn warn(&self, file: &Path, scene: &Scene) {
        let warnings = &scene.assets.warnings;
        let shown = if self.verbose > 0 { warnings.len() } else { warnings.len().min(MOST_WARNINGS) };
        warnings[..shown].iter().for_each(|warning| self.note(&format!("{}: {warning}", file.display())));
        let method = scene.settings.method;
        if !crate::solve::suits(scene, method) {
            let name = method.key();
            self.note(&format!(
                "{}: {name} is for single chains without limits: solved by accelerated",
                file.display()
            ));
        }
        if shown < warnings.len() {
            let more = warnings.len() - shown;
            self.note(&format!("{}: {more} more like these; -v shows them all", file.display()));
        }
    }

    /// Says something on standard error that does not stop the work.
    fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{} {text}", self.err.strong("warning:"));
    }
}

/// Runs the program on the process's arguments.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(io::stderr(), "error: a fault in this program, please report it: {info}");
    }));
    std::panic::catch_unwind(run).unwrap_or(ExitCode::from(2))
}

fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let matches = command().color(wanted_color(&words)).get_matches_from(with_subcommand(words));
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let OutputArguments { verbose, color } = arguments.output;
    let context = Context { out: Paint::new(color, &io::stdout()), err: Paint::new(color, &io::stderr()), verbose };
    let result = match arguments.command {
        Command::View(arguments) => view::run(&arguments, &context),
        Command::Solve(arguments) => solve::run(&arguments, &context),
        Command::Render(arguments) => render::run(&arguments, &context),
        Command::Convert(arguments) => convert::run(&arguments, &context),
        Command::Check(arguments) => check::run(&arguments, &context),
        Command::Bench(arguments) => bench::run(&arguments, &context),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    };
    match result {
        Ok(Ending::Done) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Ok(Ending::Unmet) => ExitCode::from(1),
        Err(Failure::Message(message)) => {
            let _ = writeln!(io::stderr(), "{} {message}", context.err.bad("error:"));
            ExitCode::from(2)
        }
    }
}

/// The whole command line as clap knows it.
fn command() -> clap::Command {
    Arguments::command()
}

/// The `--color` of the arguments, before they are parsed: parsing itself prints in colour.
fn wanted_color(words: &[OsString]) -> ColorChoice {
    let mut words = words.iter().filter_map(|word| word.to_str()).skip_while(|word| !word.starts_with("--color"));
    let word = match words.next() {
        Some("--color") => words.next(),
        Some(flag) => flag.strip_prefix("--color="),
        None => None,
    };
    word.and_then(|word| word.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Puts `view` where a subcommand would stand, if what stands there is a file, a flag, or nothing.
fn with_subcommand(mut words: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "--color" => 2,
            "--verbose" => 1,
            _ if word.starts_with("--color=") => 1,
            _ if word.len() > 1 && word.starts_with('-') && word[1..].bytes().all(|byte| byte == b'v') => 1,
            _ => break,
        };
    }
    let at = at.min(words.len());
    let view = words.get(at).is_none_or(|word| {
        let text = word.to_string_lossy();
        let asks = ["-h", "--help", "-V", "--version"].contains(&&*text);
        // A bare word may be a mistyped subcommand, which clap knows to correct.
        let bare = !text.contains(['.', '/', '\\', ':']) && !text.starts_with('-') && !Path::new(word).is_file();
        let known = command().get_subcommands().any(|subcommand| subcommand.get_name() == text) || text == "help";
        !(asks || bare || known)
    });
    if view {
        words.insert(at, "view".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn view_may_be_left_out() {
        let completed = |line: &str| -> Vec<OsString> {
            let words = std::iter::once("fabrik3d").chain(line.split_whitespace());
            with_subcommand(words.map(OsString::from).collect()).into_iter().skip(1).collect()
        };
        for (line, expected) in [
            ("", "view"),
            ("arm.toml --theme light", "view arm.toml --theme light"),
            ("example:spider", "view example:spider"),
            ("--theme light arm.toml", "view --theme light arm.toml"),
            ("-vv --color never arm.toml", "-vv --color never view arm.toml"),
            ("--color=never", "--color=never view"),
            ("-v solve arm.toml", "-v solve arm.toml"),
            ("-", "view -"),
            ("--help", "--help"),
            ("help solve", "help solve"),
            ("slove arm.toml", "slove arm.toml"),
            ("--color", "--color view"),
        ] {
            let expected: Vec<OsString> = expected.split_whitespace().map(OsString::from).collect();
            assert_eq!(completed(line), expected, "{line}");
        }
    }
}
