//! `fabrik3d convert`: between scene formats; a solved pose to JSON or CSV.

use super::{Context, Ending, Failure, SceneArguments};
use crate::scene::{Case, Scene, csv_header, csv_row, solve_cases};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `convert`.
#[derive(Clone, Debug, Args)]
pub(super) struct ConvertArguments {
    /// Scene to read, `-`: standard input
    file: PathBuf,
    /// File to write: .toml or .json for the scene, .csv for its solved pose; `-`: standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Format to write, where the file's name does not tell
    #[arg(long, value_name = "FORMAT")]
    to: Option<Target>,
    /// Write the solved pose, not the scene (.json, .csv)
    #[arg(long)]
    pose: bool,
    #[command(flatten)]
    scene: SceneArguments,
}

/// Formats that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Scene, for people
    Toml,
    /// Scene, or a solved pose with --pose
    Json,
    /// Solved pose
    Csv,
}

const SUPPORTED: &str = "convert writes scenes as .toml and .json, and solved poses as .json (with --pose) and .csv";

/// Reads, solves if asked to, and writes.
pub(super) fn run(arguments: &ConvertArguments, _context: &Context) -> Result<Ending, Failure> {
    let target = match arguments.to {
        Some(target) => target,
        None => by_extension(&arguments.output)?,
    };
    let scene = arguments.scene.load(Some(&arguments.file))?;
    let (text, ending) = match target {
        Target::Toml if arguments.pose => {
            return Err(Failure::Message(format!("a pose cannot be written as TOML\n  {SUPPORTED}")));
        }
        Target::Toml => (scene.to_toml().into_bytes(), Ending::Done),
        Target::Json if !arguments.pose => (scene.to_json().into_bytes(), Ending::Done),
        Target::Json | Target::Csv => solved(&scene, target)?,
    };
    write(&arguments.output, &text)?;
    Ok(ending)
}

fn by_extension(path: &Path) -> Result<Target, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    Target::from_str(extension, true)
        .map_err(|_| Failure::Message(format!("{}: this format cannot be written\n  {SUPPORTED}", path.display())))
}

fn solved(scene: &Scene, target: Target) -> Result<(Vec<u8>, Ending), Failure> {
    let mut text = Vec::new();
    let mut ending = Ending::Done;
    for outcome in solve_cases(scene, vec![Case::of(scene)]) {
        if !outcome.report.stop.is_reached() {
            ending = Ending::Unmet;
        }
        match target {
            Target::Csv => writeln!(text, "{}\n{}", csv_header(scene), csv_row(scene, "null", &outcome))?,
            _ => {
                outcome.write_json(scene, None, &mut text)?;
                writeln!(text)?;
            }
        }
    }
    Ok((text, ending))
}

fn write(path: &Path, text: &[u8]) -> Result<(), Failure> {
    if path == Path::new("-") {
        let mut out = io::stdout().lock();
        out.write_all(text)?;
        return Ok(out.flush()?);
    }
    std::fs::write(path, text)
        .map_err(|error| Failure::Message(format!("{}: cannot be written: {error}", path.display())))
}
