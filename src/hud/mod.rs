//! The panels over the picture: what they show is read from a [`Stage`], what is done in them comes back as commands.
//!
//! The window and headless pictures draw the same panels.

mod help;
mod labels;
mod panel;
mod status;
mod style;
mod toast;

pub use style::apply_theme;
pub use toast::{Toast, ToastKind, Toasts};

use crate::session::Command;
use crate::session::command::Show;
use crate::view::{Bindings, Stage};
use std::path::PathBuf;
use std::sync::Arc;

/// What the panels show beside the stage.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Seconds that the last frame took to make; none where it is not known.
    pub frame_seconds: Option<f64>,
    /// Seconds that drawing took.
    pub draw_seconds: f64,
    /// Messages that are still to be seen.
    pub toasts: Vec<Toast>,
    /// Name of the graphics hardware or software.
    pub renderer: String,
    /// The keys as they are bound.
    pub bindings: Arc<Bindings>,
    /// Files opened last, the newest first.
    pub recent: Vec<PathBuf>,
    /// Whether the window is being filmed.
    pub filming: bool,
    /// Whether somebody can click here: pictures and films go without hints and buttons that only a window needs.
    pub interactive: bool,
}

/// Lays all panels out; the commands that were given in them.
pub fn hud(
    context: &egui::Context,
    stage: &Stage,
    info: &Info,
    label: impl Fn(&str) -> Option<String>,
) -> Vec<Command> {
    let mut commands = Vec::new();
    let display = stage.display();
    if display.shows(Show::Names) {
        labels::labels(context, stage);
    }
    if display.shows(Show::Hud) {
        status::status(context, stage, info, &mut commands);
        panel::panel(context, stage, info, &mut commands);
    }
    if display.shows(Show::Profiler) {
        status::profiler(context, stage, info);
    }
    if display.shows(Show::Help) {
        help::help(context, &info.bindings.help(label), &mut commands);
    }
    toast::toasts(context, &info.toasts);
    commands
}
