//! The panels over the picture: what they show is read from a [`Viewer`], what is done in them comes back as commands.
//!
//! The window and headless pictures draw the same panels.

mod complaint;
mod film;
mod help;
mod hover;
mod labels;
mod lesson;
mod panel;
mod race;
mod sight;
mod status;
mod style;
mod tags;
mod toast;

pub use complaint::complaint;
pub use film::{FilmInfo, film_mark};
pub use style::apply_theme;
pub use toast::{Toast, ToastKind, Toasts};

use crate::session::Command;
use crate::session::command::Show;
use crate::view::{Area, Bindings, Insets, Viewer};
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
    /// The film that is being made of the window; none while none is.
    pub film: Option<FilmInfo>,
    /// Files that are held over the window.
    pub hovered: Vec<PathBuf>,
    /// Whether somebody can click here: pictures and films go without hints and buttons that only a window needs.
    pub interactive: bool,
}

/// Narrowest window, in units of the text's size, in which the side panel is open from the start.
const WIDE: f64 = 1000.0;

/// Whether a window of this width, logical pixels, leaves room for a picture beside the side panel.
#[must_use]
pub fn has_room_for_panel(width: f64, font_scale: f32) -> bool {
    width >= WIDE * f64::from(font_scale)
}

/// Name of the key that carries out a command, given in words, if there is one.
type KeyName<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What the panels leave free of a picture of this size in points.
#[must_use]
pub fn free_area(stage: &Viewer, size: [f64; 2]) -> Area {
    if !stage.display().shows(Show::Hud) {
        return Area::WHOLE;
    }
    let session = stage.session();
    let points = egui::Vec2::from(size.map(|side| side as f32));
    // A race tells of its own solves: the status of the session's would only contradict.
    let (left, [right, foot]) = match session.race() {
        Some(race) => (0.0, race::span(race, points.x)),
        None => (status::span(stage, points), [panel::span(stage, points.x), 0.0]),
    };
    let bottom = if session.lesson().is_some() { lesson::span(points) } else { foot };
    let insets = Insets { left: left.into(), right: right.into(), top: 0.0, bottom: bottom.into() };
    Area::between(size, insets)
}

/// Lays all panels out; the commands that were given in them.
pub fn hud(
    context: &egui::Context,
    stage: &Viewer,
    info: &Info,
    label: impl Fn(&str) -> Option<String>,
) -> Vec<Command> {
    let mut commands = Vec::new();
    let display = stage.display();
    let key = |command: &str| info.bindings.key_for(&command.parse().ok()?, &label);
    if display.shows(Show::Hud) {
        lesson::lesson(context, stage, info, &key, &mut commands);
        if stage.session().race().is_some() {
            race::race(context, stage, &key, &mut commands);
        } else {
            status::status(context, stage, info, &key, &mut commands);
            panel::panel(context, stage, info, &mut commands);
        }
    }
    if display.shows(Show::Profiler) && !panel::is_alone(stage, context.content_rect().width()) {
        status::profiler(context, stage, info);
    }
    if display.shows(Show::Hud) {
        sight::signs(context, stage, info, &panels(context), &mut commands);
    }
    // Painted under the panels, and laid out after them, since names keep clear of them.
    let names = if display.shows(Show::Names) { labels::names(stage) } else { Vec::new() };
    labels::write(context, stage, [labels::teaching(stage), labels::gaps(stage), names].concat());
    if display.shows(Show::Help) {
        help::help(context, &info.bindings.help(&label), &mut commands);
    }
    hover::hover(context, &info.hovered);
    toast::toasts(context, info, &mut commands);
    commands
}

/// Names of all panels that stay.
const PANELS: [&str; 6] = ["status", "panel", "panel-tab", "lesson", "race", "profiler"];

/// Where the panels are that stay.
fn panels(context: &egui::Context) -> Vec<egui::Rect> {
    PANELS.iter().filter_map(|name| shown(context, name)).collect()
}

/// Where the panel of this name is, if it is shown.
fn shown(context: &egui::Context, name: &str) -> Option<egui::Rect> {
    context.memory(|memory| {
        let area = memory.areas().visible_layer_ids().into_iter().find(|layer| layer.id == egui::Id::new(name))?;
        memory.area_rect(area.id)
    })
}
