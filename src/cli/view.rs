//! `fabrik3d view`: the window.

use super::{Context, Ending, Failure, Look, SceneArguments};
use crate::app::{self, Options, Reader};
use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments of `view`.
#[derive(Clone, Debug, Default, Args)]
pub struct ViewArguments {
    /// Scene to open; none: the demo, `-`: standard input
    pub file: Option<PathBuf>,
    /// Changes to it.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// How it is shown.
    #[command(flatten)]
    pub look: Look,
}

/// Opens the viewer.
pub(super) fn run(arguments: &ViewArguments, _context: &Context) -> Result<Ending, Failure> {
    let look = &arguments.look;
    let file = arguments.file.clone().filter(|file| file != Path::new("-"));
    let changes = arguments.scene.clone();
    let reread = file
        .clone()
        .map(|file| -> Reader { Box::new(move || changes.load(Some(&file)).map_err(|error| error.to_string())) });
    let options = Options {
        scene: arguments.scene.load(arguments.file.as_deref())?,
        reread,
        watch: file.filter(|_| look.watch),
        display: look.display(),
        size: look.size(),
        script: look.script()?,
        trace: look.trace()?,
        exit_after: look.exit_after,
    };
    app::run(options).map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Ending::Done)
}
