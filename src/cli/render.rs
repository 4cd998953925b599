//! `fabrik3d render`: a picture or a film without a window.

use super::context::{Context, Ending, Failure};
use super::display_arguments::{DisplayArguments, parse_scale};
use super::interrupt::{self, Progress};
use super::scene_arguments::SceneArguments;
use crate::app::Settings;
use crate::record::{self, Options, RecordError, leave};
use clap::Args;
use fabrik3d_scene::{Scene, Surfaces, extension};
use fabrik3d_viewer::session::command::{CameraCommand, Show};
use fabrik3d_viewer::session::{Command, MotionCommand, SessionCommand};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `render`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = super::display_arguments::script_help())]
pub(super) struct RenderArguments {
    /// Scene to render; `-`: standard input
    file: PathBuf,
    /// File to write: .png, .gif or .mp4
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Pixels per pixel of the size, from 0.25 to 8: larger pictures of the same layout
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_scale)]
    scale: f32,
    /// Without background and floor: a PNG whose background is transparent, without panels
    #[arg(long)]
    transparent: bool,
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    display: DisplayArguments,
}

/// Most pixels of a side of a picture.
const MOST_PIXELS: f32 = 16384.0;

/// Time to end orderly after an interrupt. Drawing a frame of a large scene may take minutes. Both ways of ending say the
/// same and leave no file, and the system needs up to 0.1 s to take back the memory of a large scene.
const GRACE: Duration = Duration::from_millis(50);

pub(super) fn run(arguments: &RenderArguments, context: &Context) -> Result<Ending, Failure> {
    let display = &arguments.display;
    display.check_files(Some(&arguments.file), Some(&arguments.output))?;
    let mut scene = arguments.scene.load(Some(&arguments.file), Surfaces::Load)?;
    scene.settings.interrupt = interrupt::INTERRUPT;
    context.warn(&arguments.file, &scene);
    let is_film = extension(&arguments.output) != "png";
    if is_film && display.opening(arguments.scene.up).is_empty() && display.play.is_none() {
        note_clips(&scene, arguments, context);
    }
    if arguments.transparent && is_film {
        return Err(Failure::Message("--transparent needs a .png file: films have no transparency".to_owned()));
    }
    let (width, height) = display.size(&Settings::default());
    if width.max(height) as f32 * arguments.scale > MOST_PIXELS {
        return Err(Failure::Message(format!("--scale: the sides of a picture have at most {MOST_PIXELS} pixels")));
    }
    let shown = display.display(&Settings::default());
    let shown = if arguments.transparent { shown.with(Show::Hud, false) } else { shown };
    let options = Options {
        scene,
        display: shown,
        size: display.size(&Settings::default()),
        scale: arguments.scale,
        transparent: arguments.transparent,
        opening: playing(display.opening(arguments.scene.up), is_film),
        script: display.script()?,
        trace: display.trace(|| Box::new(io::stdout().lock()))?,
        out: arguments.output.clone(),
        seconds: display.seconds.or(display.exit_after),
        fps: display.fps,
    };
    interrupt::listen(GRACE, || {
        // The reader of standard error may have ended too.
        let _ = writeln!(io::stderr(), "error: {}", RecordError::Interrupted);
        leave(2);
    });
    let mut progress = Progress::new(io::stderr().is_terminal());
    let record = || record::run(options, &mut |frame, all| progress.show_frame(frame, all));
    let recorded = if is_film { record() } else { interrupt::with_progress("drawing", record) };
    recorded.map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Ending::Done)
}

/// The commands that open a recording and play it, also the rows of a table, which the window shows one by one. In a film the
/// camera goes along with its figure.
fn playing(mut opening: Vec<Command>, is_film: bool) -> Vec<Command> {
    if !opening.is_empty() {
        opening.push(Command::Session(SessionCommand::Motion(MotionCommand::Play(true))));
        opening.extend(is_film.then_some(Command::Camera(CameraCommand::Follow(Some(true)))));
    }
    opening
}

/// Says that a film does not show the clips of its file. Clips of a single frame do not count.
fn note_clips(scene: &Scene, arguments: &RenderArguments, context: &Context) {
    let names: Vec<String> = scene.assets.clips().map(|motion| format!("`{}`", motion.name)).collect();
    let file = arguments.file.display();
    match names.as_slice() {
        [] => {}
        [name] => context.note(&format!("{file}: the film does not play the clip {name}; --clip NAME plays it")),
        all => context.note(&format!(
            "{file}: the film plays none of the {} clips: {}; --clip NAME plays one",
            all.len(),
            all.join(", ")
        )),
    }
}
