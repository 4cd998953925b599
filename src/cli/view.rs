//! `fabrik3d view`: the window.

use super::context::{Context, Ending, Failure};
use super::display_arguments::DisplayArguments;
use super::scene_arguments::SceneArguments;
use crate::app::{self, LiveCommands, NewestLine, Options, Reader, SettingsFile};
use clap::Args;
use fabrik3d_scene::Surfaces;
use fabrik3d_viewer::hud::has_room_for_panel;
use fabrik3d_viewer::session::command::Show;
use fabrik3d_viewer::session::script::Script;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// Arguments of `view`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_long_help = super::display_arguments::script_help())]
pub(super) struct ViewArguments {
    /// Scene to open; `-`: standard input [default: the demo]
    file: Option<PathBuf>,
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    display: DisplayArguments,
}

pub(super) fn run(arguments: &ViewArguments, context: &Context) -> Result<Ending, Failure> {
    let (settings_file, settings, warning) = SettingsFile::read();
    let display = &arguments.display;
    let (shown, size) = (display.display(&settings), display.size(&settings));
    let file = arguments.file.clone().filter(|file| file != Path::new("-"));
    let (changes, own) = (arguments.scene.clone(), file.clone());
    let reader: Reader = Box::new(move |path| {
        // The changes apply only to the scene named on the command line.
        let changes = if own.as_deref() == Some(path) { changes.clone() } else { changes.reading_only() };
        changes.load(Some(path), Surfaces::Load).map_err(|error| error.to_string())
    });
    display.check_files(arguments.file.as_deref(), None)?;
    let scene = arguments.scene.load(arguments.file.as_deref(), Surfaces::Load)?;
    context.warn(arguments.file.as_deref().unwrap_or(Path::new("demo")), &scene);
    // A script or a time to quit means that nobody is new to the program.
    let is_watched = display.play.is_none() && display.exit_after.is_none();
    let options = Options {
        introduces: is_watched && settings_file.is_kept() && !settings.introduced,
        warnings: warning.into_iter().collect(),
        scene,
        file,
        reader,
        watch: display.watch,
        settings: (settings, settings_file),
        display: shown.with(Show::Panel, has_room_for_panel(f64::from(size.0), shown.font_scale)),
        size,
        size_is_requested: display.size.is_some(),
        opening: display.opening(arguments.scene.up),
        script: if display.is_live() { Script::default() } else { display.script()? },
        commands: display.is_live().then(|| LiveCommands {
            lines: Box::new(BufReader::new(io::stdin())),
            closes: display.traces_to_standard_output(),
        }),
        trace: display.trace(|| Box::new(NewestLine::new(io::stdout())))?,
        exit_after: display.exit_after,
    };
    app::run(options).map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Ending::Done)
}
