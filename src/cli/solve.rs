//! `fabrik3d solve`: one scene, or many cases of it.

use super::common::SceneArguments;
use super::common::{ask_no_robot, open_input};
use super::context::Context;
use super::ending::{Ending, Failure};
use super::report;
use super::sink::Sink;
use super::stream::{Input, Output, solve_stream};
use crate::solve::solve_cases;
use clap::Args;
use fabrik3d_scene::{Case, JointNames, Outcome, Scene, Surfaces, csv_header, csv_row, extension, pose_numbers};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `solve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    fabrik3d solve arm.toml --target hand=0.3,0.8,0.2\n  \
    fabrik3d solve panda.urdf --joint panda_joint4=-90 --json       where that takes the effectors: nothing is solved\n  \
    fabrik3d solve panda.urdf --targets grasps.csv -o angles.csv\n  \
    fabrik3d solve panda.urdf --targets grasps.npy -o angles.npy\n  \
    generate | fabrik3d solve arm.toml --cases - > answers.jsonl\n\n\
    A case is a line {\"id\": 1, \"targets\": {\"hand\": {\"position\": [x, y, z], \"rotation\": [x, y, z, w]}}}; \"id\", \
    either of the target's keys, \"start\" (a pose as in the answers), \"obstacles\" and \"link_radius\" may be left out. A \
    chain's effector bears the chain's name. Answers come in the same order; a line that cannot be read is answered by \
    {\"id\", \"error\"}.\n\n\
    Tables of targets: columns x,y,z for the first effector or NAME.x,NAME.y,NAME.z, and qx,qy,qz,qw for rotations; \
    without a header, and in NPY, three columns (or seven) for each effector in the scene's order. Each row is solved \
    on its own, from the pose that the scene opens in; `convert --targets` makes a motion of them. Angles of poses are \
    radians. An array (.npy) has a row of joint coordinates for each target, in the order of the CSV's columns; a \
    target that cannot be read leaves a row of NaN.")]
pub(super) struct SolveArguments {
    /// Scene to solve, `-`: standard input
    file: PathBuf,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Write to a file; .json, .csv or .npy
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["json", "csv"])]
    output: Option<PathBuf>,
    /// Cases to solve on the scene, one JSON object a line; `-`: standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    cases: Option<PathBuf>,
    /// Targets to solve for, as CSV or NPY; `-`: standard input
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Tell the names of the joints with every answer in JSON, as `joint_names`; a single one always tells them
    #[arg(long)]
    names: bool,
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
    let output = arguments.format()?;
    let mut scene = arguments.scene.load(Some(&arguments.file), Surfaces::Skip)?;
    if lines.is_some() && !arguments.scene.has_targets() {
        ask_no_robot(&mut scene, Some(&arguments.file));
    }
    context.warn(&arguments.file, &scene);
    let ending = match (lines, output) {
        (Some(path), _) => {
            let input = if arguments.cases.is_some() { Input::Cases } else { Input::Targets };
            let output = output.unwrap_or(arguments.json());
            let origin = if path == Path::new("-") { "<stdin>".into() } else { path.to_string_lossy() };
            solve_stream(&scene, (open_input(path)?, &origin), input, output, arguments.sink(output, &scene)?, context)?
        }
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
            one(&scene, outcomes, output, arguments.sink(output, &scene)?)?
        }
    };
    Ok(if arguments.exit_zero { Ending::Done } else { ending })
}

/// Writes what came of the scene as it is.
fn one(scene: &Scene, outcomes: Vec<Outcome>, output: Output, mut sink: Sink) -> Result<Ending, Failure> {
    let mut ending = Ending::Done;
    for outcome in outcomes {
        ending = Ending::of(&outcome);
        let mut text = Vec::new();
        match output {
            Output::Csv => writeln!(text, "{}\n{}", csv_header(scene), csv_row(scene, "null", &outcome))?,
            Output::Json(_) => {
                outcome.write_json(scene, None, JointNames::Told, &mut text)?;
                writeln!(text)?;
            }
            Output::Npy => {}
        }
        sink.write(&text, pose_numbers(&scene.skeleton, &outcome.pose))?;
    }
    sink.finish()?;
    Ok(ending)
}

impl SolveArguments {
    fn json(&self) -> Output {
        Output::Json(if self.names { JointNames::Told } else { JointNames::Left })
    }

    /// The format asked for; none: a report for people.
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

    fn sink(&self, output: Output, scene: &Scene) -> Result<Sink, Failure> {
        match &self.output {
            Some(path) if output == Output::Npy => {
                Sink::array(path, pose_numbers(&scene.skeleton, &scene.start).count())
            }
            path => Sink::text(path.as_deref()),
        }
    }
}
