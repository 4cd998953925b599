//! `fabrik3d view`: the window.

use super::common::SceneArguments;
use super::context::Context;
use super::ending::{Ending, Failure};
use super::look::Look;
use crate::app::{self, Options, Reader, SettingsFile};
use crate::hud::has_room_for_panel;
use crate::session::command::Show;
use clap::Args;
use fabrik3d_scene::Surfaces;
use std::path::{Path, PathBuf};

/// Arguments of `view`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_long_help = super::look::script_help())]
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
pub(super) fn run(arguments: &ViewArguments, context: &Context) -> Result<Ending, Failure> {
    let (settings_file, settings, warning) = SettingsFile::read();
    let look = arguments.look.or(&settings);
    let file = arguments.file.clone().filter(|file| file != Path::new("-"));
    let (changes, own) = (arguments.scene.clone(), file.clone());
    let reader: Reader = Box::new(move |path| {
        // The changes on the command line are meant for the scene that it names.
        let changes = if own.as_deref() == Some(path) { changes.clone() } else { changes.packages_only() };
        changes.load(Some(path), Surfaces::Load).map_err(|error| error.to_string())
    });
    let scene = arguments.scene.load(arguments.file.as_deref(), Surfaces::Load)?;
    context.warn(arguments.file.as_deref().unwrap_or(Path::new("demo")), &scene);
    let options = Options {
        warnings: warning.into_iter().collect(),
        scene,
        file,
        reader,
        watch: look.watch,
        settings: (settings, settings_file),
        display: look
            .display()
            .with(Show::Panel, has_room_for_panel(f64::from(look.size().0), look.font_scale.unwrap_or(1.0))),
        size: look.size(),
        size_is_asked_for: arguments.look.size.is_some(),
        opening: look.opening(),
        script: look.script()?,
        trace: look.trace()?,
        exit_after: look.exit_after,
    };
    app::run(options).map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Ending::Done)
}
