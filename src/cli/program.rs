//! The whole command line: arguments, and dispatch to the subcommands.

use super::context::{Context, Ending, FAILED, Failure, Painter, print};
use super::{bench, check, convert, render, solve, view};
use crate::app::{is_display_lost, leave_without_display};
use crate::record::{INTERRUPTED, leave};
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use fabrik3d_scene::{Content, FileFormat, printable};
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
    after_help = "`fabrik3d FILE` opens a file in the viewer, `fabrik3d` alone opens the demo scene.\n\
                  example:NAME is a built-in scene and works as a file name in all commands: fabrik3d example:humanoid.\n\
                  \n\
                  Exit codes:\n\
                  \x20   0  success\n\
                  \x20   1  a target was not reached, or a check failed\n\
                  \x20   2  invalid usage, input or environment\n\
                  \x20 130  a solve was interrupted (Ctrl+C): it prints the best pose found until then"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: OutputArguments,
}

/// Flags of all subcommands.
#[derive(Clone, Copy, Debug, Args)]
struct OutputArguments {
    /// Print more details
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
    View(Box<view::ViewArguments>),
    /// Solve a scene, or many cases of it, and print the results
    Solve(Box<solve::SolveArguments>),
    /// Render a picture or a film without a window
    Render(Box<render::RenderArguments>),
    /// Convert scenes, clips, solved poses and joint paths between formats
    Convert(Box<convert::ConvertArguments>),
    /// Read and validate files; print one line per file
    Check(check::CheckArguments),
    /// Run measurements and print tables
    Bench(bench::BenchArguments),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page
    Man {
        /// Subcommand to describe [default: the program itself]
        subcommand: Option<String>,
    },
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    report_panics();
    // Threads that still run may have drafts of files.
    std::panic::catch_unwind(run).unwrap_or_else(|_| leave(FAILED))
}

fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let matches = matches(command().color(color_choice(&words)), with_subcommand(words));
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| print_and_exit(&error));
    let OutputArguments { verbose, color } = arguments.output;
    let context = Context { out: Painter::new(color, &io::stdout()), err: Painter::new(color, &io::stderr()), verbose };
    let result = match arguments.command {
        Command::View(arguments) => view::run(&arguments, &context),
        Command::Solve(arguments) => solve::run(&arguments, &context),
        Command::Render(arguments) => render::run(&arguments, &context),
        Command::Convert(arguments) => convert::run(&arguments, &context),
        Command::Check(arguments) => check::run(&arguments, &context),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Completions { shell } => completions(shell, &mut command()),
        Command::Man { subcommand } => man(subcommand.as_deref(), command()),
    };
    match result {
        Ok(Ending::Done) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Ok(Ending::Unmet) => ExitCode::from(1),
        Ok(Ending::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(Failure::Message(message)) => {
            let _ = writeln!(io::stderr(), "{} {}", context.err.bad("error:"), printable(&message));
            ExitCode::from(FAILED)
        }
    }
}

/// Parses the command line. If it is wrong, says so and ends the program.
fn matches(program: clap::Command, words: Vec<OsString>) -> clap::ArgMatches {
    program.clone().try_get_matches_from(&words).unwrap_or_else(|error| {
        // The message quotes words: parse again what a terminal can show.
        let shown = words.iter().map(|word| printable(&word.to_string_lossy()));
        print_and_exit(&advised(program.try_get_matches_from(shown).err().unwrap_or(error), &words))
    })
}

/// Prints an error, a help or the version, and ends the program. Where a help cannot be printed, that is an error too.
fn print_and_exit(error: &clap::Error) -> ! {
    let printed = error.print().and_then(|()| io::stdout().flush()).map_err(Failure::from);
    if let (Err(Failure::Message(message)), false) = (printed, error.use_stderr()) {
        let _ = writeln!(io::stderr(), "error: {message}");
        std::process::exit(2);
    }
    std::process::exit(error.exit_code())
}

/// The same error with advice where the parser gives a misleading one.
fn advised(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let word = error.get(ContextKind::InvalidArg).map(|word: &ContextValue| word.to_string()).unwrap_or_default();
    let holds = |content| FileFormat::of(Path::new(&word)).is_some_and(|format| format.holds(content));
    let is_unexpected = error.kind() == ErrorKind::UnknownArgument;
    let advice =
        match words.iter().filter_map(|word| word.to_str()).find(|word| ["view", "render", "solve"].contains(word)) {
            _ if word == "--method" => "to choose a method, use '--set solver.method=NAME'".to_owned(),
            Some("solve") if is_unexpected && holds(Content::Targets) => {
                format!("to solve a table of targets, use '--targets {word}'")
            }
            Some("view" | "render") if is_unexpected && (holds(Content::Targets) || holds(Content::Motion)) => {
                format!("to open a motion or a table of targets in the scene, use '--motion {word}'")
            }
            _ => return error,
        };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    error
}

/// The definition of the whole command line. All flags take negative numbers: where they are wrong, the message names
/// the range, instead of a flag that does not exist.
pub fn command() -> clap::Command {
    let with_negative = |flag: clap::Arg| match flag.get_long().is_some() && flag.get_action().takes_values() {
        true => flag.allow_negative_numbers(true),
        false => flag,
    };
    Arguments::command().mut_subcommands(|command| command.mut_args(with_negative))
}

/// The value of `--color`, found before parsing because the parser itself prints colours.
fn color_choice(words: &[OsString]) -> ColorChoice {
    let mut words = words.iter().filter_map(|word| word.to_str()).skip_while(|word| !word.starts_with("--color"));
    let word = match words.next() {
        Some("--color") => words.next(),
        Some(flag) => flag.strip_prefix("--color="),
        None => None,
    };
    word.and_then(|word| word.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Inserts `view` if the word in the place of the subcommand is a file, a flag, or missing.
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
        let is_help = ["-h", "--help", "-V", "--version"].contains(&&*text);
        // A bare word may be a misspelled subcommand; clap then suggests the right one.
        let bare = !text.contains(['.', '/', '\\', ':']) && !text.starts_with('-') && !Path::new(word).is_file();
        let known = command().get_subcommands().any(|subcommand| subcommand.get_name() == text) || text == "help";
        !(is_help || bare || known)
    });
    if view {
        words.insert(at, "view".into());
    }
    words
}

fn completions(shell: clap_complete::Shell, program: &mut clap::Command) -> Result<Ending, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, program, "fabrik3d", &mut text);
    print(|out| out.write_all(&text))?;
    Ok(Ending::Done)
}

fn man(subcommand: Option<&str>, mut program: clap::Command) -> Result<Ending, Failure> {
    program.build();
    let page = match subcommand {
        None => clap_mangen::Man::new(program),
        Some(name) => {
            let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            let missing = || format!("there is no subcommand `{name}`\n  there are: {}", names.join(", "));
            let found = program.find_subcommand(name).ok_or_else(|| Failure::Message(missing()))?;
            clap_mangen::Man::new(found.clone()).title(format!("fabrik3d-{name}"))
        }
    };
    print(|mut out| page.render(&mut out))?;
    Ok(Ending::Done)
}

/// Parts of the paths of libraries that talk to the window system.
const WINDOW_LIBRARIES: [&str; 4] = ["winit", "glutin", "glium", "x11rb"];

/// Prints every panic as one error.
///
/// The libraries of the window panic if the X server goes away between two of their requests. That is no fault of the
/// program, and the windows can no longer be dropped in order, so the program ends at once.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        let file = info.location().map_or("", |location| location.file());
        if WINDOW_LIBRARIES.iter().any(|library| file.contains(library)) && is_display_lost() {
            leave_without_display();
        }
        let _ = writeln!(io::stderr(), "error: internal error, please report it: {info}");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_valid() {
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
