//! `fabrik3d render`: a picture or a film, without a window.

use super::{Context, Ending, Failure, Look, SceneArguments, view};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `render`.
#[derive(Clone, Debug, Args)]
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
pub(super) fn run(arguments: &RenderArguments, _context: &Context) -> Result<Ending, Failure> {
    let extension = arguments.output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !["png", "gif", "mp4"].contains(&extension.to_ascii_lowercase().as_str()) {
        let name = arguments.output.display();
        return Err(Failure::Message(format!("{name}: render writes .png, .gif and .mp4")));
    }
    view::record(arguments.scene.load(Some(&arguments.file))?, arguments)
}
