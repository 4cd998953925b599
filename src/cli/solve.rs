//! `fabrik3d solve`: a scene, or many cases of it.

use super::answers::{Encoded, Encoder, Format, RowKeys, Unreached};
use super::context::{Context, Ending, Failure, print};
use super::interrupt;
use super::report;
use super::scene_arguments::{SceneArguments, input_name, is_standard, open_input, open_table};
use super::sink::{Sink, keep_inputs};
use super::stream::Stream;
use crate::solve::{all_branches, solve_scene};
use clap::Args;
use fabrik3d_ik::settings::Prefer;
use fabrik3d_scene::{Case, Cell, JointNames, Outcome, Scene, Surfaces, TargetColumns, extension, read_cases};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `solve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    fabrik3d solve arm.toml --target hand=0.3,0.8,0.2\n  \
    fabrik3d solve panda.urdf --joint panda_joint4=-90 --json       forward kinematics, no solve\n  \
    fabrik3d solve ur5.urdf --target 0.4,0.2,0.3 --rotation 180,0,90 --all     all solutions\n  \
    fabrik3d solve panda.urdf --target 0.4,0.2,0.3 --direction 0,0,-1     downward, any turn about it\n  \
    fabrik3d solve panda.urdf --targets grasps.csv -o angles.csv\n  \
    fabrik3d solve panda.urdf --targets grasps.npy -o angles.npz\n  \
    generate | fabrik3d solve arm.toml --cases - > answers.jsonl\n  \
    fabrik3d solve arm.toml --set solver.method=textbook     FABRIK as published; also ccd, dls, ...\n\n\
    A case is a line {\"id\": 1, \"targets\": {\"hand\": {\"position\": [x, y, z], \"rotation\": [x, y, z, w]}}}. All keys \
    are optional, also \"start\" (a pose as in the answers), \"obstacles\" and \"link_radius\". The effector of a chain has \
    the name of the chain. Answers keep the order of the cases; the answer to an invalid line is {\"id\", \"error\"}.\n\n\
    Tables of targets have columns x,y,z for the first effector or NAME.x,NAME.y,NAME.z, and qx,qy,qz,qw for \
    rotations, or roll,pitch,yaw in radians about the fixed axes, or dx,dy,dz for the direction of the z axis alone, or \
    look_x,look_y,look_z for a point that this axis points at. A column rank says what a target gives way to: firm, wanted or \
    preferred. \
    q.JOINT is a start coordinate; other columns are copied to the answer. Tables without a header, and NPY arrays, have \
    three or seven columns per effector in the scene's order. Each row is solved independently, from the initial pose \
    of the scene, unless a column named path says which rows follow on each other; `convert --targets` makes a motion of \
    the rows.\n\n\
    A CSV result has a row per target: id; stop, why the solve ended; reached; error, the largest miss as a fraction of the \
    reach; iterations; attempts; micros, the time; for each effector its position x, y, z, error, angle and distance from \
    the target; the joint coordinates, angles in radians; a message for an invalid row. An NPY result has a row of joint \
    coordinates per target, in the \
    order of the CSV columns, or a row of NaN for an invalid target. An NPZ result has the arrays angles, names, \
    reached, distance and angle.")]
pub(super) struct SolveArguments {
    /// Scene to solve; `-`: standard input
    file: PathBuf,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Write to a .json, .csv, .npy or .npz file
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["json", "csv"])]
    output: Option<PathBuf>,
    /// Cases to solve, one JSON object per line; `-`: standard input
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    cases: Option<PathBuf>,
    /// Table of targets to solve for, CSV or NPY; `-`: standard input
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Of all poses found, return the one closest to the start: its largest joint movement is the smallest
    #[arg(long, conflicts_with = "all")]
    nearest: bool,
    /// List all poses that reach the target, or some of infinitely many: at most 16, those closest to the start first. With
    /// --cases and --targets, each row has as many answers as solutions, numbered in `solution`
    #[arg(long)]
    all: bool,
    /// Pose in the answer to a target that is not reached: the nearest one found, or no numbers (empty cells, null, NaN)
    #[arg(long, value_name = "nearest|nan", hide_possible_values = true, default_value = "nearest")]
    unreached: Unreached,
    /// Threads that solve [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
    /// Stop solving cases and targets after this time; the remaining rows get an error as their answer
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time_limit: Option<Duration>,
    /// Add `joint_names` to every JSON answer; a single answer always has them
    #[arg(long)]
    names: bool,
    /// Exit with 0 even if a target was not reached, for pipelines that treat any other code as a crash
    #[arg(long)]
    exit_zero: bool,
    #[command(flatten)]
    scene: SceneArguments,
}

/// Most threads. With thousands, solving starts only after minutes.
const MOST_THREADS: i64 = 1024;

pub(super) fn run(arguments: &SolveArguments, context: &Context) -> Result<Ending, Failure> {
    let lines = arguments.cases.as_deref().or(arguments.targets.as_deref());
    if is_standard(&arguments.file) && lines.is_some_and(is_standard) {
        return Err(Failure::Message("the scene and its cases cannot both come from standard input".into()));
    }
    let format = arguments.format()?;
    if let Some(output) = &arguments.output {
        keep_inputs(output, [arguments.file.as_path()].into_iter().chain(lines))?;
    }
    // Reading a scene makes the pool of threads already, where nobody else has.
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().map_err(|error| Failure::Message(format!("--threads {threads}: {error}")))?;
    }
    let mut scene = arguments.scene.load(Some(&arguments.file), Surfaces::Skip)?;
    if lines.is_some() && !arguments.scene.has_targets() {
        scene.free_robot_effectors();
    }
    scene.settings.interrupt = interrupt::INTERRUPT;
    if arguments.nearest {
        scene.settings.prefer = Prefer::Nearest;
    }
    context.warn(&arguments.file, &scene);
    let ending = match lines {
        Some(path) => arguments.solve_rows(&scene, path, format.unwrap_or(arguments.rows_format()), context)?,
        None if arguments.all => arguments.list_branches(&scene, format, context)?,
        None => arguments.solve_scene(&scene, format, context)?,
    };
    Ok(if arguments.exit_zero && ending == Ending::Unmet { Ending::Done } else { ending })
}

impl SolveArguments {
    /// Solves the scene as it is, or only finds where the given joint values put it.
    fn solve_scene(&self, scene: &Scene, format: Option<Format>, context: &Context) -> Result<Ending, Failure> {
        let is_forward = self.scene.is_forward();
        let outcome = if is_forward { Outcome::forward(scene) } else { interrupt::solve(|| solve_scene(scene)) };
        let ending = Ending::of(&outcome);
        match format {
            Some(format) => self.write_outcomes(scene, vec![outcome], format)?,
            None if is_forward => print(|out| report::print_forward(out, scene, &outcome, context))?,
            None => print(|out| report::print(out, scene, &scene.problem(), &outcome, context))?,
        }
        Ok(ending)
    }

    /// Prints or writes all poses that reach the target.
    fn list_branches(&self, scene: &Scene, format: Option<Format>, context: &Context) -> Result<Ending, Failure> {
        let found = interrupt::solve(|| all_branches(scene, Case::of(scene)));
        let ending = found.outcomes.first().map_or(Ending::Unmet, Ending::of);
        if ending == Ending::Done
            && let Some(note) = report::coverage(scene, found.coverage)
        {
            context.note(&format!("--all: {note}"));
        }
        match (format, ending, found.outcomes.first()) {
            (Some(format), ..) => self.write_outcomes(scene, found.outcomes, format)?,
            (None, Ending::Unmet, Some(outcome)) => {
                print(|out| report::print(out, scene, &Case::of(scene).problem, outcome, context))?;
            }
            _ => print(|out| report::print_branches(out, scene, &found.outcomes, context))?,
        }
        Ok(ending)
    }

    /// Solves the rows of a file of cases or targets.
    fn solve_rows(&self, scene: &Scene, path: &Path, format: Format, context: &Context) -> Result<Ending, Failure> {
        let origin = input_name(path);
        let (columns, blocks) = match self.targets {
            None => (None, read_cases(open_input(path)?)),
            Some(_) => {
                let (columns, blocks) = open_table(path, scene)?;
                (Some(columns), blocks)
            }
        };
        if self.all && columns.as_ref().is_some_and(TargetColumns::has_paths) {
            let remedy = "--all answers each row on its own\n  remove the column `path`, or leave out --all";
            return Err(Failure::Message(format!("{origin}: the rows of a path follow on each other, and {remedy}")));
        }
        if self.all && format == Format::Npy {
            let remedy = "an NPY file cannot say which pose belongs to which target\n  write .npz, .csv or .json";
            return Err(Failure::Message(format!("--all: {remedy}")));
        }
        let encoder = Encoder { columns: columns.as_ref(), has_solutions: self.all, ..self.encoder(scene, format) };
        columns.iter().filter_map(|columns| columns.note(scene)).for_each(|note| context.note(&note));
        encoder.note_left_out().iter().for_each(|note| context.note(note));
        let stream = Stream { encoder, origin: &origin, time_limit: self.time_limit, lists_all: self.all };
        let (totals, ending) = stream.solve(blocks, Sink::new(self.output.as_deref(), &encoder)?, context)?;
        // JSON answers to JSON cases contain their errors.
        if self.targets.is_some() || matches!(format, Format::Npy | Format::Npz) {
            totals.notes(self.time_limit).iter().for_each(|note| context.note(note));
        }
        ending
    }

    /// Writes the outcomes of the scene itself, with numbers as ids if there may be several.
    fn write_outcomes(&self, scene: &Scene, outcomes: Vec<Outcome>, format: Format) -> Result<(), Failure> {
        // A single answer has all names.
        let format = if let Format::Json(_) = format { Format::Json(JointNames::Listed) } else { format };
        let encoder = self.encoder(scene, format);
        let mut sink = Sink::new(self.output.as_deref(), &encoder)?;
        let mut encoded = Encoded::default();
        for (at, outcome) in outcomes.into_iter().enumerate() {
            let id = if self.all { Cell::Integer(at as u64 + 1) } else { Cell::Empty };
            encoder.push(&RowKeys { id, carried: Vec::new(), solution: None }, outcome, &mut encoded)?;
        }
        sink.write(&encoded)?;
        sink.finish()
    }

    fn encoder<'a>(&self, scene: &'a Scene, format: Format) -> Encoder<'a> {
        Encoder { scene, format, unreached: self.unreached, columns: None, has_solutions: false }
    }

    fn json(&self) -> Format {
        Format::Json(if self.names { JointNames::Listed } else { JointNames::Omitted })
    }

    /// The format of answers to many targets if none is requested. Cases are for other programs.
    fn rows_format(&self) -> Format {
        let is_for_people = self.targets.is_some() && io::stdout().is_terminal();
        if is_for_people { Format::Text } else { self.json() }
    }

    /// The requested output format; `None` for a report as text.
    fn format(&self) -> Result<Option<Format>, Failure> {
        let json = self.json();
        let Some(path) = &self.output else {
            return Ok(if self.csv { Some(Format::Csv) } else { self.json.then_some(json) });
        };
        match extension(path).as_str() {
            "csv" => Ok(Some(Format::Csv)),
            "json" | "jsonl" | "ndjson" => Ok(Some(json)),
            "npy" => Ok(Some(Format::Npy)),
            "npz" => Ok(Some(Format::Npz)),
            _ => Err(Failure::Message(format!(
                "{}: this format cannot be written\n  solve writes .json, .csv, .npy and .npz; without -o it prints",
                path.display()
            ))),
        }
    }
}

/// A positive number of seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.trim_end_matches('s').parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "expected a positive number of seconds, such as 2.5".to_owned())
}
