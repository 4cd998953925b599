//! The panels over the picture: what they show is read from a [`Stage`], what is done in them comes back as commands.
//!
//! The window and headless pictures draw the same panels.

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
mod toast;

pub use film::{FilmInfo, film_mark};
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
    /// The film that is being made of the window; none while none is.
    pub film: Option<FilmInfo>,
    /// Files that are held over the window.
    pub hovered: Vec<PathBuf>,
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
        None => (status::span(stage, size.map(|side| side as f32).into()), panel::span(stage, size[0] as f32)),
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
    let names = if display.shows(Show::Names) { labels::names(stage) } else { Vec::new() };
    labels::write(context, stage, [names, labels::gaps(stage), labels::teaching(stage)].concat());
    if display.shows(Show::Hud) {
        lesson::lesson(context, stage, info, &mut commands);
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
    if display.shows(Show::Hud) {
        sight::signs(context, stage, info, &panels(context), &mut commands);
    }
    if display.shows(Show::Help) {
        help::help(context, &info.bindings.help(label), &mut commands);
    }
    hover::hover(context, &info.hovered);
    toast::toasts(context, &info.toasts);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::view::Display;

    /// Places of the panels that are shown, after a few passes over a window of this size (points).
    fn places(scene: &str, commands: &[&str], size: [f32; 2], interactive: bool) -> Vec<(&'static str, egui::Rect)> {
        let path = format!("{}/assets/scenes/{scene}.toml", env!("CARGO_MANIFEST_DIR"));
        let scene = Scene::open(path).expect("the scene reads");
        let mut stage = Stage::new(scene, Display::default(), f64::from(size[0] / size[1]));
        for words in commands {
            stage.apply(words.parse().expect("a command")).expect("carried out");
        }
        let mut toasts = Toasts::default();
        toasts.done("Saved as a picture with a name of some length");
        let info = Info { interactive, toasts: toasts.list().to_vec(), ..Info::default() };
        let context = egui::Context::default();
        apply_theme(&context, stage.display().theme);
        for _ in 0..5 {
            let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size.into()));
            let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
            let _ = context.run(input, |context| {
                let _ = hud(context, &stage, &info, |_| None);
            });
        }
        let names = ["status", "panel", "lesson", "race", "toasts"];
        names.into_iter().filter_map(|name| Some((name, shown(&context, name)?))).collect()
    }

    /// All panels inside the window, none over another.
    fn are_clear(places: &[(&str, egui::Rect)], size: [f32; 2], what: &str) {
        let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into()).expand(0.5);
        for (at, (name, place)) in places.iter().enumerate() {
            assert!(window.contains_rect(*place), "{what}: {name} leaves the window: {places:?}");
            for (other, other_place) in &places[..at] {
                // Messages pass over what they must, and are gone in seconds; the lesson's buttons are not that.
                let is_passing = *name == "toasts" && *other != "lesson";
                assert!(is_passing || !place.intersects(*other_place), "{what}: {name} over {other}: {places:?}");
            }
        }
    }

    #[test]
    fn teaching_panels_stand_clear_of_the_others_inside_the_window() {
        let step = |number: usize| format!("step.to {number}");
        let steps: Vec<String> = [0, 1, 2, 8, 9, 16, 1000].into_iter().map(step).collect();
        let lessons = ["textbook", "accelerated"].into_iter().flat_map(|method| {
            let method = if method == "textbook" { "method textbook" } else { "method accelerated" };
            steps.iter().map(move |step| vec![method, step.as_str()])
        });
        for commands in lessons {
            for scale in [1.0, 1.5, 2.0] {
                let size = [1280.0 / scale, 720.0 / scale];
                let places = places("demo", &commands, size, false);
                assert_eq!(places[0].0, "status", "{commands:?} at {scale}");
                assert!(places.len() >= 3, "{commands:?} at {scale}: {places:?}");
                are_clear(&places, size, &format!("{commands:?} at {scale}"));
            }
        }
    }

    #[test]
    fn a_lesson_fits_small_windows_beside_whatever_else_is_open() {
        for scene in ["tree", "two-arms", "demo"] {
            for step in ["step.to 0", "step.to 1", "step.to 9", "step.to 1000"] {
                for (size, scale) in [
                    ([1280.0, 720.0], 1.0),
                    ([1280.0, 720.0], 2.0),
                    ([800.0, 600.0], 1.0),
                    ([800.0, 600.0], 1.5),
                    ([800.0, 600.0], 2.0),
                ] {
                    let size = size.map(|side| side / scale);
                    for panel in ["show panel on", "show panel off"] {
                        let places = places(scene, &[panel, step], size, true);
                        let what = format!("{scene} {step} {panel} {size:?}");
                        assert!(places.iter().any(|(name, _)| *name == "lesson"), "{what}");
                        are_clear(&places, size, &what);
                    }
                }
            }
        }
    }
}
