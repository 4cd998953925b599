//! `fabrik3d convert`: scenes, recorded motion and solved poses to other formats.

use super::common::SceneArguments;
use super::common::{MatchArgument, ask_no_robot, open_input, parse_match, unwritable};
use super::context::Context;
use super::ending::{Ending, Failure};
use super::progress::Progress;
use crate::solve::follow::Follower;
use crate::solve::solve_cases;
use clap::{Args, ValueEnum};
use fabrik3d_scene::{
    Case, JointNames, Motion, MotionFormat, Outcome, Retarget, Scene, Surfaces, csv_header, csv_row, extension,
    read_targets, write_file,
};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Arguments of `convert`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    fabrik3d convert robot.urdf -o robot.toml                   a scene of our own\n  \
    fabrik3d convert walk.bvh -o walk.glb                       a recorded motion as an animation\n  \
    fabrik3d convert fox.glb --clip Run -o run.bvh --fps 30     one of several clips\n  \
    fabrik3d convert man.glb --motion walk.bvh -o walking.glb   a motion on another character\n  \
    fabrik3d convert panda.urdf --targets path.csv -o angles.csv   a robot that follows a path\n  \
    fabrik3d convert arm.toml --pose -o pose.json               the solved pose\n\n\
    What is written: .toml and .json the scene; .csv, .npy, .bvh, .gltf and .glb its recorded motion, or its solved \
    pose where it has none; --pose, --clip, --motion and --targets say otherwise. Tables have a row for each frame: in \
    CSV the time, then the coordinates of all joints as the header names them; in NPY the coordinates alone. Angles \
    are radians there and in JSON, in BVH degrees. What comes from glTF and goes to glTF keeps its body and its other \
    clips, in one file that needs no others.")]
pub(super) struct ConvertArguments {
    /// File to read, `-`: a scene on standard input
    file: PathBuf,
    /// File to write: .toml, .json, .csv, .npy, .bvh, .gltf, .glb; `-`: standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Format to write, where the file's name does not tell
    #[arg(long, value_name = "FORMAT")]
    to: Option<Target>,
    /// Write the solved pose
    #[arg(long, conflicts_with_all = ["clip", "motion", "targets"])]
    pose: bool,
    /// Write a recorded motion: its name, or its number, counted from 1
    #[arg(long, value_name = "NAME", conflicts_with = "targets")]
    clip: Option<String>,
    /// Take the recorded motion of another file, joints matched by their names
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    motion: Option<PathBuf>,
    /// Joint that does what a recorded one does, whatever their names; `none=JOINT` for one that does not
    #[arg(long = "match", value_name = "RECORDED=JOINT", value_parser = parse_match, requires = "motion")]
    matches: Vec<MatchArgument>,
    /// Write the motion that follows a table of targets, CSV or NPY; `-`: standard input
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Frames per second of a motion [default: as recorded; 30 for targets]
    #[arg(long, value_parser = super::look::parse_fps)]
    fps: Option<f64>,
    #[command(flatten)]
    scene: SceneArguments,
}

/// Formats that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Scene, for people
    Toml,
    /// Scene, or a motion or pose
    Json,
    /// Motion or pose, as a table
    Csv,
    /// Motion or pose, as an array
    Npy,
    /// Motion or pose
    Bvh,
    /// Motion or pose, as JSON
    Gltf,
    /// Motion or pose, in binary form
    Glb,
}

/// What is written.
enum Content {
    Scene,
    Pose(Outcome),
    Motion(Motion),
}

/// Frames a second of a motion that follows targets.
const TARGETS_FPS: f64 = 30.0;

const FORMATS: &str = "convert writes .toml, .json, .csv, .npy, .bvh, .gltf and .glb";

/// Reads, solves if asked to, and writes.
pub(super) fn run(arguments: &ConvertArguments, context: &Context) -> Result<Ending, Failure> {
    let target = match arguments.to {
        Some(target) => target,
        None => Target::from_str(&extension(&arguments.output), true).map_err(|_| arguments.refused())?,
    };
    let asks = arguments.pose || arguments.clip.is_some() || arguments.motion.is_some() || arguments.targets.is_some();
    if target == Target::Toml && asks {
        return Err(message(
            "TOML holds scenes, neither poses nor motion: write .json, .csv, .npy, .bvh, .gltf or .glb",
        ));
    }
    // Tables and BVH never hold a body; who asks for them need not wait for it.
    let holds_bodies = matches!(target, Target::Toml | Target::Json | Target::Gltf | Target::Glb);
    let surfaces = if holds_bodies { Surfaces::Load } else { Surfaces::Skip };
    let mut scene = arguments.scene.load(Some(&arguments.file), surfaces)?;
    if arguments.targets.is_some() && !arguments.scene.has_targets() {
        ask_no_robot(&mut scene, Some(&arguments.file));
    }
    context.warn(&arguments.file, &scene);
    let is_gltf = |path: &Path| ["gltf", "glb"].contains(&extension(path).as_str());
    let told = arguments.scene.has_targets() || arguments.scene.is_forward() || arguments.fps.is_some();
    if is_gltf(&arguments.file) && is_gltf(&arguments.output) && !asks && !told {
        // Nothing but the form is to change.
        let nothing = Motion::new("", 1.0 / TARGETS_FPS, Vec::new());
        scene.export(&nothing, &arguments.output, Some(&arguments.file))?;
        return Ok(Ending::Done);
    }
    let (content, ending) = arguments.content(&scene, target, asks, context)?;
    match content {
        Content::Scene => {
            if let Some(motion) = scene.assets.motions.first() {
                let where_to = if target == Target::Json {
                    "--clip 1 writes it instead"
                } else {
                    "write it to .glb, .bvh or .csv"
                };
                context.note(&format!("a scene holds no recorded motion: `{}` stays behind; {where_to}", motion.name));
            }
            arguments.leave_body(&scene, context);
            let text = if target == Target::Toml { scene.to_toml() } else { scene.to_json() };
            arguments.write(|out| out.write_all(text.as_bytes()))?;
        }
        Content::Pose(outcome) if matches!(target, Target::Json | Target::Csv) => arguments.write(|out| {
            if target == Target::Csv {
                return writeln!(out, "{}\n{}", csv_header(&scene), csv_row(&scene, "null", &outcome));
            }
            outcome.write_json(&scene, None, JointNames::Told, out)?;
            writeln!(out)
        })?,
        Content::Pose(outcome) => {
            let motion = Motion::new("pose", 1.0 / TARGETS_FPS, vec![outcome.pose]);
            arguments.write_motion(&scene, &motion, target, context)?;
        }
        Content::Motion(motion) => arguments.write_motion(&scene, &motion, target, context)?,
    }
    Ok(ending)
}

/// Says where a machine that is told to follow the motion would swing round.
fn warn_of_jumps(scene: &Scene, motion: &Motion, context: &Context) {
    let jumps = motion.jumps(&scene.skeleton);
    if let Some(first) = jumps.first() {
        let (name, angle) = (&scene.skeleton.joints()[first.joint].name, first.angle.to_degrees());
        let others = match jumps.len() {
            1 => String::new(),
            count => format!("; {count} rows in all do so"),
        };
        context.note(&format!(
            "row {}: `{name}` jumps by {angle:.1} degrees from the row before{others}",
            first.frame + 1
        ));
    }
}

fn message(text: impl Into<String>) -> Failure {
    Failure::Message(text.into())
}

impl ConvertArguments {
    /// The failure for a file whose extension says nothing that is written.
    fn refused(&self) -> Failure {
        let shown = self.output.display();
        match extension(&self.output).as_str() {
            "" => message(format!("{shown}: give the format by --to, for example --to csv\n  {FORMATS}")),
            "urdf" => message(format!("{shown}: URDF is read, not written\n  write .toml for a scene of our own")),
            "png" | "gif" | "mp4" => {
                message(format!("{shown}: pictures and films are made by `fabrik3d render FILE -o OUT`"))
            }
            other => message(format!("{shown}: .{other} cannot be written\n  {FORMATS}")),
        }
    }

    /// What is to be written, and whether all targets on the way were reached.
    fn content(
        &self,
        scene: &Scene,
        target: Target,
        asks: bool,
        context: &Context,
    ) -> Result<(Content, Ending), Failure> {
        if let Some(table) = &self.targets {
            let (motion, ending) = self.followed(scene, table, context)?;
            return Ok((Content::Motion(motion), ending));
        }
        if !asks && matches!(target, Target::Toml | Target::Json) {
            return Ok((Content::Scene, Ending::Done));
        }
        let recorded = match &self.motion {
            Some(file) => Some(self.carried_over(scene, file, context)?),
            None if self.pose => None,
            None => self.clip_of(scene, &self.file)?.cloned(),
        };
        if let Some(motion) = recorded {
            let motion = self.fps.map_or(motion.clone(), |fps| motion.at_rate(&scene.skeleton, fps));
            return Ok((Content::Motion(motion), Ending::Done));
        }
        if self.scene.is_forward() {
            return Ok((Content::Pose(Outcome::forward(scene)), Ending::Done));
        }
        let outcome = solve_cases(scene, vec![Case::of(scene)]).pop();
        let outcome = outcome.ok_or_else(|| message("there is nothing to solve"))?;
        let ending = Ending::of(&outcome);
        if ending == Ending::Unmet {
            context.note(&format!("not all targets are reached ({})", outcome.report.stop.word()));
        }
        Ok((Content::Pose(outcome), ending))
    }

    /// The recorded motion that is asked for, or the only one; none where there is none and none is asked for.
    fn clip_of<'a>(&self, scene: &'a Scene, file: &Path) -> Result<Option<&'a Motion>, Failure> {
        let motions = &scene.assets.motions;
        let names = || motions.iter().map(|motion| format!("`{}`", motion.name)).collect::<Vec<_>>().join(", ");
        let file = file.display();
        let Some(wanted) = &self.clip else {
            return match motions.len() {
                0 | 1 => Ok(motions.first()),
                count => Err(message(format!("{file} has {count} clips: choose one by --clip NAME\n  {}", names()))),
            };
        };
        let by_number = || wanted.parse::<usize>().ok().and_then(|number| motions.get(number.checked_sub(1)?));
        let found = motions.iter().find(|motion| motion.name == *wanted).or_else(by_number);
        found.map(Some).ok_or_else(|| match motions.is_empty() {
            true => {
                message(format!("--clip: {file} holds no recorded motion; --motion FILE takes that of another file"))
            }
            false => message(format!("--clip: {file} has no clip `{wanted}`\n  it has: {}", names())),
        })
    }

    /// The motion of another file on this scene's skeleton.
    fn carried_over(&self, scene: &Scene, file: &Path, context: &Context) -> Result<Motion, Failure> {
        let other = self.scene.packages_only().load(Some(file), Surfaces::Skip)?;
        context.warn(file, &other);
        let motion = self.clip_of(&other, file)?.ok_or_else(|| {
            message(format!(
                "--motion: {} holds no recorded motion; BVH files and animated glTF files do",
                file.display()
            ))
        })?;
        let pair = |pair: &MatchArgument| {
            let unknown =
                |name: &str, file: &Path| message(format!("--match: {} has no joint `{name}`", file.display()));
            let joint = scene.skeleton.find(&pair.joint).ok_or_else(|| unknown(&pair.joint, &self.file))?;
            let recorded = other.skeleton.find(&pair.recorded);
            if recorded.is_none() && pair.recorded != "none" {
                return Err(unknown(&pair.recorded, file));
            }
            Ok((recorded, joint))
        };
        let told = self.matches.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        let retarget = Retarget::between(&other, scene, &told).ok_or_else(|| {
            let (theirs, ours) = (&other.skeleton.joints()[0].name, &scene.skeleton.joints()[0].name);
            message(format!(
                "--motion: no joint of {} has a name like one of the scene's (`{theirs}`, `{ours}`, ...)\n  \
                say which is which by --match RECORDED=JOINT, once for each",
                file.display()
            ))
        })?;
        let matched = retarget.partners.iter().flatten().count();
        if context.verbose > 0 {
            let all = retarget.partners.len();
            eprintln!("{matched} of {all} joints follow the recording, at {:.4} times its size", retarget.scale);
        }
        Ok(retarget.motion(&other.skeleton, motion, &scene.skeleton))
    }

    /// The motion that follows a table of targets. Rows that cannot be read end it: a motion has no gaps.
    fn followed(&self, scene: &Scene, table: &Path, context: &Context) -> Result<(Motion, Ending), Failure> {
        if self.file == Path::new("-") && table == Path::new("-") {
            return Err(message("the scene and its targets cannot both come from standard input"));
        }
        let origin = table.display();
        let failed = |error: String| message(format!("{origin}: {error}"));
        let (columns, rows) = read_targets(open_input(table)?, scene).map_err(failed)?;
        let mut follower = Follower::new(scene);
        let mut unmet: Vec<(u64, &str)> = Vec::new();
        let mut progress = Progress::new(io::stderr().is_terminal());
        for row in rows {
            let (number, row) = row.map_err(|error| failed(error.to_string()))?;
            let in_row = |error: String| failed(format!("row {number}: {error}"));
            let case = columns.case(scene, &row.map_err(in_row)?).map_err(in_row)?;
            let outcome = follower.follow(case);
            let missed = outcome.filter(|outcome| !outcome.report.stop.is_reached());
            unmet.extend(missed.map(|outcome| (number, outcome.report.stop.word())));
            progress.show(number, "rows");
        }
        progress.clear();
        let motion = follower.motion("targets", 1.0 / self.fps.unwrap_or(TARGETS_FPS));
        columns.told_by_place(scene).iter().for_each(|note| context.note(note));
        warn_of_jumps(scene, &motion, context);
        match unmet.first() {
            _ if motion.is_empty() => Err(failed("the table has no rows".to_owned())),
            None => Ok((motion, Ending::Done)),
            Some((row, why)) => {
                let (count, all) = (unmet.len(), motion.len());
                context.note(&format!("{count} of {all} rows were not reached, row {row} is the first ({why})"));
                Ok((motion, Ending::Unmet))
            }
        }
    }

    fn write_motion(&self, scene: &Scene, motion: &Motion, target: Target, context: &Context) -> Result<(), Failure> {
        let format = match target {
            Target::Csv => MotionFormat::Csv,
            Target::Npy => MotionFormat::Npy,
            Target::Bvh => MotionFormat::Bvh,
            Target::Gltf => MotionFormat::Gltf,
            Target::Glb => MotionFormat::Glb,
            // TOML was refused before.
            Target::Json | Target::Toml => MotionFormat::Json,
        };
        if self.keeps_body() && matches!(format, MotionFormat::Gltf | MotionFormat::Glb) {
            return Ok(scene.export(motion, &self.output, Some(&self.file))?);
        }
        if matches!(format, MotionFormat::Gltf | MotionFormat::Glb) {
            self.leave_body(scene, context);
        }
        self.write(|out| scene.write_motion(motion, format, out))
    }

    /// Whether the result is glTF that comes from glTF: all that was there stays.
    fn keeps_body(&self) -> bool {
        [&self.file, &self.output].into_iter().all(|path| ["gltf", "glb"].contains(&extension(path).as_str()))
    }

    /// Says that meshes are not written.
    fn leave_body(&self, scene: &Scene, context: &Context) {
        if !(scene.assets.surfaces.is_empty() && scene.assets.skins.is_empty()) {
            let file = self.file.display();
            context.note(&format!("{file}: the meshes stay behind; only glTF that comes from glTF keeps them"));
        }
    }

    /// Writes to the file, or to standard output.
    fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        if self.output == Path::new("-") {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        write_file(&self.output, write).map_err(unwritable(&self.output))
    }
}
