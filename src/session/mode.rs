//! What a session shows besides the scene.

use super::command::StepUnit;
use super::lesson::Lesson;
use super::race::Race;
use fabrik3d_ik::Method;

/// What a session shows.
#[derive(Debug, Default)]
pub(super) enum Mode {
    /// The scene.
    #[default]
    Free,
    /// A solve, step by step.
    Lesson(Box<Lesson>),
    /// Several methods on the same target.
    Race(Box<Race>),
}

/// Choices for lessons, which outlive the lesson.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LessonOptions {
    /// How far a step goes, if it was chosen.
    pub unit: Option<StepUnit>,
    /// The method that was chosen last.
    pub method: Option<Method>,
}
