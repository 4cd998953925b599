//! The motion that follows a table of targets: `convert --targets`.

use super::context::{Context, Ending, Failure};
use super::display_arguments::parse_fps;
use super::interrupt::Progress;
use super::scene_arguments::{Tolerance, input_name, number, open_table, parse_path_tolerance};
use super::totals::Totals;
use crate::solve::{CaseSolver, plan_path};
use clap::Args;
use fabrik3d_ik::paths::{DEFAULT_TOLERANCE, Departure, Jump, Way, Ways};
use fabrik3d_ik::queries::clearance;
use fabrik3d_ik::{Kind, Pose, Problem, Report};
use fabrik3d_scene::MAX_FRAMES;
use fabrik3d_scene::{Motion, Recording, Scene, TargetColumns, Values, VelocityError, VelocityReason, fixed};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The second line of the warning of jumps.
const PLAN_REMEDY: &str = "\n  without --no-plan, the poses of all rows are chosen together, which avoids jumps";

/// Largest number of rows with jumps that are named after the first one.
const MOST_NAMED: usize = 20;
/// Memory for the rows of a motion unless `--max-frames` is given, bytes.
const MOST_BYTES: usize = 256 << 20;
/// Memory that planning needs per row: 512 states and their candidates, the target and the report; and per joint for the pose.
const PLAN_BYTES: [usize; 2] = [3000, 64];

/// Frames per second of a motion that tracks targets.
pub(super) const TARGETS_FPS: f64 = 30.0;

/// Flags of `convert` about motions, above all those that track a table of targets.
#[derive(Clone, Debug, Args)]
pub(super) struct PathArguments {
    /// Write the motion that tracks a table of targets, CSV or NPY; `-`: standard input
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
    /// Start each row of the table from the pose of the row before. By default, the poses of all rows are chosen together, so
    /// that no joint jumps where that can be avoided
    #[arg(long, requires = "targets")]
    no_plan: bool,
    /// Begin at the starting pose: it is written first, and the move to the first row counts like those from row to row
    #[arg(long, requires = "targets")]
    from_start: bool,
    /// Largest velocity of the joints: as in the file, or in degrees (slides: lengths) per second. Rows are added where a
    /// joint would be faster, on the straight way between two poses in joint coordinates; not where a joint jumps, see --bridge
    #[arg(long, value_name = "file|[JOINT=]VALUE", value_parser = parse_velocity, requires = "targets")]
    max_velocity: Vec<VelocityArgument>,
    /// Add rows also where a joint jumps, if no links overlap in them
    #[arg(long, requires = "max_velocity")]
    bridge: bool,
    /// How far the effectors may leave the straight lines between the rows: a distance in the unit of the scene (0.002m) or a
    /// fraction of the size. Where a joint leaves them farther, other poses are looked for; where there are none, it jumps or
    /// the warning says how far
    #[arg(long, value_name = "VALUE[m]", value_parser = parse_path_tolerance, default_value_t = Tolerance::Fraction(DEFAULT_TOLERANCE), requires = "targets")]
    path_tolerance: Tolerance,
    /// Frames per second of a motion [default: as recorded; 60 for glTF files whose keys have no common step; 30 for
    /// targets]
    #[arg(long, value_parser = parse_fps)]
    pub fps: Option<f64>,
    /// Largest number of frames of a motion, and of rows of a table [default: 1000000; for tables, at most what fits into 256
    /// MB of memory]
    #[arg(long, value_name = "N")]
    pub max_frames: Option<usize>,
}

impl PathArguments {
    /// The largest number of rows. All of them are in memory.
    fn most_rows(&self, scene: &Scene) -> usize {
        let plan = if self.no_plan { 0 } else { PLAN_BYTES[0] + PLAN_BYTES[1] * scene.skeleton.len() };
        let bytes = Values::frame_bytes(&scene.skeleton) + plan;
        self.max_frames.unwrap_or(MAX_FRAMES.min(MOST_BYTES / bytes.max(1)))
    }
}

/// The motion, and whether all rows were reached. Fails on an invalid row: a motion has no gaps.
pub(super) fn follow_table(
    scene: &Scene,
    table: &Path,
    request: &PathArguments,
    context: &Context,
) -> Result<(Motion, Ending), Failure> {
    let origin = input_name(table);
    let Followed { columns, values, totals, ways } = follow_rows(scene, table, request)?;
    let frame_time = 1.0 / request.fps.unwrap_or(TARGETS_FPS);
    let recording = Recording::Values(values);
    let motion = Motion { name: "targets".to_owned(), frame_time, recording };
    columns.note(scene).iter().for_each(|note| context.note(note));
    if columns.has_times() {
        let rate = 1.0 / frame_time;
        context.note(&format!(
            "{origin}: the times of the rows are ignored: they are 1/{rate} s apart, and more where --max-velocity slows a \
            joint down; --fps sets another rate"
        ));
    }
    let (ways, jumps) = ways.finish();
    // An unreached row may be why the joints jump.
    let remedy = if !request.no_plan || !totals.is_all_reached() { "" } else { PLAN_REMEDY };
    warn_of_jumps(scene, &jumps, remedy, context);
    totals.notes(None).iter().for_each(|note| context.note(note));
    let has_jumps = !jumps.is_empty() && (!request.no_plan || !request.max_velocity.is_empty());
    let ending = if totals.is_all_reached() && !has_jumps { Ending::Done } else { Ending::Unmet };
    if request.max_velocity.is_empty() {
        return Ok((motion, ending));
    }
    let bridge = request.bridge.then(Way::default);
    let departure = ways.iter().flatten().map(|way| way.departure).fold(Departure::default(), Departure::max);
    let ways: Vec<Option<Vec<Pose>>> =
        ways.into_iter().map(|way| way.or(bridge.clone()).map(|way| way.poses)).collect();
    let slow = slow_down(scene, &motion, &request.max_velocity, &ways, request.most_rows(scene))?;
    let added = added_rows(scene, &motion, &slow);
    check_added(scene, &slow, &added)?;
    let cut = ways.iter().filter(|way| way.is_none()).count();
    let where_not = match cut {
        0 => String::new(),
        1 => " except at the jump; --bridge adds rows there, too".to_owned(),
        count => format!(" except at the {count} jumps; --bridge adds rows there, too"),
    };
    let added = match added.len() {
        0 => String::new(),
        1 => "1 row was added, so that ".to_owned(),
        count => format!("{count} rows were added, so that "),
    };
    if !(added.is_empty() && cut == 0) {
        let off = departure_text(departure);
        let off = format!("\n  between the rows, the effectors are at most {off} off the straight lines");
        context.note(&format!("{added}no joint exceeds its velocity limit{where_not}{off}"));
    }
    Ok((slow, ending))
}

/// The rows of a motion that was slowed down which the motion itself does not have.
fn added_rows(scene: &Scene, motion: &Motion, slow: &Motion) -> Vec<usize> {
    let mut kept = 0;
    let is_added = |&row: &usize| {
        let own = kept < motion.len() && slow.pose(&scene.skeleton, row) == motion.pose(&scene.skeleton, kept);
        kept += usize::from(own);
        !own
    };
    (0..slow.len()).filter(is_added).collect()
}

/// Checks that links keep clear of each other and of obstacles in rows that no solve has seen.
fn check_added(scene: &Scene, motion: &Motion, added: &[usize]) -> Result<(), Failure> {
    let problem = scene.problem();
    if problem.keep_clear.is_empty() {
        return Ok(());
    }
    let found = added.iter().find_map(|&row| {
        let nearest = clearance(&scene.skeleton, &problem, &motion.pose(&scene.skeleton, row))?;
        (nearest.distance < 0.0).then(|| (row, scene.near_parts(&nearest)))
    });
    let Some((row, [first, second])) = found else { return Ok(()) };
    Err(Failure::Message(format!(
        "--max-velocity: row {} would be added, but {first} and {second} overlap in it; nothing is written\n  targets that lie \
        closer together leave less to add",
        row + 1
    )))
}

/// The rows of a table, solved.
struct Followed {
    columns: TargetColumns,
    values: Values,
    totals: Totals,
    ways: Ways,
}

/// The poses of all rows of a table, how many of them miss their targets, and the ways between them.
fn follow_rows(scene: &Scene, table: &Path, request: &PathArguments) -> Result<Followed, Failure> {
    let origin = input_name(table);
    let failed = |error: String| Failure::Message(format!("{origin}: {error}"));
    let (columns, blocks) = open_table(table, scene)?;
    let (mut solver, mut pose) = (CaseSolver::new(scene), scene.start.clone());
    let (mut values, mut totals) = (Values::default(), Totals::default());
    let mut ways = Ways::new(Arc::clone(&scene.skeleton), scene.settings, request.path_tolerance.distance(scene));
    let mut add = |row: u64, report: &Report| totals.add_solved(report, || format!("row {row}"));
    // The number and the problem of each row.
    let mut planned: (Vec<u64>, Vec<Problem>) = Default::default();
    let most = request.most_rows(scene);
    let mut progress = Progress::new(io::stderr().is_terminal());
    for row in blocks.rows() {
        let (number, row) = row.map_err(|error| failed(error.to_string()))?;
        let in_row = |error: String| failed(format!("{}: {error}", columns.place(number)));
        let mut case = columns.case(scene, &row.map_err(in_row)?).map_err(in_row)?;
        if values.len().max(planned.0.len()) == most {
            let or = if request.no_plan { "" } else { "; --no-plan needs less" };
            return Err(failed(format!(
                "the table has more than {most} rows\n  --max-frames allows more, if there is memory for them{or}"
            )));
        }
        if request.from_start && number == 1 {
            ways.begin(&case.problem, &scene.start);
            values.push(&scene.skeleton, &scene.start);
        }
        if request.no_plan {
            // Each row starts from the pose of the row before, even if that missed its targets.
            case.start = pose;
            let problem = case.problem.clone();
            let outcome = solver.solve_near(case);
            add(number, &outcome.report);
            ways.push(&problem, &outcome.pose);
            values.push(&scene.skeleton, &outcome.pose);
            pose = outcome.pose;
        } else {
            planned.0.push(number);
            planned.1.push(case.problem);
        }
        progress.show(number, "rows");
    }
    drop(progress);
    if !request.no_plan {
        let (rows, problems) = planned;
        let planned = plan_path(scene, &problems, request.from_start);
        for ((row, problem), (pose, report)) in rows.into_iter().zip(&problems).zip(planned) {
            add(row, &report);
            ways.push(problem, &pose);
            values.push(&scene.skeleton, &pose);
        }
    }
    match values.is_empty() {
        true => Err(failed("the table has no rows".to_owned())),
        false => Ok(Followed { columns, values, totals, ways }),
    }
}

fn departure_text(Departure { distance, angle }: Departure) -> String {
    format!("{distance:.2e} and {:.1} degrees", angle.to_degrees())
}

/// Warns of rows in which a robot that executes the motion would jump.
fn warn_of_jumps(scene: &Scene, jumps: &[Jump], remedy: &str, context: &Context) {
    let Some(first) = jumps.first() else { return };
    let joint = &scene.skeleton.joints()[first.joint];
    let moved = match joint.kind {
        Kind::Slide { .. } => fixed(first.moved, 3),
        _ => format!("{:.1} degrees", first.moved.to_degrees()),
    };
    let departure = departure_text(first.departure);
    let rows: Vec<String> = jumps[1..].iter().take(MOST_NAMED).map(|jump| (jump.row + 1).to_string()).collect();
    let others = match jumps.len() {
        1 => String::new(),
        2 => format!("; row {} has a jump, too", rows[0]),
        count if count - 1 <= MOST_NAMED => format!("; rows {} have jumps, too", rows.join(", ")),
        count => format!("; rows {} and {} others have jumps, too", rows.join(", "), count - 1 - MOST_NAMED),
    };
    context.note(&format!(
        "row {}: `{}` jumps by {moved} from the previous row: on the way, the effectors leave the straight \
        lines between the rows by {departure}{others}{remedy}",
        first.row + 1,
        joint.name
    ));
}

/// A velocity limit: degrees per second for hinges, lengths per second for slides.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum VelocityArgument {
    /// Those of the file.
    File,
    /// This one for all joints.
    All(f64),
    /// This one for the joint with this name.
    Joint(String, f64),
}

pub(super) fn parse_velocity(text: &str) -> Result<VelocityArgument, String> {
    let expected = "expected `file`, or degrees (lengths for slides) per second above 0: 90 or elbow=90";
    let value = |text: &str| number(text, |value| value > 0.0, expected);
    Ok(match text.rsplit_once('=') {
        Some((name, text)) => VelocityArgument::Joint(name.to_owned(), value(text)?),
        None if text == "file" => VelocityArgument::File,
        None => VelocityArgument::All(value(text)?),
    })
}

/// The motion slowed down along these ways until no joint exceeds these limits. Later limits replace earlier ones. It may
/// have up to `most` rows.
fn slow_down(
    scene: &Scene,
    motion: &Motion,
    given: &[VelocityArgument],
    ways: &[Option<Vec<Pose>>],
    most: usize,
) -> Result<Motion, Failure> {
    let fail = |message: String| Failure::Message(format!("--max-velocity: {message}"));
    let joints = scene.skeleton.joints();
    let unit = |joint: usize, value: f64| match joints[joint].kind {
        Kind::Slide { .. } => value,
        _ => value.to_radians(),
    };
    let mut limits = vec![None; joints.len()];
    for argument in given {
        match argument {
            VelocityArgument::File => {
                if scene.velocity_limits.is_empty() {
                    let remedy = "give one in degrees per second, for example --max-velocity 90";
                    return Err(fail(format!("the file has no velocity limits\n  {remedy}")));
                }
                limits.clone_from(&scene.velocity_limits);
            }
            VelocityArgument::All(value) => {
                limits.iter_mut().enumerate().for_each(|(joint, limit)| *limit = Some(unit(joint, *value)));
            }
            VelocityArgument::Joint(name, value) => {
                let hint = || scene.joint_hint(name).map_or(String::new(), |hint| format!(": {hint}"));
                let joint = scene.find_joint(name);
                let joint = joint.ok_or_else(|| fail(format!("there is no joint `{name}`{}", hint())))?;
                limits[joint] = Some(unit(joint, *value));
            }
        }
    }
    motion.within_velocities(&scene.skeleton, &limits, ways, most).map_err(|VelocityError { joint, reason }| {
        let name = &joints[joint].name;
        let remedy = format!("give it another limit: --max-velocity file --max-velocity {name}=90");
        fail(match reason {
            VelocityReason::Zero => {
                format!("`{name}`: this joint has to move, but its velocity limit is 0\n  {remedy}")
            }
            VelocityReason::TooLow => format!(
                "`{name}`: this joint is so slow that the motion would have more than {most} rows\n  {remedy}; --max-frames \
                allows more rows"
            ),
        })
    })
}
