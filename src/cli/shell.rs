//! `fabrik3d completions` and `fabrik3d man`.

use super::ending::{Ending, Failure};
use clap::Args;
use std::io::{self, Write};

/// Arguments of `completions`.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Clone, Debug, Args)]
pub(super) struct ManArguments {
    /// Subcommand to describe [default: the program itself]
    subcommand: Option<String>,
}

/// Prints the completion script.
pub(super) fn completions(arguments: &CompletionsArguments, program: &mut clap::Command) -> Result<Ending, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, program, "fabrik3d", &mut text);
    print(&text)
}

/// Prints the manual page.
pub(super) fn man(arguments: &ManArguments, mut program: clap::Command) -> Result<Ending, Failure> {
    program.build();
    let page = match &arguments.subcommand {
        None => clap_mangen::Man::new(program),
        Some(name) => {
            let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            let missing = || format!("there is no subcommand `{name}`\n  there are: {}", names.join(", "));
            let found = program.find_subcommand(name).ok_or_else(|| Failure::Message(missing()))?;
            clap_mangen::Man::new(found.clone()).title(format!("fabrik3d-{name}"))
        }
    };
    let mut text = Vec::new();
    page.render(&mut text)?;
    print(&text)
}

fn print(text: &[u8]) -> Result<Ending, Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(Ending::Done)
}
