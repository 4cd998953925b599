//! `fabrik3d render`: a picture or a film without a window.

use super::context::Context;
use super::display_arguments::DisplayArguments;
use super::ending::{Ending, Failure};
use super::scene_arguments::SceneArguments;
use crate::record::{self, Options, RecordError};
use clap::Args;
use fabrik3d_scene::{Surfaces, remove_drafts};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Arguments of `render`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = super::display_arguments::script_help())]
pub struct RenderArguments {
    /// Scene to render; `-`: standard input
    pub file: PathBuf,
    /// File to write: .png, .gif or .mp4
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Changes to the scene.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// How the scene is displayed.
    #[command(flatten)]
    pub display: DisplayArguments,
}

/// Time to end orderly after an interrupt.
const GRACE: Duration = Duration::from_secs(1);

/// Renders the scene.
pub(super) fn run(arguments: &RenderArguments, context: &Context) -> Result<Ending, Failure> {
    let display = &arguments.display;
    display.check_input(Some(&arguments.file))?;
    let scene = arguments.scene.load(Some(&arguments.file), Surfaces::Load)?;
    context.warn(&arguments.file, &scene);
    let options = Options {
        scene,
        display: display.display(),
        size: display.size(),
        opening: display.opening(),
        script: display.script()?,
        trace: display.trace(|| Box::new(io::stdout().lock()))?,
        out: arguments.output.clone(),
        seconds: display.seconds.or(display.exit_after),
        fps: display.fps,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Without a handler, an interrupt ends the program at once; the output file still does not exist.
    let _ = ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        // A frame of a large scene may take minutes. The handler has a thread of its own, which may wait.
        std::thread::sleep(GRACE);
        remove_drafts();
        eprintln!("error: {}", RecordError::Interrupted);
        std::process::exit(2);
    });
    let terminal = io::stderr().is_terminal();
    let mut progress = |done: u64, total: u64| {
        if terminal {
            eprint!("\rframe {done} of {total}{}", if done == total { "\n" } else { "" });
        }
    };
    record::run(options, &mut progress, &stop).map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Ending::Done)
}
