//! Lessons of a session: how one opens, and how it follows what is changed meanwhile.

use super::lesson::{Lesson, Recording, StepCommand, Unit};
use super::{CommandError, Session, SessionCommand};
use crate::ik::{Coordinates, Kind};
use glam::DVec3;

/// The chain that a lesson or a race is about: the selected effector's.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The joint whose place each point is; the end effector goes with the last one.
    pub joints: Vec<usize>,
    /// All joints that the chain stands for in the picture, the fixed ones behind it included.
    pub covers: Vec<usize>,
    /// Where it starts.
    pub start: Vec<DVec3>,
    /// Where its end effector should go.
    pub target: DVec3,
    /// Whether it is a rope, whose base follows.
    pub free_base: bool,
}

/// What is said when a figure is none that can be stepped through.
const NO_CHAIN: &str = "the selected effector is not at the end of a single chain of unlimited joints";

impl Session {
    /// The lesson that is open.
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref()
    }

    /// How much one step of a lesson is.
    pub fn step_unit(&self) -> Unit {
        self.step_unit
    }

    /// Carries a lesson's command out, opening a lesson where that is meant.
    pub(super) fn step(&mut self, command: StepCommand) -> Result<(), CommandError> {
        match command {
            StepCommand::Close => self.lesson = None,
            StepCommand::Unit(unit) => self.step_unit = unit.unwrap_or(self.step_unit.other()),
            _ => match &mut self.lesson {
                Some(lesson) => lesson.apply(command, self.step_unit),
                None => self.open_lesson(command)?,
            },
        }
        Ok(())
    }

    /// The first step forward only shows the start, the first step back the end; any other command is carried out.
    fn open_lesson(&mut self, command: StepCommand) -> Result<(), CommandError> {
        let subject = self.subject(None)?;
        let mut lesson = self.record(subject)?;
        match command {
            StepCommand::Next => {}
            StepCommand::Back => lesson.jump_to(usize::MAX),
            other => lesson.apply(other, self.step_unit),
        }
        self.lesson = Some(lesson);
        Ok(())
    }

    fn record(&self, subject: Subject) -> Result<Lesson, CommandError> {
        let settings = &self.scene.settings;
        let recording = Recording::of_chain(&subject.start, subject.target, settings, subject.free_base);
        recording.map(|recording| Lesson::new(recording, subject)).ok_or(CommandError::NoSteps(NO_CHAIN))
    }

    /// After a command that was none of the lesson's: records the solve anew where it is another one now. The pose it
    /// starts from stays where only target or method have changed, and so does the place in the lesson.
    pub(super) fn keep_lesson(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        let Some(lesson) = &self.lesson else { return };
        let kept = match command {
            Command::Step(_)
            | Command::Pause(_)
            | Command::TogglePause
            | Command::Speed(_)
            | Command::TargetPath(_) => return,
            Command::TargetMove(_)
            | Command::TargetSet(..)
            | Command::TargetPreset(_)
            | Command::TargetRandom
            | Command::Method(_)
            | Command::NextMethod
            | Command::Set(..) => Some((lesson.subject().start.clone(), lesson.cursor())),
            _ => None,
        };
        let (start, cursor) = kept.unzip();
        // A figure that cannot be stepped through (any more) ends the lesson.
        self.lesson = self.subject(start).and_then(|subject| self.record(subject)).ok();
        if let (Some(lesson), Some(cursor)) = (&mut self.lesson, cursor) {
            lesson.jump_to(cursor);
        }
    }

    /// The selected effector's chain, in `start` or else in the pose from which the present solution was sought: the
    /// one shown when its target last jumped, or when that is on the target already, the scene's own.
    fn subject(&self, start: Option<Vec<DVec3>>) -> Result<Subject, CommandError> {
        let at = self.selected_effector()?;
        let none = CommandError::NoSteps(NO_CHAIN);
        let island = &self.islands[self.island_of(at)];
        let (skeleton, covers) = (&self.scene.skeleton, &island.island.joints);
        let effector = &self.scene.effectors[at];
        let (Some(target), None) = (self.targets[at].position, self.targets[at].rotation) else { return Err(none) };
        let is_plain = skeleton.is_strand(covers)
            && island.effectors.len() == 1
            && covers.last() == Some(&effector.effector.joint)
            && effector.effector.chain_length.is_none()
            && self.scene.obstacles.is_empty();
        if !is_plain {
            return Err(none);
        }
        let turns = |joint: &&usize| skeleton.joints()[**joint].kind != Kind::Fixed;
        let joints: Vec<usize> = covers.iter().take_while(turns).copied().collect();
        let points = |pose: &[Coordinates]| -> Vec<DVec3> {
            let frames = skeleton.frames(pose);
            let tip = frames[effector.effector.joint].point(effector.effector.tip);
            joints.iter().map(|&joint| frames[joint].position).chain([tip]).collect()
        };
        let is_solved = |points: &[DVec3]| {
            let gap = points.last().map_or(0.0, |tip| tip.distance(target));
            gap <= self.scene.settings.tolerance * self.scene.reach(effector)
        };
        let start = start.unwrap_or_else(|| {
            let before = points(&self.from);
            if is_solved(&before) { points(&self.scene.start) } else { before }
        });
        let free_base = skeleton.joints()[covers[0]].kind == Kind::Free;
        Ok(Subject { joints, covers: covers.clone(), start, target, free_base })
    }
}
