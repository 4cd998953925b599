//! The panels over the picture: what they show is read from a [`Stage`], what is done in them comes back as commands.
//!
//! The window and headless pictures draw the same panels.

mod help;
mod labels;
mod lesson;
mod panel;
mod race;
mod status;
mod style;
mod toast;

pub use style::apply_theme;
pub use toast::{Toast, ToastKind, Toasts};

use crate::session::Command;
use crate::session::command::Show;
use crate::view::{Area, Bindings, Insets, Stage};
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

/// What the panels leave free of a picture of this size in points.
#[must_use]
pub fn free_area(stage: &Stage, size: [f64; 2]) -> Area {
    if !stage.display().shows(Show::Hud) {
        return Area::WHOLE;
    }
    let session = stage.session();
    // A race tells of its own solves: the status of the session's would only contradict.
    let (left, right) = match session.race() {
        Some(_) => (0.0, race::SPAN),
        None => (status::SPAN, panel::span(stage, size[0] as f32)),
    };
    let bottom = if session.lesson().is_some() { lesson::SPAN } else { 0.0 };
    let insets = Insets { left: left.into(), right: right.into(), top: 0.0, bottom: bottom.into() };
    Area::between(size, insets)
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
    labels::gaps(context, stage);
    labels::lesson(context, stage);
    if display.shows(Show::Hud) {
        lesson::lesson(context, stage, &mut commands);
        if stage.session().race().is_some() {
            race::race(context, stage, &mut commands);
        } else {
            status::status(context, stage, info, &mut commands);
            panel::panel(context, stage, info, &mut commands);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::view::Display;

    /// Places of the named panels, after a few passes over a window of this size (points).
    fn panels(commands: &[&str], size: [f32; 2], names: &[&str]) -> Vec<(String, egui::Rect)> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenes/demo.toml");
        let scene = Scene::open(path).expect("the scene reads");
        let mut stage = Stage::new(scene, Display::default(), f64::from(size[0] / size[1]));
        for words in commands {
            stage.apply(words.parse().expect("a command")).expect("carried out");
        }
        let context = egui::Context::default();
        apply_theme(&context, stage.display().theme);
        for _ in 0..4 {
            let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size.into()));
            let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
            let _ = context.run(input, |context| {
                let _ = hud(context, &stage, &Info::default(), |_| None);
            });
        }
        let place = |name: &&str| {
            let rect = context.memory(|memory| memory.area_rect(egui::Id::new(*name)));
            ((*name).to_owned(), rect.unwrap_or_else(|| panic!("no panel `{name}`")))
        };
        names.iter().map(place).collect()
    }

    #[test]
    fn teaching_panels_stand_clear_of_the_others_inside_the_window() {
        let step = |number: usize| format!("step.to {number}");
        let steps: Vec<String> = [0, 1, 2, 8, 9, 16, 1000].into_iter().map(step).collect();
        let lessons = steps.iter().map(|step| (vec!["method textbook", step.as_str()], "lesson"));
        for (commands, panel) in lessons {
            for scale in [1.0, 1.5, 2.0] {
                let size = [1280.0 / scale, 720.0 / scale];
                let places = panels(&commands, size, &["status", panel]);
                let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
                assert!(!places[0].1.intersects(places[1].1), "{commands:?} at {scale}: {places:?}");
                for (name, place) in &places {
                    assert!(window.contains_rect(*place), "{name} at {scale}: {place:?}");
                }
            }
        }
    }
}
