//! Lessons and races of a session: how one opens, and how it follows what is changed meanwhile.

use super::lesson::{Lesson, Recording, StepCommand, Unit};
use super::race::{Layout, Race, RaceCommand};
use super::{CommandError, Session, SessionCommand};
use crate::ik::{Coordinates, Island, Kind, Pose, Problem, Settings, Skeleton};
use glam::DVec3;

/// What a lesson or a race is about: the island of the selected effector.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its joints, in ascending order.
    pub island: Island,
    /// The pose it starts in, one entry a joint of the skeleton.
    pub start: Pose,
    /// What is asked of it.
    pub problem: Problem,
    /// Names of the effectors that the problem's goals are about.
    pub names: Vec<String>,
    /// The island as a plain chain, where it is one.
    pub chain: Option<PlainChain>,
}

/// A single chain of unlimited joints with one target.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainChain {
    /// Base to end effector, as it starts.
    pub points: Vec<DVec3>,
    /// Where the end effector should go.
    pub target: DVec3,
    /// What the chain leans toward.
    pub pole: Option<DVec3>,
    /// Whether it is a rope, whose base follows.
    pub free_base: bool,
}

impl Subject {
    /// The solve, from the subject's start.
    pub fn record(&self, skeleton: &Skeleton, settings: &Settings) -> Option<Recording> {
        match &self.chain {
            Some(chain) => Recording::of_chain(chain, settings),
            None => Recording::of_skeleton(skeleton, &self.island, &self.problem, &self.names, settings, &self.start),
        }
    }
}

impl PlainChain {
    /// The island's chain, if it is such a one: the same that the solver takes its fast path for.
    fn of(skeleton: &Skeleton, island: &Island, problem: &Problem, pose: &[Coordinates]) -> Option<Self> {
        let [goal] = problem.goals[..] else { return None };
        let joints = &island.joints;
        let target = goal.target.position.filter(|_| goal.weight > 0.0 && goal.target.rotation.is_none())?;
        let is_plain = skeleton.is_strand(joints)
            && joints.last() == Some(&goal.effector.joint)
            && goal.effector.chain_length.is_none()
            && problem.obstacles.is_empty()
            && problem.loops.is_empty();
        if !is_plain {
            return None;
        }
        let frames = skeleton.frames_at(problem.base, pose);
        let turning = joints.iter().take_while(|&&joint| skeleton.joints()[joint].kind != Kind::Fixed);
        let tip = frames[goal.effector.joint].point(goal.effector.tip);
        Some(PlainChain {
            points: turning.map(|&joint| frames[joint].position).chain([tip]).collect(),
            target,
            pole: problem.hints.iter().find(|hint| joints.contains(&hint.joint)).map(|hint| hint.toward),
            free_base: skeleton.joints()[joints[0]].kind == Kind::Free,
        })
    }
}

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
        let mut lesson = self.record(self.subject(None)?)?;
        match command {
            StepCommand::Next => {}
            StepCommand::Back => lesson.jump_to(usize::MAX),
            other => lesson.apply(other, self.step_unit),
        }
        self.race = None;
        self.lesson = Some(lesson);
        Ok(())
    }

    /// The joints that an open lesson or race shows in its own way, in ascending order.
    pub fn covered(&self) -> &[usize] {
        match self.lesson.is_some() || self.race.is_some() {
            true => &self.islands[self.island_of(self.selected)].island.joints,
            false => &[],
        }
    }

    /// The race that is on.
    pub fn race(&self) -> Option<&Race> {
        self.race.as_ref()
    }

    /// Carries a command out that is about races.
    pub(super) fn run(&mut self, command: &RaceCommand) -> Result<(), CommandError> {
        match command {
            RaceCommand::Off => self.race = None,
            RaceCommand::Layout(layout) => {
                if let Some(race) = &mut self.race {
                    race.layout = *layout;
                }
            }
            RaceCommand::Start(methods) => {
                let layout = self.race.as_ref().map_or(Layout::default(), |race| race.layout);
                let chain = self.subject(None)?.chain.filter(|chain| !chain.free_base);
                let race = chain.and_then(|chain| Race::new(chain, methods, &self.scene.settings, layout));
                self.race = Some(race.ok_or(CommandError::NoRace)?);
                self.lesson = None;
            }
        }
        Ok(())
    }

    /// After a command that was none of the race's: starts it anew where target, tolerance or figure may be others.
    pub(super) fn keep_race(&mut self, command: &SessionCommand) {
        use SessionCommand as Command;
        let Some(race) = &self.race else { return };
        if matches!(
            command,
            Command::Race(_)
                | Command::Step(_)
                | Command::Pause(_)
                | Command::TogglePause
                | Command::Speed(_)
                | Command::TargetPath(_)
                | Command::Method(_)
                | Command::NextMethod
        ) {
            return;
        }
        let again = RaceCommand::Start(race.methods());
        if self.run(&again).is_err() {
            self.race = None;
        }
    }

    fn record(&self, subject: Subject) -> Result<Lesson, CommandError> {
        let recording = subject.record(&self.scene.skeleton, &self.scene.settings);
        recording.map(|recording| Lesson::new(recording, subject)).ok_or(CommandError::NoSteps)
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

    /// The selected effector's island, in `start` or else in the pose from which the present solution was sought: the
    /// one shown when its target last jumped, or when that is on the target already, the scene's own.
    pub(super) fn subject(&self, start: Option<Pose>) -> Result<Subject, CommandError> {
        let at = self.selected_effector()?;
        let state = &self.islands[self.island_of(at)];
        let (skeleton, problem) = (&self.scene.skeleton, state.problem.clone());
        let is_solved = |pose: &Pose| {
            state.effectors.iter().zip(&problem.goals).all(|(&effector, goal)| {
                let frame = skeleton.frame_of(problem.base, pose, goal.effector.joint);
                let gap = goal.target.position.map_or(0.0, |target| frame.point(goal.effector.tip).distance(target));
                gap <= self.scene.settings.tolerance * self.scene.reach(&self.scene.effectors[effector])
            })
        };
        let start = start.unwrap_or_else(|| if is_solved(&self.from) { &self.scene.start } else { &self.from }.clone());
        let names = state.effectors.iter().map(|&effector| self.scene.effectors[effector].name.clone()).collect();
        let chain = PlainChain::of(skeleton, &state.island, &problem, &start);
        Ok(Subject { island: state.island.clone(), start, problem, names, chain })
    }
}
