//! What the panels need in addition to the viewer.

use super::film_mark::FilmInfo;
use super::toast::Toast;
use crate::session::command::AppCommand;
use crate::session::{Command, Session, SessionCommand};
use crate::view::Bindings;
use std::path::PathBuf;
use std::sync::Arc;

/// What the panels display in addition to the viewer.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Duration of the last frame in seconds, if known.
    pub frame_seconds: Option<f64>,
    /// Duration of drawing in seconds.
    pub draw_seconds: f64,
    /// Visible messages.
    pub toasts: Vec<Toast>,
    /// Name of the graphics hardware or software.
    pub renderer: String,
    /// The key bindings.
    pub bindings: Arc<Bindings>,
    /// The scenes that come with the program: what opens each, and its title.
    pub examples: &'static [(String, String)],
    /// Recently opened files, newest first.
    pub recent: Vec<PathBuf>,
    /// The film of the window, while it is being recorded.
    pub film: Option<FilmInfo>,
    /// Files that are being dragged over the window.
    pub hovered: Vec<PathBuf>,
    /// What has been tried, while the card of the first start is shown.
    pub first_steps: Option<FirstSteps>,
    /// Whether the panels accept input. Pictures and films omit hints and buttons.
    pub interactive: bool,
}

/// What somebody who is new to the program may try: the lines of the card of the first start, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstStep {
    /// Moving the target.
    Target,
    /// Orbiting the camera.
    Camera,
    /// Opening a lesson.
    Lesson,
    /// Comparing methods.
    Comparison,
    /// Saving a picture.
    Picture,
}

impl FirstStep {
    /// What a command does.
    pub fn of(command: &Command) -> Option<Self> {
        match command {
            Command::Session(SessionCommand::TargetMove(_) | SessionCommand::TargetSet(..)) => Some(FirstStep::Target),
            Command::Camera(_) => Some(FirstStep::Camera),
            Command::App(AppCommand::Screenshot(..)) => Some(FirstStep::Picture),
            _ => None,
        }
    }

    /// What is open. A lesson or a comparison in which nothing happens, because all targets are reached, is not.
    pub fn shown(session: &Session) -> Option<Self> {
        let lesson = session.lesson().is_some_and(|lesson| lesson.len() > 1).then_some(FirstStep::Lesson);
        lesson.or(session.race().is_some_and(|race| !race.is_idle()).then_some(FirstStep::Comparison))
    }
}

/// Which first steps have been tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstSteps(pub(super) [bool; 5]);

impl FirstSteps {
    /// Marks a step.
    pub fn note(&mut self, step: FirstStep) {
        self.0[step as usize] = true;
    }

    /// Whether nothing is left to try.
    pub fn are_done(&self) -> bool {
        self.0.iter().all(|done| *done)
    }
}

/// Returns the name of the key for a command, which is given as text.
pub(super) type KeyName<'a> = &'a dyn Fn(&str) -> Option<String>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Display, Viewer};
    use fabrik3d_scene::Scene;

    #[test]
    fn a_lesson_or_a_comparison_in_which_nothing_happens_is_no_step() {
        let robot = crate::test_scenes::root().join("assets/models/robot-arm.urdf");
        for (opening, step) in [("step.next", FirstStep::Lesson), ("race ccd dls", FirstStep::Comparison)] {
            let mut viewer = Viewer::new(Scene::open(&robot).expect("reads"), Display::default(), 1.6);
            let mut shown = |words: &str| {
                viewer.apply(words.parse().expect("a command")).expect("can be done");
                FirstStep::shown(viewer.session())
            };
            assert_eq!([shown(opening), shown("target.random")], [None, Some(step)], "{opening}");
        }
    }
}
