//! `fabrik3d check`: reads and validates files; prints one line per file.

use super::context::{Context, Ending, Failure};
use super::scene_arguments::{ReadingArguments, up_axes, up_change};
use crate::examples;
use crate::host::host;
use clap::Args;
use fabrik3d_scene::{Content, FileFormat, MeshFile, OpenOptions, Scene, SceneError, Up, printable, read_mesh_file};
use fabrik3d_viewer::session::{CommandError, MISFIT_REMEDY, MotionCommand, Remark, Session, SessionCommand};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct CheckArguments {
    /// Files to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Recording that the figures in the files are to follow: names the joints that have no counterpart, and the limbs that rest
    /// in another direction
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// Axis that points up, also in the recording of --motion
    #[arg(long, value_name = "y|z", hide_possible_values = true, value_parser = up_axes())]
    up: Option<Up>,
}

/// A recording that figures are to follow, and the axis that points up if a flag says it.
#[derive(Clone, Copy)]
struct Recording<'a> {
    file: &'a Path,
    up: Option<Up>,
}

/// The text below the help: where output goes, and the formats.
fn after_help() -> String {
    format!(
        "Results go to standard output, one line per file; warnings go to standard error.\n\
         Scenes: {}; meshes: {}.",
        FileFormat::list(FileFormat::opens_as_scene, "and"),
        FileFormat::list(|format| format.holds(Content::Mesh), "and"),
    )
}

/// Checks all files, even if some are invalid.
pub(super) fn run(arguments: &CheckArguments, context: &Context) -> Result<Ending, Failure> {
    let mut options = arguments.reading.options();
    options.changes.extend(arguments.up.map(up_change));
    let recording = arguments.motion.as_deref().map(|file| Recording { file, up: arguments.up });
    let mut out = io::stdout().lock();
    let mut ending = Ending::Done;
    for file in &arguments.files {
        match contents(file, &options, recording, context) {
            Ok(contents) => {
                let (name, ok) = (one_line(&file.display().to_string()), context.out.good("ok"));
                writeln!(out, "{name}: {ok} ({})", one_line(&contents))?;
            }
            Err(error) => {
                ending = Ending::Unmet;
                writeln!(out, "{}", context.out.bad(&one_line(&error.to_string().replace("\n  ", "; "))))?;
            }
        }
    }
    out.flush()?;
    Ok(ending)
}

/// Text without line breaks and whatever else would act on a terminal.
fn one_line(text: &str) -> String {
    printable(&text.replace('\n', " "))
}

/// How much of a figure follows a recording that is opened as in the window; an error if it does not fit. Tells what does not
/// match.
fn matched(Recording { file, up }: Recording<'_>, scene: &Scene, context: &Context) -> Result<String, SceneError> {
    let mut session = Session::new(scene.clone());
    session.set_host(host());
    let open = SessionCommand::Motion(MotionCommand::Open(file.to_owned(), Vec::new(), up));
    session.apply(&open).map_err(|error| refused(file, error))?;
    let Some(playback) = session.motion() else { return Ok("no recording".to_owned()) };
    match playback.remark() {
        Some(Remark::NothingFollows) => {
            context.note(&format!("{} --match RECORDED=JOINT does the same.", Remark::NothingFollows));
            return Ok("no joint follows the recording".to_owned());
        }
        remark => remark.iter().for_each(|remark| context.note(&remark.to_string())),
    }
    let (all, noun) = match playback.source.figure() {
        Some(_) => (scene.skeleton.len(), "joint"),
        None => (scene.effectors.len(), "effector"),
    };
    let all = counted(all, noun).unwrap_or_default();
    Ok(format!("{} of {all} follow the recording", playback.followers(&scene.skeleton)))
}

/// The error for a recording that is not opened.
fn refused(file: &Path, error: CommandError) -> SceneError {
    let origin = file.display().to_string();
    if let CommandError::Misfit(_, misfit) = error {
        return SceneError::new(origin, misfit.to_string()).with_hint(MISFIT_REMEDY);
    }
    // Errors about files begin with their names.
    let text = error.to_string();
    let message = text.strip_prefix(&format!("{origin}: ")).unwrap_or(&text);
    SceneError::new(origin, message)
}

fn contents(
    file: &Path,
    options: &OpenOptions,
    recording: Option<Recording<'_>>,
    context: &Context,
) -> Result<String, SceneError> {
    if FileFormat::of_file(file, &options.files).is_some_and(|format| format.holds(Content::Mesh)) {
        return read_mesh_file(file).map(|file| of_mesh(&file));
    }
    let scene = examples::open(file, options)?;
    context.warn(file, &scene);
    let mut contents = of_scene(&scene);
    if let Some(recording) = recording {
        contents += &format!(", {}", matched(recording, &scene, context)?);
    }
    if context.verbose > 0 {
        let names = scene.settable_joints().map(|at| scene.skeleton.joints()[at].name.as_str());
        contents += &format!("; joints in order: {}", names.collect::<Vec<_>>().join(", "));
        let end_sites: Vec<&str> = scene.assets.end_sites.iter().map(|end| end.name.as_str()).collect();
        if !end_sites.is_empty() {
            contents += &format!("; End Sites: {}", end_sites.join(", "));
        }
        contents += &moved_at_start(&scene);
        contents += &touching(scene);
    }
    Ok(contents)
}

/// The joints of a robot that opens in another pose than that of rest, for a description.
fn moved_at_start(scene: &Scene) -> String {
    if scene.assets.links.is_empty() {
        return String::new();
    }
    let rest = scene.skeleton.rest_pose();
    let moved = (0..scene.skeleton.len()).filter(|&at| scene.start[at] != rest[at]);
    let value = |at: usize| {
        let values = scene.joint_values(at, &scene.start);
        let values: Vec<String> = values.iter().map(|value| value.unit.text(value.value)).collect();
        format!("{} {}", scene.skeleton.joints()[at].name, values.join(" "))
    };
    let moved: Vec<String> = moved.map(value).collect();
    if moved.is_empty() { String::new() } else { format!("; opens with {}", moved.join(", ")) }
}

/// The links of a robot that keep clear does not keep apart, for a description. Other figures are not asked: the time grows
/// with the square of the number of joints.
fn touching(mut scene: Scene) -> String {
    if scene.assets.links.is_empty() {
        return String::new();
    }
    scene.set_keep_clear(true);
    match scene.overlapping_links() {
        links if links.is_empty() => String::new(),
        links => format!("; overlap in the start pose, so may touch with keep clear: {}", links.join(", ")),
    }
}

fn of_scene(scene: &Scene) -> String {
    let assets = &scene.assets;
    // A description of a robot has boxes and cylinders too.
    let mesh = if assets.links.is_empty() { "mesh" } else { "visual shape" };
    let mut parts = vec![
        counted(assets.links.len(), "link"),
        // The root link of a robot is a joint of the scene, but not of the file.
        counted(scene.skeleton.len() - usize::from(!assets.links.is_empty()), "joint"),
        counted(scene.effectors.len(), "effector"),
        counted(scene.loops.len(), "loop"),
        counted(scene.obstacles.len(), "obstacle"),
        counted(assets.meshes.len(), mesh),
    ];
    let clips: Vec<String> =
        assets.clips().map(|motion| format!("{} {:.2} s", motion.name, motion.duration())).collect();
    if let Some(clips_counted) = counted(clips.len(), "clip") {
        parts.push(Some(format!("{clips_counted}: {}", clips.join(", "))));
    }
    let poses: Vec<&str> = assets.motions.iter().filter(|motion| !motion.lasts()).map(|motion| &*motion.name).collect();
    if let Some(poses_counted) = counted(poses.len(), "pose") {
        parts.push(Some(format!("{poses_counted}: {}", poses.join(", "))));
    }
    let human = &assets.human_limits;
    parts.push(counted(human.joints.len(), "joint").map(|joints| format!("human limits on {joints}")));
    let overruled = counted(human.overruled.len(), "joint");
    parts.push(overruled.map(|joints| format!("the limits file replaces the human limits of {joints}")));
    let limits_file = scene.limits_file_name().unwrap_or_default();
    let unknown = assets.unknown_body.as_ref();
    parts.push(unknown.map(|unknown| format!("{unknown}; if it is one, {}", unknown.remedy(&limits_file))));
    parts.push(counted(scene.warnings().len(), "warning"));
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn of_mesh(file: &MeshFile) -> String {
    let triangles = file.parts.iter().map(|part| part.triangles.len()).sum();
    let parts = [counted(file.parts.len(), "mesh"), counted(triangles, "triangle")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A number with its noun; `None` for 0.
fn counted(count: usize, noun: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {noun}{}", if noun.ends_with("sh") { "es" } else { "s" })),
    }
}
