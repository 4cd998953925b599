//! `fabrik3d bench`: measurements as tables.

use super::context::{Ending, Failure, print};
use super::interrupt::Progress;
use super::scene_arguments::{ReadingArguments, number};
use crate::examples;
use clap::{Args, ValueEnum};
use fabrik3d_measure::robots::Arm;
use fabrik3d_measure::{Machine, Measurements, Table};
use fabrik3d_measure::{
    adversarial, arm_poses, arms, convergence, mocap, motion, paper, robots, single_chain, skeletons, throughput,
};
use fabrik3d_scene::{OpenOptions, Scene, Surfaces};
use std::io::{self, IsTerminal};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    fabrik3d bench paper\n  \
    fabrik3d bench robots ur5.urdf panda.urdf --json\n  \
    fabrik3d bench mocap 01_01.bvh --scale 0.056444")]
pub(super) struct BenchArguments {
    /// Measurement to run
    #[arg(default_value = "all", value_name = "WHAT")]
    what: What,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Number of cases of each kind, if adjustable; more cases take longer and are more precise
    #[arg(long, value_name = "N")]
    count: Option<NonZeroU32>,
    /// Files for robots (.urdf, .xml) and mocap (.bvh, .glb)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// robots: effector, joint or link to measure; several for several robots [default: every effector with a target when
    /// the robot opens]
    #[arg(long, value_name = "NAME")]
    tip: Vec<String>,
    /// robots: joint or link at which the arms start; everything between the root and it stays fixed. Robots without it
    /// keep all their joints
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// mocap: metres per unit of the recording; errors are then in millimetres
    #[arg(long, value_name = "METRES", value_parser = parse_scale)]
    scale: Option<f64>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Seed of the random cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn parse_scale(text: &str) -> Result<f64, String> {
    number(text, |scale| scale > 0.0, "expected a length in metres above 0, such as 0.01")
}

/// The measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Table 1 of the FABRIK paper: ten joints, all methods
    Paper,
    /// Single chains of 2 to 1,000 links, compared with FABRIK as published in 2011 (textbook)
    Single,
    /// Targets near full reach
    Hard,
    /// Many chains at once, on SIMD lanes and threads
    Batch,
    /// Error by iteration
    Convergence,
    /// Chains and targets constructed to be difficult
    Adversarial,
    /// Skeletons with limits, loops and obstacles: success rates, tracking, targets out of reach
    Skeletons,
    /// Robots, by TRAC-IK's protocol: random poses with orientation, 5 ms
    Robots,
    /// Motion capture reconstructed from head, hands and feet
    Mocap,
    /// All measurements that need no files
    All,
}

impl What {
    fn needs_files(self) -> bool {
        matches!(self, What::Robots | What::Mocap)
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

pub(super) fn run(arguments: &BenchArguments) -> Result<Ending, Failure> {
    let what = arguments.what.name();
    match (arguments.what.needs_files(), arguments.files.is_empty()) {
        (true, true) => {
            return Err(Failure::Message(format!("bench {what} needs files: fabrik3d bench {what} FILE...")));
        }
        (false, false) => return Err(Failure::Message(format!("bench {what} takes no files; robots and mocap do"))),
        _ => {}
    }
    let selected: Vec<What> = match arguments.what {
        What::All => {
            let all = What::value_variants().iter().copied();
            all.filter(|what| *what != What::All && !what.needs_files()).collect()
        }
        one => vec![one],
    };
    let mut tables = Vec::new();
    for what in selected {
        progress(format_args!("measuring: {}", what.name()));
        tables.extend(measure(what, arguments)?);
    }
    let measurements = Measurements { machine: Machine::here(), tables };
    print(|out| match arguments.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&measurements).map_err(io::Error::from)?),
        false => write!(out, "{}", measurements.text()),
    })?;
    Ok(Ending::Done)
}

/// Prints a line to standard error if it is a terminal.
fn progress(line: std::fmt::Arguments<'_>) {
    if io::stderr().is_terminal() {
        eprintln!("{line}");
    }
}

fn measure(what: What, arguments: &BenchArguments) -> Result<Vec<Table>, Failure> {
    let count = |default: u32| arguments.count.map_or(default, NonZeroU32::get);
    let seed = arguments.seed;
    let mut step = |line: &str| progress(format_args!("  {line}"));
    Ok(match what {
        What::Paper => paper::tables(count(300) as usize, seed),
        What::Single => vec![single_chain::table(seed)],
        What::Hard => vec![single_chain::hard(seed)],
        What::Batch => throughput::tables(seed),
        What::Convergence => vec![convergence::table(count(300) as usize, seed)],
        What::Adversarial => vec![adversarial::table(count(300_000), seed)],
        What::Skeletons => {
            let count = count(200) as usize;
            vec![
                skeletons::table(count, seed, &mut step),
                motion::tracking_table(count.div_ceil(40), seed, &mut step),
                motion::out_of_reach_table(count.div_ceil(4), seed, &mut step),
            ]
        }
        What::Robots => robots_of(arguments)?,
        What::Mocap => recordings(arguments)?,
        What::All => Vec::new(),
    })
}

fn open(arguments: &BenchArguments, file: &Path) -> Result<Scene, Failure> {
    let options = OpenOptions { surfaces: Surfaces::Skip, ..arguments.reading.options() };
    Ok(examples::open(file, &options)?)
}

/// Every arm by the scalar solver, one problem at a time, and in SIMD lanes.
fn robots_of(arguments: &BenchArguments) -> Result<Vec<Table>, Failure> {
    let usual = robots::Protocol::default();
    let problems = arguments.count.map_or(usual.problems, |count| count.get() as usize);
    let protocol = robots::Protocol { problems, seed: arguments.seed, ..usual };
    let mut alone = robots::table(&protocol);
    let mut in_lanes = arms::table(&protocol);
    let mut poses = arm_poses::PoseTables::new(&protocol);
    for arm in robot_arms(arguments)? {
        let name = &arm.name;
        let mut shown = Progress::new(io::stderr().is_terminal());
        robots::push(&mut alone, &arm, &protocol, &mut |done| shown.show(done as u64, name));
        drop(shown);
        progress(format_args!("  {name}, in lanes"));
        if !arms::push_rows(&mut in_lanes, &arm, &protocol) {
            in_lanes = in_lanes.note(format!("{name} does not fit the lanes."));
        }
        progress(format_args!("  {name}, branches and paths"));
        poses.push(&arm);
    }
    Ok([alone, in_lanes].into_iter().chain(poses.finish()).collect())
}

/// The arms of all files: with the given tips, from the given base on.
fn robot_arms(arguments: &BenchArguments) -> Result<Vec<Arm>, Failure> {
    let mut all = Vec::new();
    let mut has_base = arguments.base.is_none();
    for file in &arguments.files {
        let mut scene = open(arguments, file)?;
        if let Some(base) = arguments.base.as_deref().and_then(|base| scene.find_joint(base)) {
            let fixed = robots::from_base(&scene.skeleton, base);
            let fixed = fixed.map_err(|error| Failure::Message(format!("{}: --base: {error}", file.display())))?;
            scene.skeleton = fixed.into();
            has_base = true;
        }
        let robot = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
        let arms = Arm::all_of(&robot, &scene, &arguments.tip);
        if arms.is_empty() {
            let names: Vec<&str> = scene.effectors.iter().map(|effector| effector.name.as_str()).collect();
            let tips = if arguments.tip.is_empty() { "its own".to_owned() } else { arguments.tip.join("` or `") };
            let message = format!("{}: there is no tip `{tips}`\n  it has: {}", file.display(), names.join(", "));
            return Err(Failure::Message(message));
        }
        all.extend(arms);
    }
    match &arguments.base {
        Some(base) if !has_base => Err(Failure::Message(format!("--base: no robot has a joint or a link `{base}`"))),
        _ => Ok(all),
    }
}

/// Default number of frames per clip for `mocap`.
const MOCAP_FRAMES: usize = 250;

fn recordings(arguments: &BenchArguments) -> Result<Vec<Table>, Failure> {
    let mut tables = Vec::new();
    for file in &arguments.files {
        let scene = open(arguments, file)?;
        if scene.assets.motions.is_empty() {
            return Err(Failure::Message(format!("{}: there is no recorded motion in this file", file.display())));
        }
        for motion in &scene.assets.motions {
            let frames = arguments.count.map_or(MOCAP_FRAMES, |count| count.get() as usize);
            let step = motion.len().div_ceil(frames).max(1);
            for start in [mocap::FrameStart::Rest, mocap::FrameStart::Previous] {
                progress(format_args!("  {}, {}", motion.name, start.words()));
                let experiment = mocap::Experiment { step, start, unit: arguments.scale };
                tables.push(mocap::reconstruct(&scene, motion, &experiment));
            }
        }
    }
    Ok(tables)
}
