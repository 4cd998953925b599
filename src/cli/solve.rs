//! `fabrik3d solve`: one scene, or many cases of it.

use super::stream::{Input, Output, solve_stream};
use super::{Context, Ending, Failure, SceneArguments, report};
use crate::scene::{Case, csv_header, csv_row, solve_cases};
use clap::Args;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub(super) struct SolveArguments {
    /// Scene to solve, `-`: standard input
    file: PathBuf,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Cases to solve on the scene, one JSON object a line; `-`: standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    cases: Option<PathBuf>,
    /// Targets to solve for, as CSV: columns x,y,z or NAME.x,NAME.y,NAME.z; `-`: standard input
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// End with 0 also where something was not reached, for pipelines that take any other code for a crash
    #[arg(long)]
    exit_zero: bool,
    #[command(flatten)]
    scene: SceneArguments,
}

/// Solves and prints.
pub(super) fn run(arguments: &SolveArguments, context: &Context) -> Result<Ending, Failure> {
    let lines = arguments.cases.as_deref().or(arguments.targets.as_deref());
    if arguments.file == Path::new("-") && lines == Some(Path::new("-")) {
        return Err(Failure::Message("the scene and its cases cannot both come from standard input".into()));
    }
    let scene = arguments.scene.load(Some(&arguments.file))?;
    let output = if arguments.csv { Output::Csv } else { Output::Json };
    let ending = match lines {
        Some(path) => {
            let input = if arguments.cases.is_some() { Input::Json } else { Input::Csv };
            solve_stream(&scene, open(path)?, input, output, context)?
        }
        None => {
            let case = Case::of(&scene);
            let problem = case.problem.clone();
            let mut out = io::stdout().lock();
            let mut all_reached = true;
            for outcome in solve_cases(&scene, vec![case]) {
                all_reached &= outcome.report.stop.is_reached();
                match output {
                    Output::Csv => writeln!(out, "{}\n{}", csv_header(&scene), csv_row(&scene, "null", &outcome))?,
                    Output::Json if arguments.json => {
                        outcome.write_json(&scene, None, &mut out)?;
                        writeln!(out)?;
                    }
                    Output::Json => report::print(&mut out, &scene, &problem, &outcome, context)?,
                }
            }
            out.flush()?;
            if all_reached { Ending::Done } else { Ending::Unmet }
        }
    };
    Ok(if arguments.exit_zero { Ending::Done } else { ending })
}

fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(Failure::Message(format!("{}: cannot be read: {error}", path.display()))),
    }
}
