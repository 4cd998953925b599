//! `fabrik3d view`, and the flags that `view` and `render` share.

use super::{Context, Ending, Failure, SceneArguments};
use crate::scene::Scene;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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

/// How a scene is shown, in a window or in a picture.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Look")]
pub struct Look {
    /// Colours of the picture
    #[arg(long, value_name = "dark|light", hide_possible_values = true)]
    pub theme: Option<Theme>,
    /// Size in pixels
    #[arg(long, value_name = "WxH")]
    pub size: Option<Size>,
    /// Script of timed commands to run
    #[arg(long, value_name = "SCRIPT")]
    pub play: Option<PathBuf>,
    /// Write one JSON line per frame to this file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Quit after this time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub exit_after: Option<f64>,
    /// Length of a film
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub seconds: Option<f64>,
    /// Frames per second of a film
    #[arg(long, value_parser = parse_fps)]
    pub fps: Option<f64>,
    /// Leave out the panels
    #[arg(long)]
    pub no_hud: bool,
    /// Size of the text, 1 is normal
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale)]
    pub font_scale: Option<f32>,
    /// Open the file again whenever it changes
    #[arg(long)]
    pub watch: bool,
}

/// Colours of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark background
    Dark,
    /// Light background
    Light,
}

/// Width and height of a picture, pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X']).and_then(|(width, height)| {
            let side = |text: &str| text.trim().parse().ok().filter(|side| (16..=16384).contains(side));
            Some(Size { width: side(width)?, height: side(height)? })
        });
        sides.ok_or_else(|| "expected WIDTHxHEIGHT with sides from 16 to 16384, for example 1280x720".to_owned())
    }
}

/// Opens the viewer.
pub(super) fn run(arguments: &ViewArguments, _context: &Context) -> Result<Ending, Failure> {
    let scene = arguments.scene.load(arguments.file.as_deref())?;
    show(scene, arguments)
}

/// The front ends are not part of this build.
fn not_built(what: &str) -> Failure {
    Failure::Message(format!("{what} is not built yet"))
}

fn show(_scene: Scene, _arguments: &ViewArguments) -> Result<Ending, Failure> {
    Err(not_built("the viewer"))
}

/// Draws a scene into a file.
pub(super) fn record(_scene: Scene, _arguments: &super::RenderArguments) -> Result<Ending, Failure> {
    Err(not_built("the renderer"))
}

fn number_between(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (low..=high).contains(value));
    value.ok_or_else(|| format!("expected a number from {low} to {high}"))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    number_between(text, 0.0, 86400.0)
}

fn parse_fps(text: &str) -> Result<f64, String> {
    number_between(text, 1.0, 1000.0)
}

fn parse_scale(text: &str) -> Result<f32, String> {
    number_between(text, 0.25, 8.0).map(|value| value as f32)
}
