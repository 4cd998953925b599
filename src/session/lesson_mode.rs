//! Opens lessons, and keeps the open lesson up to date.

use super::command::{JointCommand, LessonCommand, SessionCommand, StepUnit};
use super::command_error::CommandError;
use super::lesson::{Lesson, Subject};
use super::mode::Mode;
use super::session::Session;
use fabrik3d_ik::{Isometry, Kind, Method, Settings};

impl Session {
    /// The open lesson.
    pub fn lesson(&self) -> Option<&Lesson> {
        if let Mode::Lesson(lesson) = &self.mode { Some(lesson) } else { None }
    }

    /// How far one step of a lesson goes.
    pub fn step_unit(&self) -> StepUnit {
        self.lesson().map_or(self.lesson_options.unit.unwrap_or_default(), Lesson::unit)
    }

    /// The method of lessons: the one that was chosen last, or that of the scene. A scene with the default method starts
    /// with FABRIK as published.
    pub(super) fn lesson_method(&self) -> Method {
        let own = Some(self.scene.settings.method).filter(|method| *method != Method::default());
        self.lesson_options.method.or(own).unwrap_or(Method::Textbook)
    }

    /// Carries out a command to lessons. Opens a lesson if the command needs one.
    pub(super) fn apply_lesson(&mut self, command: LessonCommand) -> Result<(), CommandError> {
        let unit = self.step_unit();
        match (command, &mut self.mode) {
            (LessonCommand::Close, Mode::Lesson(_)) => self.mode = Mode::Free,
            (LessonCommand::Close, _) => {}
            (LessonCommand::Unit(new), mode) => {
                let unit = new.unwrap_or(unit.other());
                self.lesson_options.unit = Some(unit);
                if let Mode::Lesson(lesson) = mode {
                    lesson.set_unit(unit);
                }
            }
            (_, Mode::Lesson(lesson)) => lesson.apply(command),
            _ => self.open_lesson(command)?,
        }
        Ok(())
    }

    /// Opens a lesson. The first step forward only shows the start, the first step back the end.
    fn open_lesson(&mut self, command: LessonCommand) -> Result<(), CommandError> {
        let mut lesson = self.record_lesson(self.subject(None)?)?;
        lesson.enter_from(&self.displayed_frames(&lesson));
        match command {
            LessonCommand::Next => {}
            LessonCommand::Back => lesson.jump_to(usize::MAX),
            other => lesson.apply(other),
        }
        self.mode = Mode::Lesson(Box::new(lesson));
        Ok(())
    }

    fn record_lesson(&self, subject: Subject) -> Result<Lesson, CommandError> {
        let settings = Settings { method: self.lesson_method(), ..self.scene.settings };
        let recording = subject.record(&self.scene.skeleton, &settings).ok_or(CommandError::NoSteps)?;
        Ok(Lesson::new(recording, subject, self.lesson_options.unit))
    }

    fn displayed_frames(&self, lesson: &Lesson) -> Vec<Isometry> {
        self.scene.skeleton.frames_at(lesson.subject().problem.base, &self.poses.displayed)
    }

    /// Records the open lesson again after a command that changes its solve.
    ///
    /// If only the target or the method has changed, the start pose and the position stay. The lesson of another method
    /// goes to the same step of the same pass and iteration, or to its start if there is no such step.
    pub(super) fn update_lesson(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        let Some(lesson) = self.lesson() else { return };
        let kept = match command {
            Command::Lesson(_)
            | Command::Pause(_)
            | Command::TogglePause
            | Command::Speed(_)
            | Command::TargetPath(_)
            | Command::TargetGrab
            | Command::Joint(JointCommand::Step(_) | JointCommand::Select(_) | JointCommand::Clear) => return,
            Command::EffectorNext(_) | Command::EffectorSelect(_) => {
                let selected = self.islands.of(self.selection.effector);
                if selected.is_some_and(|island| island.figure.joints() == lesson.subject().figure.joints()) {
                    return;
                }
                None
            }
            Command::Reset | Command::ToggleBase => None,
            _ => Some(lesson).filter(|lesson| self.has_bases_of(lesson)),
        };
        let position = kept.map(|lesson| (lesson.step().position(), lesson.cursor()));
        let start = kept.map(|lesson| (lesson.subject().start.clone(), lesson.subject().origin));
        let Ok(mut lesson) = self.subject(start).and_then(|subject| self.record_lesson(subject)) else {
            self.mode = Mode::Free;
            return;
        };
        match (command, position) {
            (_, None) => lesson.enter_from(&self.displayed_frames(&lesson)),
            (Command::Method(_) | Command::NextMethod, Some((position, _))) => {
                lesson.jump_to(lesson.step_at_position(position).unwrap_or(0));
            }
            (_, Some((_, cursor))) => lesson.jump_to(cursor),
        }
        self.mode = Mode::Lesson(Box::new(lesson));
    }

    /// Whether the same bases are fixed and floating as in a lesson. Undo may have changed them.
    fn has_bases_of(&self, lesson: &Lesson) -> bool {
        let figure = &lesson.recording().figure;
        let joints = self.scene.skeleton.joints();
        let mut bases = figure.joints.iter().filter(|(joint, _)| joints[*joint].parent.is_none());
        bases.all(|(joint, node)| (joints[*joint].kind == Kind::Free) == figure.floating.contains(node))
    }
}
