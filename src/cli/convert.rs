//! `fabrik3d convert`: scenes, recorded motion and solved poses to other formats.

use super::common::{MatchArgument, ask_no_robot, open_input, parse_match, unwritable};
use super::progress::Progress;
use super::{Context, Ending, Failure, SceneArguments};
use crate::solve::follow::Follower;
use crate::solve::solve_cases;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fabrik3d_scene::{
    Case, FileFormat, Motion, Outcome, Retarget, Scene, Surfaces, extension, read_targets, write_file,
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
    #[arg(short, long, value_name = "OUT", help = format!(
        "File to write: {}; `-`: standard output", FileFormat::list(FileFormat::is_written, "or")
    ))]
    output: PathBuf,
    /// Format to write, where the file's name does not tell
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Option<&'static FileFormat>,
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

/// What is written.
enum Content {
    Scene,
    Pose(Outcome),
    Motion(Motion),
}

/// The formats that are written, by their extensions.
fn format_parser() -> impl TypedValueParser<Value = &'static FileFormat> {
    let value = |format: &FileFormat| {
        let contents = match (format.scene_syntax(), format.writes_motion()) {
            (Some(_), true) => "scene, motion or pose",
            (Some(_), false) => "scene",
            (None, _) => "motion or pose",
        };
        PossibleValue::new(format.extensions[0]).help(format!("{}: {contents}", format.name))
    };
    let written = FileFormat::all().iter().filter(|format| format.is_written());
    PossibleValuesParser::new(written.map(value))
        .try_map(|name| FileFormat::with_extension(&name).ok_or("unknown format"))
}

/// Frames a second of a motion that follows targets.
const TARGETS_FPS: f64 = 30.0;

/// Reads, solves if asked to, and writes.
pub(super) fn run(arguments: &ConvertArguments, context: &Context) -> Result<Ending, Failure> {
    let by_name = || FileFormat::for_writing(&arguments.output);
    let format = arguments.to.or_else(by_name).ok_or_else(|| arguments.refused())?;
    let asks = arguments.pose || arguments.clip.is_some() || arguments.motion.is_some() || arguments.targets.is_some();
    if asks && !format.writes_motion() {
        let known = FileFormat::list(FileFormat::writes_motion, "or");
        let name = format.extensions[0].to_uppercase();
        return Err(message(format!("{name} holds scenes, neither poses nor motion: write {known}")));
    }
    // Tables and BVH never hold a body; who asks for them need not wait for it.
    let surfaces = if format.saves_scenes() { Surfaces::Load } else { Surfaces::Skip };
    let mut scene = arguments.scene.load(Some(&arguments.file), surfaces)?;
    if arguments.targets.is_some() && !arguments.scene.has_targets() {
        ask_no_robot(&mut scene, Some(&arguments.file));
    }
    context.warn(&arguments.file, &scene);
    let told = arguments.scene.has_targets() || arguments.scene.is_forward() || arguments.fps.is_some();
    if arguments.keeps_body() && !asks && !told {
        // Nothing but the form is to change.
        let nothing = Motion::new("", 1.0 / TARGETS_FPS, Vec::new());
        scene.export(&nothing, &arguments.output, Some(&arguments.file))?;
        return Ok(Ending::Done);
    }
    let (content, ending) = arguments.content(&scene, format, asks, context)?;
    match content {
        Content::Scene => {
            if let Some(motion) = scene.assets.motions.first() {
                let where_to = if format.writes_motion() {
                    "--clip 1 writes it instead"
                } else {
                    "write it to .glb, .bvh or .csv"
                };
                context.note(&format!("a scene holds no recorded motion: `{}` stays behind; {where_to}", motion.name));
            }
            arguments.leave_body(&scene, context);
            let text = format.scene_syntax().map_or(String::new(), |syntax| scene.to_text(syntax));
            arguments.write(|out| out.write_all(text.as_bytes()))?;
        }
        Content::Pose(outcome) => match format.write_outcome {
            Some(write) => arguments.write(|out| write(&scene, &outcome, out))?,
            None => {
                let motion = Motion::new("pose", 1.0 / TARGETS_FPS, vec![outcome.pose]);
                arguments.write_motion(&scene, &motion, format, context)?;
            }
        },
        Content::Motion(motion) => arguments.write_motion(&scene, &motion, format, context)?,
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
        let (shown, formats) = (self.output.display(), FileFormat::list(FileFormat::is_written, "and"));
        match extension(&self.output).as_str() {
            "" => {
                message(format!("{shown}: give the format by --to, for example --to csv\n  convert writes {formats}"))
            }
            "urdf" => message(format!("{shown}: URDF is read, not written\n  write .toml for a scene of our own")),
            "png" | "gif" | "mp4" => {
                message(format!("{shown}: pictures and films are made by `fabrik3d render FILE -o OUT`"))
            }
            other => message(format!("{shown}: .{other} cannot be written\n  convert writes {formats}")),
        }
    }

    /// What is to be written, and whether all targets on the way were reached.
    fn content(
        &self,
        scene: &Scene,
        format: &FileFormat,
        asks: bool,
        context: &Context,
    ) -> Result<(Content, Ending), Failure> {
        if let Some(table) = &self.targets {
            let (motion, ending) = self.followed(scene, table, context)?;
            return Ok((Content::Motion(motion), ending));
        }
        if !asks && format.scene_syntax().is_some() {
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
        columns.note_by_position(scene).iter().for_each(|note| context.note(note));
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

    fn write_motion(
        &self,
        scene: &Scene,
        motion: &Motion,
        format: &FileFormat,
        context: &Context,
    ) -> Result<(), Failure> {
        if format.keeps_body() {
            if self.keeps_body() {
                return Ok(scene.export(motion, &self.output, Some(&self.file))?);
            }
            self.leave_body(scene, context);
        }
        // A format that writes no motion was refused before.
        format.write_motion.map_or(Ok(()), |write| self.write(|out| write(scene, motion, out)))
    }

    /// Whether the result is glTF that comes from glTF: all that was there stays.
    fn keeps_body(&self) -> bool {
        [&self.file, &self.output].into_iter().all(|path| FileFormat::of(path).is_some_and(FileFormat::keeps_body))
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
