//! `fabrik3d solve`: a scene, or many cases of it.

use super::context::Context;
use super::ending::{Ending, Failure};
use super::report;
use super::scene_arguments::SceneArguments;
use super::scene_arguments::{free_robot_effectors, open_input};
use super::sink::Sink;
use super::stream::{Input, Output, solve_stream};
use crate::solve::{all_branches, solve_cases};
use clap::Args;
use fabrik3d_ik::Prefer;
use fabrik3d_scene::{Case, JointNames, Outcome, Scene, Surfaces, csv_header, csv_row, extension};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `solve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    fabrik3d solve arm.toml --target hand=0.3,0.8,0.2\n  \
    fabrik3d solve panda.urdf --joint panda_joint4=-90 --json       forward kinematics, no solve\n  \
    fabrik3d solve ur5.urdf --target 0.4,0.2,0.3 --rotation 180,0,90 --all     all branches\n  \
    fabrik3d solve panda.urdf --targets grasps.csv -o angles.csv\n  \
    fabrik3d solve panda.urdf --targets grasps.npy -o angles.npy\n  \
    generate | fabrik3d solve arm.toml --cases - > answers.jsonl\n\n\
    A case is a line {\"id\": 1, \"targets\": {\"hand\": {\"position\": [x, y, z], \"rotation\": [x, y, z, w]}}}. All keys \
    are optional, also \"start\" (a pose as in the answers), \"obstacles\" and \"link_radius\". The effector of a chain has \
    the name of the chain. Answers keep the order of the cases; the answer to an invalid line is {\"id\", \"error\"}.\n\n\
    Tables of targets have columns x,y,z for the first effector or NAME.x,NAME.y,NAME.z, and qx,qy,qz,qw for \
    rotations. Tables without a header, and NPY arrays, have three or seven columns per effector in the scene's order. \
    Each row is solved independently, from the initial pose of the scene; `convert --targets` makes a motion of the \
    rows. Angles in poses are radians. An NPY result has a row of joint coordinates per target, in the order of the CSV \
    columns, or a row of NaN for an invalid target.")]
pub(super) struct SolveArguments {
    /// Scene to solve; `-`: standard input
    file: PathBuf,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Write to a .json, .csv or .npy file
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["json", "csv"])]
    output: Option<PathBuf>,
    /// Cases to solve, one JSON object per line; `-`: standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    cases: Option<PathBuf>,
    /// Table of targets to solve for, CSV or NPY; `-`: standard input
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Of all poses that are found, take the one next to the start: the largest joint move is least
    #[arg(long, conflicts_with = "all")]
    nearest: bool,
    /// List all poses that reach the target: the branches of an arm, those next to the start first
    #[arg(long, conflicts_with_all = ["cases", "targets"])]
    all: bool,
    /// Add `joint_names` to every JSON answer; a single answer always has them
    #[arg(long)]
    names: bool,
    /// Exit with 0 even if a target was not reached, for pipelines that treat any other code as a crash
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
    let output = arguments.format()?;
    let mut scene = arguments.scene.load(Some(&arguments.file), Surfaces::Skip)?;
    if lines.is_some() && !arguments.scene.has_targets() {
        free_robot_effectors(&mut scene, Some(&arguments.file));
    }
    if arguments.nearest {
        scene.settings.prefer = Prefer::Nearest;
    }
    context.warn(&arguments.file, &scene);
    let ending = match (lines, output) {
        (Some(path), _) => {
            let input = if arguments.cases.is_some() { Input::Cases } else { Input::Targets };
            let output = output.unwrap_or(arguments.json());
            let origin = if path == Path::new("-") { "<stdin>".into() } else { path.to_string_lossy() };
            solve_stream(&scene, (open_input(path)?, &origin), input, output, arguments.sink(output, &scene)?, context)?
        }
        (None, output) if arguments.all => arguments.list_branches(&scene, output, context)?,
        (None, None) if arguments.scene.is_forward() => {
            let mut out = io::stdout().lock();
            report::print_forward(&mut out, &scene, &Outcome::forward(&scene), context)?;
            out.flush()?;
            Ending::Done
        }
        (None, None) => {
            let case = Case::of(&scene);
            let problem = case.problem.clone();
            let mut out = io::stdout().lock();
            let mut ending = Ending::Done;
            for outcome in solve_cases(&scene, vec![case]) {
                ending = Ending::of(&outcome);
                report::print(&mut out, &scene, &problem, &outcome, context)?;
            }
            out.flush()?;
            ending
        }
        (None, Some(output)) => {
            let outcomes = match arguments.scene.is_forward() {
                true => vec![Outcome::forward(&scene)],
                false => solve_cases(&scene, vec![Case::of(&scene)]),
            };
            write_outcomes(&scene, &outcomes, false, output, arguments.sink(output, &scene)?)?
        }
    };
    Ok(if arguments.exit_zero { Ending::Done } else { ending })
}

/// Writes outcomes of the scene itself. With `numbered`, their numbers are their ids.
fn write_outcomes(
    scene: &Scene,
    outcomes: &[Outcome],
    numbered: bool,
    output: Output,
    mut sink: Sink,
) -> Result<Ending, Failure> {
    let mut ending = Ending::Done;
    for (at, outcome) in outcomes.iter().enumerate() {
        ending = Ending::of(outcome);
        let id = numbered.then(|| (at + 1).to_string());
        let mut text = Vec::new();
        match output {
            Output::Csv => {
                if at == 0 {
                    writeln!(text, "{}", csv_header(scene))?;
                }
                writeln!(text, "{}", csv_row(scene, id.as_deref().unwrap_or("null"), outcome))?;
            }
            Output::Json(_) => {
                outcome.write_json(scene, id.as_deref(), JointNames::Listed, &mut text)?;
                writeln!(text)?;
            }
            Output::Npy => {}
        }
        sink.write(&text, scene.pose_numbers(&outcome.pose))?;
    }
    sink.finish()?;
    Ok(ending)
}

impl SolveArguments {
    /// Prints or writes all poses that reach the target.
    fn list_branches(&self, scene: &Scene, output: Option<Output>, context: &Context) -> Result<Ending, Failure> {
        let found = all_branches(scene).map_err(|error| Failure::Message(format!("--all: {error}")))?;
        let ending = found.outcomes.first().map_or(Ending::Unmet, Ending::of);
        if ending == Ending::Done && !found.is_complete {
            context.note("--all: this arm has no closed form; these poses come from a search, and there may be others");
        }
        match output {
            Some(output) => {
                write_outcomes(scene, &found.outcomes, true, output, self.sink(output, scene)?)?;
            }
            None => {
                let mut out = io::stdout().lock();
                match (ending, found.outcomes.first()) {
                    (Ending::Unmet, Some(outcome)) => {
                        report::print(&mut out, scene, &Case::of(scene).problem, outcome, context)?;
                    }
                    _ => report::print_branches(&mut out, scene, &found.outcomes, context)?,
                }
                out.flush()?;
            }
        }
        Ok(ending)
    }

    /// JSON output, with joint names if requested.
    fn json(&self) -> Output {
        Output::Json(if self.names { JointNames::Listed } else { JointNames::Omitted })
    }

    /// The requested output format; `None` for a report as text.
    fn format(&self) -> Result<Option<Output>, Failure> {
        let json = self.json();
        let Some(path) = &self.output else {
            return Ok(if self.csv { Some(Output::Csv) } else { self.json.then_some(json) });
        };
        match extension(path).as_str() {
            "csv" => Ok(Some(Output::Csv)),
            "json" | "jsonl" | "ndjson" => Ok(Some(json)),
            "npy" => Ok(Some(Output::Npy)),
            _ => Err(Failure::Message(format!(
                "{}: this format cannot be written\n  solve writes .json, .csv and .npy; without -o it prints",
                path.display()
            ))),
        }
    }

    /// The destination of the output.
    fn sink(&self, output: Output, scene: &Scene) -> Result<Sink, Failure> {
        match &self.output {
            Some(path) if output == Output::Npy => Sink::array(path, scene.pose_numbers(&scene.start).count()),
            path => Sink::text(path.as_deref()),
        }
    }
}
