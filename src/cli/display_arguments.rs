//! The arguments that `view` and `render` share: how a scene is displayed.

use super::context::Failure;
use super::scene_arguments::{input_name, is_standard, number, one_of, parse_match};
use super::sink::keep_inputs;
use crate::app::Settings;
use clap::Args;
use fabrik3d_scene::Up;
use fabrik3d_viewer::page::Recording;
use fabrik3d_viewer::session::Command;
use fabrik3d_viewer::session::command::{DisplayCommand, FONT_SCALES, Section, Show, Theme, help_text};
use fabrik3d_viewer::session::script::Script;
use fabrik3d_viewer::view::Display;
use fabrik3d_viewer::view::trace::{Trace, TraceOn};
use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::path::{Path, PathBuf};

/// How a scene is displayed in the window or in a picture.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Display")]
pub(super) struct DisplayArguments {
    /// Colour theme
    #[arg(long, value_name = "dark|light", hide_possible_values = true, value_parser = one_of([("dark", Theme::Dark), ("light", Theme::Light)]))]
    pub theme: Option<Theme>,
    /// Size in pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Recorded motion to play: clips of a figure (.bvh, .gltf, .glb) or targets (.csv, .npy)
    #[arg(long, alias = "targets", value_name = "FILE")]
    pub motion: Option<PathBuf>,
    /// Joint that follows a recorded joint with another name; `none=JOINT` for a joint that follows none
    #[arg(long = "match", value_name = "RECORDED=JOINT", value_parser = parse_match)]
    matches: Vec<(String, String)>,
    /// Clip to play, by name or number
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Make the targets follow the recorded joints and solve for the pose
    #[arg(long)]
    pub follow: bool,
    /// Script of timed commands, one `SECONDS COMMAND ...` per line; --help lists the commands; `-`: standard input
    #[arg(long, value_name = "SCRIPT")]
    pub play: Option<PathBuf>,
    /// Write a JSON line per frame to this file; `-`: standard output
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// When the trace gets a line: with every frame, or when the figure or a target changes
    #[arg(long, value_name = "frame|change", hide_possible_values = true, value_parser = one_of(TraceOn::NAMES))]
    #[arg(requires = "trace")]
    pub trace_on: Option<TraceOn>,
    /// Quit after this time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub exit_after: Option<f64>,
    /// Duration of a film
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub seconds: Option<f64>,
    /// Frames per second of a film [default: 25 for .gif, 30 for .mp4]
    #[arg(long, value_parser = parse_fps)]
    pub fps: Option<f64>,
    /// Hide the panels
    #[arg(long)]
    pub no_hud: bool,
    /// Show the figures alone: no panels, targets, rings, handles, trails or limits
    #[arg(long)]
    pub clean: bool,
    /// Text size from 0.25 to 8; 1 is normal
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale)]
    pub font_scale: Option<f32>,
    /// Reload the file when it changes
    #[arg(long)]
    pub watch: bool,
}

pub(super) fn script_help() -> String {
    let example = "  0.5 target.preset 2\n  2   step.next          # a comment";
    format!("Each line of a script has a time in seconds and a command:\n{example}\n\nCommands:\n{}", help_text())
}

fn parse_size(text: &str) -> Result<(u32, u32), &'static str> {
    let side = |text: &str| text.trim().parse().ok().filter(|side| (16..=16384).contains(side));
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| side(width).zip(side(height)));
    sides.ok_or("expected WIDTHxHEIGHT with sides from 16 to 16384, for example 1280x720")
}

impl DisplayArguments {
    /// The display options of the view. What the flags leave open is as in the settings.
    pub(super) fn display(&self, settings: &Settings) -> Display {
        let mut display =
            Display::default().with(Show::Hud, !(self.no_hud || self.clean)).with(Show::Marks, !self.clean);
        if let Some(theme) = self.theme.or(settings.theme) {
            display = display.after(&DisplayCommand::Theme(theme));
        }
        display.font_scale = self.font_scale.or(settings.font_scale).unwrap_or(display.font_scale);
        display.picture_size = settings.picture_size.unwrap_or_default();
        display.transparent = settings.picture_transparent.unwrap_or_default();
        display.panel_width = settings.panel_width.unwrap_or(display.panel_width);
        for (name, section) in Section::NAMES {
            if let Some(on) = settings.panel.get(name) {
                display = display.after(&DisplayCommand::Section(section, *on));
            }
        }
        display
    }

    pub(super) fn size(&self, settings: &Settings) -> (u32, u32) {
        self.size.or(settings.window).unwrap_or((1280, 720))
    }

    /// The commands for the flags about recorded motion, in order of execution. `up` is the axis that points up, if a flag says it.
    pub(super) fn opening(&self, up: Option<Up>) -> Vec<Command> {
        self.recording(up).commands()
    }

    /// The recorded motion that the flags ask for.
    fn recording(&self, up: Option<Up>) -> Recording {
        let (file, matches, clip) = (self.motion.clone(), self.matches.clone(), self.clip.clone());
        Recording { file, matches, clip, follows: self.follow, up }
    }

    /// The script to play; empty without `--play`.
    pub(super) fn script(&self) -> Result<Script, Failure> {
        let Some(path) = &self.play else { return Ok(Script::default()) };
        let origin = input_name(path);
        let fail = |reason: String| Failure::Message(format!("{origin}: {reason}"));
        let text = if is_standard(path) { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(path) };
        let text = text.map_err(|error| fail(error.to_string()))?;
        text.parse().map_err(|error: fabrik3d_viewer::session::script::ScriptError| fail(error.to_string()))
    }

    /// The trace; `standard` makes what writes to standard output.
    pub(super) fn trace(&self, standard: fn() -> Box<dyn Write>) -> Result<Option<Trace>, Failure> {
        let Some(path) = &self.trace else { return Ok(None) };
        let fail = |error: io::Error| Failure::Message(format!("cannot write the trace {}: {error}", path.display()));
        // Readers of a file see each frame immediately.
        let file = || File::create(path).map(|file| Box::new(LineWriter::new(file)) as Box<dyn Write>);
        let out = if is_standard(path) { standard() } else { file().map_err(fail)? };
        Ok(Some(Trace::new(out, self.trace_on.unwrap_or_default())))
    }

    /// Whether commands come from standard input while the window is open.
    pub(super) fn is_live(&self) -> bool {
        self.play.as_deref().is_some_and(is_standard)
    }

    pub(super) fn traces_to_standard_output(&self) -> bool {
        self.trace.as_deref().is_some_and(is_standard)
    }

    /// Checks that the scene and the commands do not both come from standard input, and that no input is written.
    pub(super) fn check_files(&self, file: Option<&Path>, output: Option<&Path>) -> Result<(), Failure> {
        if file.is_some_and(is_standard) && self.is_live() {
            return Err(Failure::Message(
                "the scene and the commands cannot both come from standard input; give one of them as a file".into(),
            ));
        }
        let inputs = || file.into_iter().chain(self.play.as_deref()).chain(self.motion.as_deref());
        output.into_iter().chain(self.trace.as_deref()).try_for_each(|output| keep_inputs(output, inputs()))
    }
}

fn number_between(text: &str, low: f64, high: f64) -> Result<f64, String> {
    number(text, |value| (low..=high).contains(&value), &format!("expected a number from {low} to {high}"))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    number_between(text, 0.0, 86400.0)
}

pub(super) fn parse_fps(text: &str) -> Result<f64, String> {
    number_between(text, 1.0, 1000.0)
}

pub(super) fn parse_scale(text: &str) -> Result<f32, String> {
    let (low, high) = (f64::from(*FONT_SCALES.start()), f64::from(*FONT_SCALES.end()));
    number_between(text, low, high).map(|value| value as f32)
}
