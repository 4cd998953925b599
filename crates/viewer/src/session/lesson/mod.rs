//! Lessons: a solve step by step, recorded from the solver itself.
//!
//! A [`LessonRecording`] consists of phases: reaching passes and other moves of the solver. Each phase has stops. A
//! [`LessonStep`] is the state at one stop; it explains what happened (`actions`) and why (`reasons`).

mod actions;
mod figure;
#[expect(clippy::module_inception, reason = "the folder holds the recordings, the file the position in one")]
mod lesson;
mod moves;
mod reasons;
mod recorder;
mod recording;
mod step;
mod subject;

pub use super::command::{LessonCommand, StepUnit};
pub use actions::{Prose, ProsePart};
pub use figure::{Freedom, LessonFigure};
pub use lesson::{Lesson, MAX_JOINT_STEPS};
pub use recording::{LessonRecording, LessonStop, Phase, Round, Unmet};
pub use step::{BlockingJoints, Gap, GapPlace, LessonPosition, LessonStep, NodeSlide};
pub use subject::{LessonStart, Subject};
