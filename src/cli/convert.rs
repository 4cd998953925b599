//! `fabrik3d convert`: scenes, recorded motion and solved poses in other formats.

use super::context::{Context, Ending, Failure, print};
use super::follow::Follower;
use super::interrupt::remove_drafts_on_interrupt;
use super::page::{self, Contents, PageArguments, is_page};
use super::path::{PathArguments, TARGETS_FPS, follow_table};
use super::report::sentence;
use super::scene_arguments::{SceneArguments, is_standard, parse_match, unwritable};
use super::sink::keep_inputs;
use crate::solve::solve_scene;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fabrik3d_ik::Kind;
use fabrik3d_scene::MAX_FRAMES;
use fabrik3d_scene::{
    Content, FileFormat, Files, Motion, Outcome, Retarget, Scene, Surfaces, coordinate_names, extension, find_clip,
    limits_path, read_pose_table, shown_number, write_file,
};
use fabrik3d_viewer::page::Recording;
use fabrik3d_viewer::session::{MISFIT_REMEDY, MotionCommand, Remark};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `convert`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    fabrik3d convert robot.urdf -o robot.toml                   a scene file\n  \
    fabrik3d convert walk.bvh -o walk.glb                       a recorded motion as an animation\n  \
    fabrik3d convert fox.glb --clip Run -o run.bvh --fps 30     one of several clips\n  \
    fabrik3d convert man.glb --motion walk.bvh -o walking.glb   the motion on another character\n  \
    fabrik3d convert man.glb --motion walk.bvh --follow -o walking.glb   the same, with hands and feet where they are recorded\n  \
    fabrik3d convert panda.urdf --targets path.csv -o angles.csv   the joint angles along a path\n  \
    fabrik3d convert panda.urdf --targets path.csv --max-velocity file -o angles.csv\n  \
    fabrik3d convert arm.toml --pose -o pose.json               the solved pose\n  \
    fabrik3d convert robot.urdf -o robot.html                   a page for browsers, with the viewer inside\n\n\
    .toml and .json files contain the scene; .csv, .npy, .bvh, .gltf and .glb files contain its recorded motion, or its \
    solved pose if there is none. --pose, --clip, --motion and --targets select something else. Motions as tables have a \
    row per frame: in CSV the time and the coordinates of all joints, named by the header; in NPY the coordinates alone. \
    With --pose, .csv and .json files contain the answer of `solve`. Angles \
    are radians in tables and JSON, degrees in BVH. glTF converted from glTF keeps its meshes and other clips, in a \
    single file.")]
pub(super) struct ConvertArguments {
    /// File to read; `-`: a scene on standard input
    file: PathBuf,
    #[arg(short, long, value_name = "OUT", help = format!(
        "File to write: {}; .html: a page for browsers; `-`: standard output",
        FileFormat::list(FileFormat::is_written, "or")
    ))]
    output: PathBuf,
    /// Output format, if the file name does not determine it
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Option<&'static FileFormat>,
    /// Write the solved pose
    #[arg(long, conflicts_with_all = ["clip", "motion", "targets", "follow"])]
    pose: bool,
    /// Write the recorded motion with this name or number, counted from 1
    #[arg(long, value_name = "NAME", conflicts_with = "targets")]
    clip: Option<String>,
    /// Use the recorded motion of another file, whose joints are matched by name, or a table of joint values (.csv)
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    motion: Option<PathBuf>,
    /// Joint that follows a recorded joint with another name; `none=JOINT` for a joint that follows none
    #[arg(long = "match", value_name = "RECORDED=JOINT", value_parser = parse_match, requires = "motion")]
    matches: Vec<(String, String)>,
    /// Make the targets follow the recorded joints, and write the poses that are solved for them
    #[arg(long, conflicts_with = "targets")]
    follow: bool,
    #[command(flatten)]
    path: PathArguments,
    #[command(flatten)]
    page: PageArguments,
    #[command(flatten)]
    scene: SceneArguments,
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

/// Reads, solves if necessary, and writes.
pub(super) fn run(arguments: &ConvertArguments, context: &Context) -> Result<Ending, Failure> {
    remove_drafts_on_interrupt();
    if is_page(&arguments.output) && arguments.to.is_none() {
        return page::run(&arguments.page_contents()?, &arguments.output, context);
    }
    if arguments.page.is_any() {
        context.note("--play and --theme count in pages alone (.html)");
    }
    let by_name = || FileFormat::for_writing(&arguments.output);
    let format = arguments.to.or_else(by_name).ok_or_else(|| arguments.refused())?;
    let is_selected = arguments.selects();
    if is_selected && !format.writes_motion() {
        let known = FileFormat::list(FileFormat::writes_motion, "or");
        let name = format.extensions[0].to_uppercase();
        return Err(message(format!("{name} files contain scenes, not poses or motion: write {known}")));
    }
    let inputs = [Some(&arguments.file), arguments.motion.as_ref(), arguments.path.targets.as_ref()];
    keep_inputs(&arguments.output, inputs.into_iter().flatten().map(PathBuf::as_path))?;
    // Tables and BVH never contain meshes: do not load them.
    let surfaces = if format.saves_scenes() { Surfaces::Load } else { Surfaces::Skip };
    let mut scene = arguments.scene.load(Some(&arguments.file), surfaces)?;
    // A converted robot answers as its source, whose effectors count only where a target is given.
    let writes_scene = format.scene_syntax().is_some() && !is_selected;
    if (arguments.path.targets.is_some() || writes_scene) && !arguments.scene.has_targets() {
        scene.free_robot_effectors();
    }
    context.warn(&arguments.file, &scene);
    let is_changed = arguments.scene.has_targets() || arguments.scene.is_forward() || arguments.path.fps.is_some();
    if arguments.keeps_meshes(format) && !is_selected && !is_changed {
        // Only the file format changes.
        let no_motion = Motion::new("", 1.0 / TARGETS_FPS, Vec::new());
        arguments.write_motion(&scene, &no_motion, format, context)?;
        return Ok(Ending::Done);
    }
    if let Some(table) = &arguments.path.targets {
        if is_standard(&arguments.file) && is_standard(table) {
            return Err(message("the scene and its targets cannot both come from standard input"));
        }
        let (motion, ending) = follow_table(&scene, table, &arguments.path, context)?;
        arguments.write_motion(&scene, &motion, format, context)?;
        return Ok(ending);
    }
    if writes_scene {
        arguments.write_scene(&scene, format, context)?;
        return Ok(Ending::Done);
    }
    let motion = match arguments.follow {
        true => Some(arguments.followed(&scene, context)?),
        false => arguments.recorded(&scene, context)?,
    };
    if let Some(motion) = motion {
        arguments.write_motion(&scene, &motion, format, context)?;
        return Ok(Ending::Done);
    }
    arguments.write_pose(&scene, format, context)
}

/// The motion in a table of joint values.
fn joint_path(scene: &Scene, file: &Path, context: &Context) -> Result<Motion, Failure> {
    let name = file.display();
    let table = read_pose_table(file, scene).map_err(|error| message(format!("--motion: {name}: {error}")))?;
    let table = table.ok_or_else(|| {
        message(format!(
            "--motion: {name} is no table of joint values: it has no columns with names such as `{}`\n  \
            write one as `convert -o TABLE.csv` does; a table of targets is for --targets",
            coordinate_names(scene).next().unwrap_or_default()
        ))
    })?;
    if let Some(note) = table.beyond_limits {
        context.note(&format!("{name}: {note}"));
    }
    Ok(table.motion)
}

fn message(text: impl Into<String>) -> Failure {
    Failure::Message(text.into())
}

impl ConvertArguments {
    /// The failure for an unknown output extension.
    fn refused(&self) -> Failure {
        let (shown, formats) = (self.output.display(), FileFormat::list(FileFormat::is_written, "and"));
        match extension(&self.output).as_str() {
            "" => {
                message(format!("{shown}: give the format with --to, for example --to csv\n  convert writes {formats}"))
            }
            "urdf" => message(format!("{shown}: URDF can be read but not written\n  write a scene file: .toml")),
            "png" | "gif" | "mp4" => {
                message(format!("{shown}: for pictures and films use `fabrik3d render FILE -o OUT`"))
            }
            other => message(format!("{shown}: .{other} cannot be written\n  convert writes {formats}")),
        }
    }

    /// What goes into a page.
    fn page_contents(&self) -> Result<Contents<'_>, Failure> {
        if self.pose {
            return Err(message("--pose: a page shows the scene, which moves; write .json or .csv for the pose"));
        }
        let file = self.motion.clone().or_else(|| self.path.targets.clone());
        let (matches, clip) = (self.matches.clone(), self.clip.clone());
        let recording = Recording { file, matches, clip, follows: self.follow, up: self.scene.up };
        Ok(Contents { file: &self.file, scene: &self.scene, recording, page: &self.page })
    }

    /// Whether flags ask for a motion or a pose rather than for the scene.
    fn selects(&self) -> bool {
        let other_motion = self.motion.is_some() || self.path.targets.is_some();
        self.pose || self.follow || self.clip.is_some() || other_motion
    }

    /// The solved motion of the scene whose targets follow the recorded one.
    fn followed(&self, scene: &Scene, context: &Context) -> Result<Motion, Failure> {
        let open = |file: &PathBuf| MotionCommand::Open(file.clone(), self.matches.clone(), self.scene.up);
        let file = self.motion.as_ref().unwrap_or(&self.file);
        let follower = Follower::new(scene.clone(), self.motion.as_ref().map(open));
        let follower = follower.map_err(|error| message(format!("--motion: {error}")))?;
        let recording = follower.recording().ok_or_else(|| {
            message(format!(
                "--follow: {} has no recorded motion; --motion FILE uses that of another file",
                file.display()
            ))
        })?;
        let clip = match recording.source.figure() {
            Some(figure) => self.clip_of(figure, file)?.map(|motion| motion.name.clone()),
            None => self.clip.clone(),
        };
        let (clip, fps) = (clip.as_deref(), self.path.fps);
        let follower = follower.begin(clip, fps).map_err(|error| message(format!("--follow: {error}")))?;
        if follower.is_idle() {
            return Err(message(format!(
                "--follow: no joint of {} follows a joint of {}\n  match joints with --match RECORDED=JOINT, once per pair{}",
                self.file.display(),
                file.display(),
                self.names_of_parts()
            )));
        }
        self.check_length(&follower.name, follower.seconds, follower.frames)?;
        Ok(follower.bake(&scene.skeleton, context))
    }

    /// The recorded motion to write; `None` if there is none, or the solved pose is asked for.
    fn recorded(&self, scene: &Scene, context: &Context) -> Result<Option<Motion>, Failure> {
        let motion = match &self.motion {
            Some(file) => Some(self.retargeted(scene, file, context)?),
            None if self.pose => None,
            None => self.clip_of(scene, &self.file)?.cloned(),
        };
        let Some(motion) = motion else { return Ok(None) };
        let (frames, duration) = (motion.len() as f64, motion.duration());
        let frames = self.path.fps.map_or(frames, |fps| (duration * fps).ceil() + 1.0);
        self.check_length(&motion.name, duration, frames)?;
        Ok(Some(match self.path.fps {
            Some(fps) => motion.at_rate(&scene.skeleton, fps),
            None => motion,
        }))
    }

    /// Writes the scene without its motion.
    fn write_scene(&self, scene: &Scene, format: &FileFormat, context: &Context) -> Result<(), Failure> {
        if let Some(motion) = scene.assets.motions.first() {
            let remedy = match format.writes_motion() {
                true => "--clip 1 writes it instead of the scene",
                false => "write .glb, .bvh or .csv for it",
            };
            let name = &motion.name;
            context.note(&format!("scene files contain no recorded motion: `{name}` is not written; {remedy}"));
        }
        self.warn_of_meshes(scene, context);
        let text = format.scene_syntax().map_or(String::new(), |syntax| scene.to_text(syntax));
        self.write(|out| out.write_all(text.as_bytes()))
    }

    /// Writes the solved pose, or the one that joint values give.
    fn write_pose(&self, scene: &Scene, format: &FileFormat, context: &Context) -> Result<Ending, Failure> {
        let is_forward = self.scene.is_forward();
        let outcome = if is_forward { Outcome::forward(scene) } else { solve_scene(scene) };
        let ending = if is_forward { Ending::Done } else { Ending::of(&outcome) };
        if ending == Ending::Unmet {
            context.note(&format!("targets {}", sentence(outcome.report.stop)));
        }
        match format.write_outcome {
            Some(write) => self.write(|out| write(scene, &outcome, out))?,
            None => {
                let motion = Motion::new("pose", 1.0 / TARGETS_FPS, vec![outcome.pose]);
                self.write_motion(scene, &motion, format, context)?;
            }
        }
        Ok(ending)
    }

    /// Refuses a motion with more frames than allowed: a file may claim that its clip lasts for years.
    fn check_length(&self, name: &str, seconds: f64, frames: f64) -> Result<(), Failure> {
        let allowed = self.path.max_frames.unwrap_or(MAX_FRAMES);
        if frames <= allowed as f64 {
            return Ok(());
        }
        Err(message(format!(
            "the clip `{name}` lasts {} s and would have {} frames, more than {allowed}\n  \
            --max-frames allows more; --fps gives fewer",
            shown_number(seconds),
            shown_number(frames)
        )))
    }

    /// The selected recorded motion, or the only one; `None` if there is none and none is selected.
    fn clip_of<'a>(&self, scene: &'a Scene, file: &Path) -> Result<Option<&'a Motion>, Failure> {
        let motions = &scene.assets.motions;
        let names = || motions.iter().map(|motion| format!("`{}`", motion.name)).collect::<Vec<_>>().join(", ");
        let file = file.display();
        let Some(wanted) = &self.clip else {
            return match motions.len() {
                0 | 1 => Ok(motions.first()),
                count => Err(message(format!("{file} has {count} clips: choose one with --clip NAME\n  {}", names()))),
            };
        };
        let known: Vec<&str> = motions.iter().map(|motion| motion.name.as_str()).collect();
        find_clip(&known, wanted).map(|at| motions.get(at)).ok_or_else(|| match motions.is_empty() {
            true => {
                message(format!("--clip: {file} has no recorded motion; --motion FILE uses the motion of another file"))
            }
            false => message(format!("--clip: {file} has no clip with the name or number `{wanted}`\n  numbers start at 1, and the clips are: {}", names())),
        })
    }

    /// The motion of another file, retargeted to this scene's skeleton.
    fn retargeted(&self, scene: &Scene, file: &Path, context: &Context) -> Result<Motion, Failure> {
        let format = FileFormat::of_file(file, &Files::System);
        if format.is_some_and(|format| format.holds(Content::Targets)) {
            return joint_path(scene, file, context);
        }
        let other = self.scene.reading_only().load(Some(file), Surfaces::Skip)?;
        context.warn(file, &other);
        let motion = self.clip_of(&other, file)?.ok_or_else(|| {
            message(format!(
                "--motion: {} has no recorded motion; use a BVH file or an animated glTF file",
                file.display()
            ))
        })?;
        let pair = |(recorded, joint): &(String, String)| {
            let unknown =
                |name: &str, file: &Path| message(format!("--match: {} has no joint `{name}`", file.display()));
            let ours = scene.find_joint(joint).ok_or_else(|| unknown(joint, &self.file))?;
            let theirs = other.find_joint(recorded);
            if theirs.is_none() && recorded != "none" {
                return Err(unknown(recorded, file));
            }
            Ok((theirs, ours))
        };
        let matches = self.matches.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        let retarget = Retarget::between(&other, scene, &matches).ok_or_else(|| {
            let (theirs, ours) = (&other.skeleton.joints()[0].name, &scene.skeleton.joints()[0].name);
            message(format!(
                "--motion: no joint of {} (`{theirs}`, ...) has the name of a joint of {} (`{ours}`, ...)\n  \
                match joints with --match RECORDED=JOINT, once per pair{}",
                file.display(),
                self.file.display(),
                self.names_of_parts()
            ))
        })?;
        if let Some(misfit) = retarget.misfit(&other, scene) {
            return Err(message(format!("--motion: {}: {misfit}\n  {MISFIT_REMEDY}", file.display())));
        }
        let turned = retarget.turned_limbs(&other, scene);
        if let Some(remark) = Remark::of_match(file, retarget.unmatched(&other.skeleton), turned) {
            context.note(&remark.to_string());
        }
        let matched = retarget.partners.iter().flatten().count();
        let all = retarget.partners.len();
        let scale = retarget.scale;
        context.detail(&format!("{matched} of {all} joints follow the recording, at {scale:.4} times its size"));
        Ok(retarget.motion(&other.skeleton, motion, &scene.skeleton))
    }

    /// The other way to match the joints of a character.
    fn names_of_parts(&self) -> String {
        match &extension(&self.file)[..] {
            "glb" | "gltf" | "bvh" => {
                format!(", or name the parts of a body in {}", limits_path(&self.file).display())
            }
            _ => String::new(),
        }
    }

    fn write_motion(
        &self,
        scene: &Scene,
        motion: &Motion,
        format: &FileFormat,
        context: &Context,
    ) -> Result<(), Failure> {
        if self.keeps_meshes(format) {
            let bytes = format.extended(scene, motion, &self.file)?.unwrap_or_default();
            self.note_limits(context);
            return self.write(|out| out.write_all(&bytes));
        }
        if format.keeps_body() {
            self.warn_of_meshes(scene, context);
        }
        if format.extensions.contains(&"bvh") {
            self.warn_of_limits(scene, context);
        }
        // Formats without motion were refused earlier.
        format.write_motion.map_or(Ok(()), |write| self.write(|out| write(scene, motion, out)))
    }

    /// Whether glTF is converted to glTF, which keeps the whole content of the file.
    fn keeps_meshes(&self, format: &FileFormat) -> bool {
        format.keeps_body() && FileFormat::of_file(&self.file, &Files::System).is_some_and(FileFormat::keeps_body)
    }

    fn warn_of_meshes(&self, scene: &Scene, context: &Context) {
        if !(scene.assets.surfaces.is_empty() && scene.assets.skins.is_empty()) {
            let file = self.file.display();
            context.note(&format!("{file}: the meshes are not written; only glTF converted from glTF keeps them"));
        }
    }

    /// Tells that names and limits beside a character are not in the file that is written.
    fn note_limits(&self, context: &Context) {
        let [own, other] = [&self.file, &self.output].map(|file| limits_path(file));
        if own != other && own.is_file() && !other.exists() && !is_standard(&self.output) {
            let (own, other) = (own.display(), other.display());
            context.note(&format!("names and limits stay in {own}: copy it to {other} for the new file"));
        }
    }

    /// Warns that BVH does not say how joints may move.
    fn warn_of_limits(&self, scene: &Scene, context: &Context) {
        let is_free = |kind: &Kind| matches!(kind, Kind::Fixed | Kind::Free) || kind.is_unlimited_ball();
        // The limits that a known body has by its names are not those of its file.
        let own = |joint: &usize| !scene.assets.human_limits.joints.contains(joint);
        if !(0..scene.skeleton.len()).filter(own).all(|joint| is_free(scene.skeleton.kind(joint))) {
            let file = self.file.display();
            context.note(&format!(
                "{file}: BVH files contain neither joint limits nor axes; a scene file (.toml) keeps them"
            ));
        }
    }

    /// Writes to the output file or to standard output.
    fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        if is_standard(&self.output) {
            return print(write);
        }
        write_file(&self.output, write).map_err(unwritable(&self.output))
    }
}
