//! `fabrik3d render`: a picture or a film, without a window.

use super::common::SceneArguments;
use super::context::Context;
use super::ending::{Ending, Failure};
use super::look::Look;
use crate::record::{self, Options};
use clap::Args;
use fabrik3d_scene::Surfaces;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `render`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = super::look::script_help())]
pub struct RenderArguments {
    /// Scene to draw, `-`: standard input
    pub file: PathBuf,
    /// File to write: .png, .gif or .mp4
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Changes to the scene.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// How it is shown.
    #[command(flatten)]
    pub look: Look,
}

/// Draws the scene.
pub(super) fn run(arguments: &RenderArguments, context: &Context) -> Result<Ending, Failure> {
    let look = &arguments.look;
    let scene = arguments.scene.load(Some(&arguments.file), Surfaces::Load)?;
    context.warn(&arguments.file, &scene);
    let options = Options {
        scene,
        display: look.display(),
        size: look.size(),
        opening: look.opening(),
        script: look.script()?,
        trace: look.trace()?,
        out: arguments.output.clone(),
        seconds: look.seconds.or(look.exit_after),
        fps: look.fps,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Where no handler can be set, an interruption ends the program at once; the file asked for is still not there.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let terminal = std::io::stderr().is_terminal();
    let mut progress = |done: u64, total: u64| {
        if terminal {
            eprint!("\rframe {done} of {total}{}", if done == total { "\n" } else { "" });
        }
    };
    record::run(options, &mut progress, &stop).map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Ending::Done)
}
