//! `fabrik3d check`: reads and validates files; prints one line per file.

use super::context::{Context, Ending, Failure};
use super::scene_arguments::ReadingArguments;
use crate::examples;
use clap::Args;
use fabrik3d_scene::{
    Content, FileFormat, MeshFile, OpenOptions, Retarget, Scene, SceneError, Surfaces, printable, read_mesh_file,
};
use fabrik3d_viewer::session::{MISFIT_REMEDY, Remark};
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
    /// Recording that the figures in the files are to follow: names the joints that have no counterpart
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
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
    let options = arguments.reading.options();
    let recorded = match &arguments.motion {
        Some(file) => {
            let options = OpenOptions { surfaces: Surfaces::Skip, ..options.clone() };
            Some((file.as_path(), examples::open(file, &options)?))
        }
        None => None,
    };
    let mut out = io::stdout().lock();
    let mut ending = Ending::Done;
    for file in &arguments.files {
        match contents(file, &options, recorded.as_ref(), context) {
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

/// A file with a recording that figures are to follow, and what is in it.
type Recorded<'a> = (&'a Path, Scene);

/// How much of a figure follows a recording; an error if it does not fit. Warns of recorded joints without a counterpart.
fn matched((file, recorded): &Recorded<'_>, scene: &Scene, context: &Context) -> Result<String, SceneError> {
    let Some(retarget) = Retarget::between(recorded, scene, &[]) else {
        context.note(&format!("{} --match RECORDED=JOINT does the same.", Remark::NothingFollows));
        return Ok("no joint follows the recording".to_owned());
    };
    if let Some(remark) = Remark::unmatched(file, retarget.unmatched(&recorded.skeleton)) {
        context.note(&remark.to_string());
    }
    if let Some(misfit) = retarget.misfit(recorded, scene) {
        return Err(SceneError::new(file.display().to_string(), misfit.to_string()).with_hint(MISFIT_REMEDY));
    }
    let joints = counted(retarget.partners.len(), "joint").unwrap_or_default();
    Ok(format!("{} of {joints} follow the recording", retarget.partners.iter().flatten().count()))
}

fn contents(
    file: &Path,
    options: &OpenOptions,
    recorded: Option<&Recorded<'_>>,
    context: &Context,
) -> Result<String, SceneError> {
    if FileFormat::of(file).is_some_and(|format| format.holds(Content::Mesh)) {
        return read_mesh_file(file).map(|file| of_mesh(&file));
    }
    let scene = examples::open(file, options)?;
    context.warn(file, &scene);
    let mut contents = of_scene(&scene);
    if let Some(recorded) = recorded {
        contents += &format!(", {}", matched(recorded, &scene, context)?);
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
